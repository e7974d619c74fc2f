import type { StepFailure } from '../journal/port.js';
import type { JsonValue } from '../ports/json.js';
import type { AgentPlan } from './options.js';
import type { AgentAbilities } from './port.js';
import type { DirectorySnapshot } from './directory/recovery.js';

/** What an agent step keeps in its progress record, so that another attempt, perhaps of another process, can go on from it. */
export interface AgentNotes {
  /** Whole attempts, this one included, from 1. */
  readonly iteration: number;
  /** Connections lost so far. */
  readonly losses: number;
  /** The CLI has confirmed the session, so it can be continued. */
  readonly sessionSeen?: boolean;
  /** The directory before the first attempt. */
  readonly snapshot?: DirectorySnapshot;
  /** When it was taken, in milliseconds since the epoch. */
  readonly snapshotAt?: number;
  /** The turns of this step in its directory since then: of which slots, the number of the first, and how many. */
  readonly turns?: { readonly of: string; readonly first: number; readonly own: number };
  /** Why there is no snapshot although one was wanted. */
  readonly noSnapshot?: string;
  /** Where the content of the directory before the first attempt is kept. */
  readonly baseline?: string;
  /** The transcript of the latest attempt. */
  readonly transcript?: string;
  /** The folder that holds what the directory was before a turn whose writing is restricted and not compared yet. */
  readonly held?: string;
  /** What an attempt that was stopped had done against its permissions. */
  readonly violation?: StepFailure;
}

export function readNotes(extra: JsonValue | undefined): AgentNotes | undefined {
  return typeof extra === 'object' && extra !== null && !Array.isArray(extra) && typeof (extra as { readonly iteration?: unknown }).iteration === 'number'
    ? (extra as unknown as AgentNotes)
    : undefined;
}

/** How an attempt begins. */
export interface Beginning {
  readonly kind:
    /** Nothing happened before. */
    | 'first'
    /** The conversation goes on where it was cut off; the directory is what it knows. */
    | 'continue'
    /** A lost attempt is made again without its conversation. */
    | 'again'
    /** The attempt before ended in an error; this is another whole one. */
    | 'iteration';
  readonly iteration: number;
  readonly losses: number;
  /** The session to continue; absent for a new one. */
  readonly resume?: string;
}

/** Decides how an attempt begins. Pure. */
export function beginning(facts: {
  readonly plan: Pick<AgentPlan, 'resume'>;
  readonly abilities: Pick<AgentAbilities, 'resume'>;
  readonly notes: AgentNotes | undefined;
  readonly sessionId: string | undefined;
  /** The attempt before was lost with its process. */
  readonly resumed: boolean;
  readonly previousFailure: StepFailure | undefined;
}): Beginning {
  const { plan, notes } = facts;
  const asked = plan.resume === undefined ? {} : { resume: plan.resume };
  if (notes === undefined) return { kind: 'first', iteration: 1, losses: 0, ...asked };
  const lostConnection = facts.previousFailure?.code === 'crashed' && !startsIteration(facts.previousFailure);
  if (!facts.resumed && !lostConnection) return { kind: 'iteration', iteration: notes.iteration + 1, losses: notes.losses, ...asked };
  const losses = notes.losses + (lostConnection ? 1 : 0);
  if (facts.abilities.resume !== 'no' && facts.sessionId !== undefined && notes.sessionSeen === true) {
    return { kind: 'continue', iteration: notes.iteration, losses, resume: facts.sessionId };
  }
  return { kind: 'again', iteration: notes.iteration, losses, ...asked };
}

/** Failures that another whole attempt may mend. The others would only cost again: limits, sign-in, models, people. */
const WORTH_ANOTHER = new Set(['worker_error', 'crashed', 'provider_unavailable']);
const LONGEST_DELAY_MS = 30_000;

/**
 * Whether a failed attempt is followed by another. A lost connection uses a transport retry while there are any, then it counts as an iteration;
 * any other failure is an iteration. Pure: what was used up stands in the failure's evidence.
 */
export function retryAgent(plan: Pick<AgentPlan, 'maxIterations' | 'transportRetries' | 'recoveryMode'>, failure: StepFailure): { readonly delayMs: number } | undefined {
  if (plan.recoveryMode === 'manual' || !WORTH_ANOTHER.has(failure.code)) return undefined;
  const { iteration, losses } = usedUp(failure);
  if (failure.code === 'crashed' && losses < plan.transportRetries) return { delayMs: Math.min(LONGEST_DELAY_MS, 1_000 * 2 ** losses) };
  return iteration < plan.maxIterations ? { delayMs: 0 } : undefined;
}

/** What {@link retryAgent} and the attempt after this one have to know of it. */
export function evidenceOf(plan: Pick<AgentPlan, 'maxIterations' | 'transportRetries'>, begun: Pick<Beginning, 'iteration' | 'losses'>) {
  return { iteration: begun.iteration, losses: begun.losses, maxIterations: plan.maxIterations, transportRetries: plan.transportRetries };
}

function usedUp(failure: StepFailure): { readonly iteration: number; readonly losses: number } {
  const { iteration, losses } = (failure.evidence ?? {}) as { readonly iteration?: number; readonly losses?: number };
  return { iteration: iteration ?? 1, losses: losses ?? 0 };
}

function startsIteration(failure: StepFailure): boolean {
  const { losses, transportRetries } = (failure.evidence ?? {}) as { readonly losses?: number; readonly transportRetries?: number };
  return losses !== undefined && transportRetries !== undefined && losses >= transportRetries;
}

/** Said before the task when an interrupted conversation goes on. */
export const INTERRUPTED = 'The previous turn was interrupted; check what is done before changing anything.';

/** What the agent is told. The task itself stands last, byte for byte. */
export function instruction(told: { readonly kind: Beginning['kind']; readonly task: string; readonly transcript: string; readonly directory: 'kept' | 'restored' }): string {
  if (told.kind === 'continue') return `${INTERRUPTED}\n\n${told.task}`;
  if (told.kind !== 'again' || told.transcript === '') return told.task;
  const state = told.directory === 'restored'
    ? 'Its changes were taken back and put aside: the files are what they were before it began.'
    : 'Its changes are still there; check what is done before changing anything.';
  return `An earlier attempt at this task was interrupted. ${state} The end of its transcript:\n\n${told.transcript}\n\nThe task:\n\n${told.task}`;
}
