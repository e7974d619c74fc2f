import { RelayError } from '../../errors/relay-error.js';
import type { StoredRun } from '../../store/rows.js';
import type { RunLogs } from '../api.js';
import type { Workshop } from '../workshop.js';
import { agentOutput, type OutputPlaces } from './agent-output.js';

const AT_ONCE = 1_000;
const LOOK_MS = 250;
const LONGEST_WAIT_MS = 30_000;

/** Where a reader is: the last entry of the run's own log, and how far each agent's output was read. */
interface Cursor {
  /** When the run began: one that was recovered has the same id, and a log that begins at its first entry again. */
  readonly begun: number;
  readonly entry: number;
  readonly places: OutputPlaces;
}

/** What happened in a run after a cursor, with what its agents wrote, by time. Waits for something if there is nothing yet. */
export async function runLogs(shop: Workshop, run: StoredRun, args: { readonly after: string | undefined; readonly waitMs: number; readonly signal: AbortSignal }): Promise<RunLogs> {
  const { store, clock, home } = shop;
  const cursor = readCursor(args.after, run.createdAt);
  const until = clock.now() + Math.min(LONGEST_WAIT_MS, Number.isFinite(args.waitMs) ? args.waitMs : 0);
  for (;;) {
    // Before the entries are read: what is written meanwhile is seen by the next call.
    const state = store.run(run.id)?.state;
    const over = state === undefined || state === 'completed' || state === 'canceled';
    const found = store.logs(run.id, cursor.entry, AT_ONCE);
    const nodes = new Map(store.steps(run.id).map(({ visit, node }) => [visit, node]));
    const output = await agentOutput({ home, runId: run.id, places: cursor.places, nodeOf: (visit) => nodes.get(visit) ?? null, ended: over });
    const ended = found.length + output.entries.length === 0 && over;
    if (found.length + output.entries.length > 0 || ended || clock.now() >= until || args.signal.aborted) {
      const engine = found.map(({ at, node, visit, text }) => ({ at: Number(at), node, nodeVisitId: visit, stream: 'engine' as const, text }));
      const next: Cursor = { begun: run.createdAt, entry: Number(found.at(-1)?.number ?? cursor.entry), places: output.places };
      return { runId: run.id, entries: [...engine, ...output.entries].toSorted((a, b) => a.at - b.at), next: Buffer.from(JSON.stringify(next)).toString('base64url'), ended };
    }
    await new Promise<void>((resolve) => void clock.setTimer(LOOK_MS, resolve));
  }
}

function readCursor(text: string | undefined, begun: number): Cursor {
  if (text === undefined) return { begun, entry: 0, places: {} };
  try {
    const { begun: at, entry, places } = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Partial<Cursor>;
    // What agents wrote before is still where it was, and was shown.
    if (typeof entry === 'number' && typeof places === 'object') return { begun, entry: at === begun ? entry : 0, places };
  } catch {
    // What follows says it.
  }
  throw new RelayError('request_invalid', 'The cursor is none that an earlier answer gave.', { hint: 'Leave `after` away to begin with the oldest entry.' });
}
