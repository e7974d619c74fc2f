import { createHash } from 'node:crypto';
import { feedbackText } from 'relay-flow-plugin/report';
import { RelayError } from '../../errors/relay-error.js';
import { harnessEnvironment } from '../../harness/environment.js';
import { errorFields } from '../../host/server-log.js';
import type { HeadlessHarness, Launch, TerminalHarness } from '../../harness/port.js';
import { renderNudge, renderPrompt } from '../../harness/prompts.js';
import type { Terminals } from '../../runner/port.js';
import { isWorkNode, type WorkNode } from '../../workflow/definition.js';
import type { RunRef } from '../../workflow/interpreter/activities.js';
import type { Visit } from '../../workflow/interpreter/input.js';
import type { HeadlessEvents } from '../headless-events.js';
import type { Workshop } from '../workshop.js';
import { nodeFacts, placeOf, titleAt, type NodeFacts, type Place } from './place.js';
import { promptOrPointer } from './prompt-file.js';
import { headlessKey, stopRuntime } from './runtimes.js';
import { timed } from './timed.js';
import { fault } from '../../faults/fault.js';

type Launching = RunRef & { readonly visit: Visit; readonly launch: number; readonly remark?: string };

interface Prepared {
  readonly run: Launching;
  readonly place: Place;
  readonly node: WorkNode;
  readonly facts: NodeFacts;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly ticketText: string | undefined;
}

/** Has the node's agent at work on this visit. Looks first at what is there: the call may be the second one, and terminals outlive the server. */
export async function launch(shop: Workshop, run: Launching, events: HeadlessEvents): Promise<void> {
  const { store, clock, runner, harness } = shop;
  const { runId, visit } = run;
  // It has reported while this was tried again: nobody is needed any more, and what it said waits for the run.
  if (store.reportOfVisit(runId, visit.visitId) !== undefined) return;
  const prepared = await prepare(shop, run);
  await timed(shop, runId, 'runner', () => runner.setStatus({ ...prepared.place.workspace, status: prepared.node.type === 'hitl' ? 'in-review' : 'in-progress' }));
  fault('launch.before');
  const waits = harness.kind === 'headless' ? await launchHeadless(shop, prepared, harness, events) : await launchTerminal(shop, prepared, harness);
  if (!waits) return;
  store.together(() => {
    store.waitStep(runId, visit.sequence, true, clock.now());
    store.updateRun(runId, { state: 'waiting', at: clock.now() });
  });
}

async function prepare(shop: Workshop, run: Launching): Promise<Prepared> {
  const { input, visit, runId } = run;
  const place = placeOf(shop, run);
  const node = input.workflow.nodes[visit.node];
  // It may be days since the visit began, and somebody has cleaned up meanwhile.
  const cwd = run.repeated || run.launch > 1 ? await madeAgain(shop, runId, place) : shop.store.run(runId)?.workspace;
  if (node === undefined || !isWorkNode(node)) throw new RelayError('workflow_invalid', `Workflow ${input.workflow.name} has no work node ${visit.node}.`);
  if (cwd === undefined || cwd === null) throw new RelayError('runner_missing', `The workspace of ticket ${input.ticket.key} is not known.`, { hint: 'Look into server.log; the run goes on by itself once the workspace can be made.' });
  const facts = nodeFacts(shop, run, visit.node, node, visit.mailbox);
  const env = harnessEnvironment({
    home: shop.home, runId, workflow: input.workflow.name, repo: input.repo, ticket: input.ticket.key, node: visit.node, nodeType: node.type,
    ...(shop.command === undefined || shop.harness.kind === 'headless' ? {} : { command: shop.command }),
    nudge: nudgeOf(node, facts), routes: facts.routes, reportFormat: facts.contract, autoReject: node.autoReject,
    taskEnvironment: place.repo.task.agentEnvironment({ ticket: input.ticket.key }),
  });
  const ticket = shop.harness.kind === 'headless' ? await timed(shop, runId, 'task', () => place.repo.task.view({ key: input.ticket.key })) : undefined;
  return { run, place, node, facts, cwd, env, ticketText: ticket === undefined ? undefined : [`# ${ticket.title}`, ticket.text ?? ''].join('\n\n').trim() };
}

async function madeAgain(shop: Workshop, runId: string, { workspace }: Place): Promise<string> {
  const { path } = await timed(shop, runId, 'runner', () => shop.runner.ensureWorkspace(workspace));
  if (path !== shop.store.run(runId)?.workspace) shop.store.updateRun(runId, { workspace: path, at: shop.clock.now() });
  return path;
}

function nudgeOf(node: WorkNode, facts: NodeFacts): string {
  return node.nudgePrompt === undefined ? '' : renderNudge(node.nudgePrompt, facts.variables);
}

function promptFor(shop: Workshop, { run, node, facts, ticketText }: Prepared, kind: 'initial' | 'feedback' | 'resumed'): string {
  const { visit, launch: count, remark } = run;
  return renderPrompt({
    kind, templates: shop.harness.templates, variables: facts.variables,
    // A replacement in the same visit has heard it before.
    nudge: count === 1 ? node.nudgePrompt : undefined,
    previousFeedback: visit.handover === undefined ? undefined : feedbackText(visit.handover.report),
    remark,
    // A plugin in a terminal corrects its agent itself, and such an agent reads the ticket.
    ...(shop.harness.kind === 'headless' ? { contract: facts.contract, ticketText } : {}),
  });
}

