import type { HostContext } from '@relayflows/sdk';
import { RelayError } from '../../errors/relay-error.js';
import { isWorkNode } from '../definition.js';
import type { Activities, RunRef } from './activities.js';
import { activity, type Walker } from './activity.js';
import { assertKnownBehaviour, INTERPRETER_FLAGS } from './flags.js';
import { visitSignal, type TicketRunInput, type Visit, type VisitMessage, type WalkState } from './input.js';

/** How many nodes are entered before the history is replaced by a snapshot of where the run stands. */
const VISITS_PER_SNAPSHOT = 16;

/**
 * Walks a workflow's graph for one ticket: the body of the ticket's run.
 *
 * It decides order and nothing else. Whatever touches the world is an activity, whatever it waits for is a message to the current visit, so that a replay
 * walks the same way. THE INTERPRETER COUNTS AS ENGINE: a change of the steps it makes, or of their order, is a new number in `flags.ts`.
 */
export async function interpret(f: HostContext, input: TicketRunInput, args: { readonly runId: string; readonly activities: Activities }): Promise<void> {
  assertKnownBehaviour(input.flags);
  const { activities, runId } = args;
  const walker: Walker = { f, runId, observer: activities.observer };
  let state = input.state ?? (await begin(walker, activities, input));
  for (let entered = 0; state.node !== 'end'; entered += 1) {
    if (entered === VISITS_PER_SNAPSHOT) await f.continueAs({ ...input, state } as never);
    state = await visitNode(walker, activities, input, state);
  }
  await activity(walker, 'end', 'end', input, async (run) => {
    await activities.finish({ ...run, sequence: state.sequence + 1, parentSequence: state.sequence });
    return null;
  });
  f.done('success');
}

async function begin(walker: Walker, activities: Activities, input: TicketRunInput): Promise<WalkState> {
  const mailboxes = await ensuredMailboxes(walker, activities, input);
  if (input.attempt > 1) {
    await activity(walker, 'reopen', 'reopen', input, async (run) => {
      await activities.reopen({ ...run, mailboxes });
      return null;
    });
  }
  await activity(walker, 'start', 'start', input, async (run) => {
    await activities.validateAgents(run);
    await activities.enterStart(run);
    return null;
  });
  const [first] = input.workflow.nodes['start']?.onSuccess ?? [];
  if (first === undefined) throw new RelayError('workflow_invalid', `Workflow ${input.workflow.name} has no way out of start.`);
  return { node: first.target, mailboxes, visits: {}, sequence: 1 };
}

/** By the name of the node. */
async function ensuredMailboxes(walker: Walker, activities: Activities, input: TicketRunInput): Promise<WalkState['mailboxes']> {
  const ensure = async (run: RunRef) => ({ ...(await activities.ensureMailboxes(run)) });
  if (!input.flags.includes(INTERPRETER_FLAGS.namedMailboxes)) return await activity(walker, 'mailboxes', 'mailboxes', input, ensure);
  return (await activity(walker, 'mailboxes', 'mailboxes', input, async (run) => ({ mailboxes: await ensure(run) }))).mailboxes;
}

async function visitNode(walker: Walker, activities: Activities, input: TicketRunInput, state: WalkState): Promise<WalkState> {
  const { f } = walker;
  const { node, mailboxes } = state;
  const declared = input.workflow.nodes[node];
  const mailbox = mailboxes[node];
  if (declared === undefined || !isWorkNode(declared) || mailbox === undefined) throw new RelayError('workflow_invalid', `Workflow ${input.workflow.name} has no work node ${node}.`);
  const depth = state.visits[node] ?? 0;
  const visit: Visit = {
    node, mailbox, depth,
    visitId: (await f.uuid()).replaceAll('-', ''),
    sequence: state.sequence + 1,
    parentSequence: state.sequence,
    ...(state.handover === undefined ? {} : { handover: state.handover }),
  };
  await activity(walker, 'enter', `${visit.visitId}:enter`, input, async (run) => {
    await activities.enterNode({ ...run, visit });
    return null;
  });
  const { reportId, report } = await untilReport(walker, activities, input, visit);
  await activity(walker, 'settle', `${visit.visitId}:settle`, input, async (run) => {
    await activities.settle({ ...run, visit, mailboxes, reportId, report });
    return null;
  });
  return {
    node: report.nextStep,
    mailboxes,
    visits: { ...state.visits, [node]: depth + 1 },
    sequence: visit.sequence,
    handover: { node, visitId: visit.visitId, report },
  };
}

async function untilReport(walker: Walker, activities: Activities, input: TicketRunInput, visit: Visit): Promise<Extract<VisitMessage, { type: 'report' }>> {
  let remark: string | undefined;
  for (let launch = 1; ; launch += 1) {
    const said = remark;
    await activity(walker, 'launch', `${visit.visitId}:launch:${launch}`, input, async (run) => {
      await activities.launch({ ...run, visit, launch, ...(said === undefined ? {} : { remark: said }) });
      return null;
    });
    const message: VisitMessage = await walker.f.signal<VisitMessage>(visitSignal(visit.visitId));
    if (message.type === 'report') return message;
    remark = message.remark;
  }
}
