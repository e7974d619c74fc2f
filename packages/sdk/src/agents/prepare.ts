import { runFolder } from '../journal/step-files.js';
import type { AgentNotes, Beginning } from './continuation.js';
import { keepBaseline, readBaseline } from './directory/baseline.js';
import { resetDirectory, snapshotDirectory, type DirectorySnapshot, type Unavailable } from './directory/recovery.js';
import { snapshotTree, type TreeSnapshot } from './directory/tree-snapshot.js';
import type { AgentPlan } from './options.js';
import { directoryOf, placeOf, treeRequest, unreadable, type DirectoryOfStep } from './step-place.js';

/** A directory that is ready for an attempt. */
export interface Prepared {
  /** What it held before the first attempt. */
  readonly before: TreeSnapshot;
  readonly state: 'kept' | 'restored';
  readonly notes: Pick<AgentNotes, 'snapshot' | 'snapshotAt' | 'turns' | 'noSnapshot' | 'baseline'>;
}

export interface PrepareRequest extends DirectoryOfStep {
  readonly plan: AgentPlan;
  readonly begun: Pick<Beginning, 'kind'>;
  readonly notes: AgentNotes | undefined;
  /** The number of the step's turn in its directory. */
  readonly turn: number;
}

/** Brings the directory into the state its recovery mode asks for, and remembers what it holds before the first attempt. */
export async function prepareDirectory(request: PrepareRequest): Promise<Prepared> {
  const { notes, plan, begun } = request;
  const repeats = notes !== undefined && (begun.kind === 'again' || begun.kind === 'iteration');
  const restored = repeats && plan.recoveryMode === 'reset' && (await putBack(request, notes));
  const snapshotAt = notes === undefined ? request.attempt.clock.now() : notes.snapshotAt;
  const [snapshot, baseline] = await Promise.all([
    notes === undefined && plan.recoveryMode === 'reset' ? snapshotDirectory(placeOf(request)) : undefined,
    baselineOf(request),
  ]);
  return {
    before: baseline.tree,
    state: restored ? 'restored' : 'kept',
    notes: {
      turns: turnsOf(request), ...(snapshotAt === undefined ? {} : { snapshotAt }),
      ...(notes === undefined ? noted(snapshot) : noted(notes.snapshot, notes.noSnapshot)), ...(baseline.file === undefined ? {} : { baseline: baseline.file }),
    },
  };
}

/** The step's turns in its directory, this one included. */
function turnsOf({ notes, agents, turn }: PrepareRequest): NonNullable<AgentNotes['turns']> {
  const { token } = agents.agentSlots;
  if (notes?.turns?.of !== token) return { of: token, first: turn, own: 1 };
  const { first, own } = notes.turns;
  return { of: token, first, own: own + 1 };
}

function noted(snapshot: DirectorySnapshot | Unavailable | undefined, reason?: string): Pick<AgentNotes, 'snapshot' | 'noSnapshot'> {
  if (snapshot === undefined) return reason === undefined ? {} : { noSnapshot: reason };
  return 'unavailable' in snapshot ? { noSnapshot: snapshot.unavailable } : { snapshot };
}

async function baselineOf(request: PrepareRequest): Promise<{ readonly tree: TreeSnapshot; readonly file?: string }> {
  const { notes, attempt } = request;
  if (notes?.baseline !== undefined) {
    const tree = await readBaseline(notes.baseline);
    if (tree !== undefined) return { tree, file: notes.baseline };
  }
  try {
    const tree = await snapshotTree(treeRequest(request));
    const file = attempt.file('before.json');
    return (await keepBaseline(file, tree)) ? { tree, file } : { tree };
  } catch (error) {
    throw unreadable(error, request.directory);
  }
}

/** Who may have changed the directory since its snapshot was taken: taking it back would take their work with it. */
function othersSince({ attempt, directory, agents, turn }: PrepareRequest, notes: AgentNotes): string[] {
  const steps = attempt.stepsSince?.(notes.snapshotAt ?? 0) ?? [];
  const { turns } = notes;
  // Agents of one directory take turns: in this process it is known whether one came in between, of one that merely waited for its turn as well.
  const nobodyBetween = turns?.of === agents.agentSlots.token && turn === turns.first + turns.own;
  return steps.filter((step) => {
    const home = directoryOf(attempt, step);
    return home === undefined || (home === directory ? !nobodyBetween : home.startsWith(`${directory}/`) || directory.startsWith(`${home}/`));
  }).map(({ stepId }) => stepId);
}

async function putBack(request: PrepareRequest, notes: AgentNotes): Promise<boolean> {
  const { attempt, directory, agents, plan } = request;
  const goesOn = (why: string): boolean => {
    attempt.warn('recovery_inspect', `${attempt.stepId} goes on from what agent "${plan.name}" left: the directory was not reset, because ${why}.`);
    return false;
  };
  const neighbour = [...agents.agentSlots.directories].find((other) => other !== directory && (other.startsWith(`${directory}/`) || directory.startsWith(`${other}/`)));
  if (neighbour !== undefined) return goesOn(`another agent works in ${neighbour}`);
  const others = othersSince(request, notes);
  if (others.length > 0) return goesOn(`${others.join(', ')} may have worked in it since`);
  if (notes.snapshot === undefined) return goesOn(notes.noSnapshot ?? 'nothing is known of its state before');
  const ref = `refs/relayflow/abandoned/${runFolder(attempt.run.runId)}/${attempt.stepId}/${attempt.attempt - 1}`;
  const done = await resetDirectory({ ...placeOf(request), snapshot: notes.snapshot, ref });
  if ('unavailable' in done) return goesOn(done.unavailable);
  if (done.abandoned !== undefined) {
    const left = done.left.length === 0 ? '' : `; ${done.left.join('; ')}`;
    attempt.warn('recovery_reset', `${directory} was put back to what it was before ${attempt.stepId}; what the abandoned attempt left is kept in ${done.abandoned}${left}.`);
  }
  return true;
}
