import { processTable, type ProcessEntry } from './process-table.js';

/** What was stopped, and what is alive all the same. */
export interface SweepResult {
  readonly stopped: readonly { readonly pid: number; readonly command: string }[];
  /** Alive after KILL: in an uninterruptible sleep, or of another user. */
  readonly survivors: readonly number[];
}

export const NOTHING_FOUND: SweepResult = Object.freeze({ stopped: Object.freeze([]), survivors: Object.freeze([]) });

export interface Ladder {
  /** The processes to stop that were alive at some look at the system: the next answer may be of the same look. Nobody, when that look found nobody. */
  readonly find: () => readonly ProcessEntry[];
  /** `all`: everything `find` would answer; otherwise those named. */
  readonly signal: (signal: NodeJS.Signals, processes: readonly ProcessEntry[], all: boolean) => void;
  /** Milliseconds between TERM and KILL. */
  readonly graceMs: number;
}

/** How long KILL may take to show. */
const KILL_MS = 5_000;
const FIRST_POLL_MS = 2;
const LONGEST_POLL_MS = 50;

/**
 * The one way in which processes are stopped: TERM, grace, KILL, and looking again until nobody is left. What appears on the way is told as well.
 * The first TERM is sent before the call returns.
 */
export async function descend({ find, signal, graceMs }: Ladder): Promise<SweepResult> {
  const seen = new Map<string, { readonly pid: number; readonly command: string }>();
  let poll = FIRST_POLL_MS;

  // That all who were found are gone is no end: the last of them may have started another meanwhile, whom only the next look at the system finds.
  const look = (): { readonly found: boolean; readonly present: readonly ProcessEntry[]; readonly fresh: readonly ProcessEntry[] } => {
    const all = find();
    const present = all.filter(isThere);
    const fresh = present.filter((entry) => !seen.has(keyOf(entry)));
    for (const entry of fresh) seen.set(keyOf(entry), { pid: entry.pid, command: processTable.command(entry.pid) });
    return { found: all.length > 0, present, fresh };
  };
  const pause = async (until: number): Promise<void> => {
    await new Promise((resolve) => {
      setTimeout(resolve, Math.max(1, Math.min(poll, until - performance.now())));
    });
    poll = Math.min(poll * 2, LONGEST_POLL_MS);
  };
  // A process without a command line has given its memory back: it was ending by itself when it was seen, and nobody left it running.
  const result = (survivors: readonly ProcessEntry[]): SweepResult => {
    const stopped = [...seen.values()].filter(({ command }) => command !== '');
    return stopped.length + survivors.length === 0 ? NOTHING_FOUND : { stopped, survivors: survivors.map(({ pid }) => pid) };
  };

  let { found, present, fresh } = look();
  if (!found) return NOTHING_FOUND;
  if (present.length > 0) {
    signal('SIGTERM', present, true);
    // A stopped process acts on TERM only once it continues.
    signal('SIGCONT', present, true);
  }
  for (const until = performance.now() + graceMs; performance.now() < until;) {
    await pause(until);
    ({ found, present, fresh } = look());
    if (!found) return result([]);
    if (fresh.length > 0) signal('SIGTERM', fresh, false);
  }

  poll = FIRST_POLL_MS;
  for (const until = performance.now() + KILL_MS; performance.now() < until;) {
    if (present.length > 0) signal('SIGKILL', present, true);
    await pause(until);
    ({ found, present } = look());
    if (!found) break;
  }
  return result(present);
}

/** What was seen of the system may be older than the last signal: on a busy machine by seconds. */
function isThere({ pid, startTime }: ProcessEntry): boolean {
  const now = processTable.find(pid);
  return now === 'hidden' || now?.startTime === startTime;
}

function keyOf(entry: ProcessEntry): string {
  return `${entry.pid}@${entry.startTime}`;
}