function launchOf(shop: Workshop, prepared: Prepared, sessionId: string | undefined): Launch {
  const { run, node, cwd, env } = prepared;
  // A session of this very visit goes on with what it had; one of an earlier visit has got feedback.
  const kind = sessionId === undefined ? 'initial' : run.launch > 1 ? 'resumed' : 'feedback';
  return {
    cwd, env, title: titleAt(run, run.visit.node), agent: node.agent, nodeType: node.type, prompt: promptFor(shop, prepared, kind), purpose: kind === 'resumed' ? 'feedback' : kind,
    ...(sessionId === undefined ? {} : { sessionId }),
  };
}

/** Answers whether the visit waits now; not when its report waits for a person already. */
async function launchHeadless(shop: Workshop, prepared: Prepared, harness: HeadlessHarness, events: HeadlessEvents): Promise<boolean> {
  const { store, headless, clock, log } = shop;
  const { run: { runId, visit, remark }, facts } = prepared;
  const key = headlessKey(runId, visit.node);
  if (headless.live(key) && remark === undefined) return true;
  if (store.proposal(runId)?.visit === visit.visitId && remark === undefined) return false;
  // What a dead server left at work is not heard by anybody.
  await timed(shop, runId, 'harness', async () => {
    await stopRuntime(shop, { runId, node: visit.node });
    // It may have died between starting a process and writing it down: such a one is found by what it carries.
    if (prepared.run.repeated || prepared.run.launch > 1) await headless.reap({ runId, visitId: visit.visitId });
  });
  store.dropProposal(runId);
  const session = store.session(runId, visit.node)?.session;
  // It is news to nobody, so no event will name it.
  if (session !== undefined) store.updateStep(runId, visit.sequence, { session });
  const first = launchOf(shop, prepared, session);
  headless.start({
    key, runId, visitId: visit.visitId, harness, contract: facts.contract, routes: facts.routes, launch: first,
    ...(session === undefined ? {} : { freshPrompt: promptFor(shop, prepared, 'initial') }),
    onProcess: (process) => {
      fault('launch.created');
      try {
        store.setRuntime(runId, { node: visit.node, visit: visit.visitId, handle: null, process: JSON.stringify(process), launchedAt: clock.now() });
      } catch (error) {
        // It ends with the server in any case; this is for what would outlive that.
        log.warn('a process could not be written down', { runId, node: visit.node, ...errorFields(error) });
      }
      fault('launch.noted');
    },
    onEvent: (event) => events.handle({ runId, node: visit.node, visitId: visit.visitId, sequence: visit.sequence }, event),
  });
  return true;
}

/** Short enough for a command line, where every terminal can have it. */
function told({ run: { input, visit }, cwd }: Prepared, prompt: string): string {
  return promptOrPointer(prompt, { workspace: cwd, name: `prompt-${visit.sequence}`, ticket: input.ticket.key, node: visit.node });
}

async function launchTerminal(shop: Workshop, prepared: Prepared, harness: TerminalHarness): Promise<boolean> {
  const { store, clock, runner: { terminals, name } } = shop;
  if (terminals === undefined) throw new RelayError('harness_rejected', `${harness.name} works in a terminal, and the runner ${name} has none.`, { hint: 'Use a runner with terminals, or a headless harness.' });
  const { run, run: { runId, visit }, place: { workspace } } = prepared;
  const title = titleAt(run, visit.node);
  const note = (handle: string): void => store.together(() => {
    store.setRuntime(runId, { node: visit.node, visit: visit.visitId, handle, process: null, launchedAt: clock.now() });
    const session = store.session(runId, visit.node)?.session;
    store.updateStep(runId, visit.sequence, { terminal: handle, ...(session === undefined ? {} : { session }) });
  });
  return await timed(shop, runId, 'runner', async () => {
    const known = store.runtime(runId, visit.node);
    const found = (known?.handle === undefined || known.handle === null ? undefined : await terminals.show({ handle: known.handle })) ?? (await terminals.find({ ...workspace, title }));
    if (found?.live === true) {
      // The same visit: what was launched is still at work.
      if (known === undefined || known.visit === visit.visitId) {
        note(found.handle);
        return true;
      }
      if (await sent(terminals, found.handle, told(prepared, promptFor(shop, prepared, 'feedback')), markOf(visit))) {
        note(found.handle);
        return true;
      }
    }
    if (found !== undefined) await terminals.close({ handle: found.handle });
    const first = launchOf(shop, prepared, store.session(runId, visit.node)?.session);
    const built = harness.buildCommand({ ...first, prompt: told(prepared, first.prompt) });
    const created = await terminals.create({ ...workspace, title, command: { file: built.file, args: built.args, env: { ...prepared.env, ...built.env } } });
    fault('launch.created');
    // At once: a crash from here on must find it.
    note(created.handle);
    fault('launch.noted');
    return true;
  });
}

/** Tells what is typed for a visit from all that is typed into the same terminal. Not the id of the visit, which stays inside the server. */
function markOf({ visitId }: Visit): string {
  return `relay-flow-${createHash('sha256').update(visitId).digest('hex').slice(0, 12)}`;
}

async function sent(terminals: Terminals, handle: string, text: string, mark: string): Promise<boolean> {
  try {
    // At its end: what can be seen of it was typed whole.
    await terminals.send({ handle, text: `${text}\n\n(${mark})`, mark });
    return true;
  } catch (error) {
    // One that is gone is replaced; a question of its program is for a person.
    if (error instanceof RelayError && error.code === 'runner_missing') return false;
    throw error;
  }
}
