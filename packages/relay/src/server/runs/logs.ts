import type { StoredRun } from '../../store/rows.js';
import type { RunLogs } from '../api.js';
import type { Workshop } from '../workshop.js';

const AT_ONCE = 1_000;
const LOOK_MS = 250;
const LONGEST_WAIT_MS = 30_000;

/** What happened in a run after a cursor, waiting for something if there is nothing yet. */
export async function runLogs(shop: Workshop, run: StoredRun, args: { readonly after: string | undefined; readonly waitMs: number; readonly signal: AbortSignal }): Promise<RunLogs> {
  const { store, clock } = shop;
  const after = Number(args.after ?? 0);
  const until = clock.now() + Math.min(LONGEST_WAIT_MS, Number.isFinite(args.waitMs) ? args.waitMs : 0);
  for (;;) {
    const found = store.logs(run.id, Number.isFinite(after) ? after : 0, AT_ONCE);
    const state = store.run(run.id)?.state;
    const ended = found.length < AT_ONCE && (state === undefined || state === 'completed' || state === 'canceled');
    if (found.length > 0 || ended || clock.now() >= until || args.signal.aborted) {
      return {
        runId: run.id,
        entries: found.map(({ at, node, visit, text }) => ({ at: Number(at), node, nodeVisitId: visit, stream: 'engine', text })),
        next: String(found.at(-1)?.number ?? after),
        ended,
      };
    }
    await new Promise<void>((resolve) => clock.setTimer(LOOK_MS, resolve));
  }
}
