import type { ProcessIdentity } from './identity.js';
import { descend, NOTHING_FOUND, type SweepResult } from './ladder.js';
import { ofRun, ofStep, type ScopeTest } from './marker.js';
import type { StepMarker } from './port.js';
import { processTable, type MarkedEntry, type ProcessEntry } from './process-table.js';
import { exists, send } from './signals.js';

/** Milliseconds between TERM and KILL for a group. */
export const GROUP_GRACE_MS = 5_000;
/** The same for survivors found by their environment: their step has ended, so they had their time. */
export const MARKED_GRACE_MS = 1_000;

/** Several sweeps share one look at the system for so many milliseconds, or for so many times as long as it took. */
const SHARED_MS = 5;
const SHARED_TIMES = 4;

/**
 * Stops every process of one attempt of a step that is alive, wherever it went: found by the marker in its environment. This process and its
 * ancestors are never touched. A process that cleared its environment is not found.
 */
export async function sweepStep(marker: StepMarker, options: { readonly graceMs?: number } = {}): Promise<SweepResult> {
  return await sweepMarked(ofStep(marker), options.graceMs ?? MARKED_GRACE_MS, await markedSnapshot.turn());
}

/** The same for every process of a run, of all its steps and of the flows they started: when a run ends, parks, is canceled or taken over. */
export async function sweepRun(runId: string, options: { readonly graceMs?: number } = {}): Promise<SweepResult> {
  return await sweepMarked(ofRun(runId), options.graceMs ?? MARKED_GRACE_MS, await markedSnapshot.turn());
}

/**
 * Stops a process group by the identity its leader was recorded with, for a step that was in flight when its host died. Does nothing when the number
 * belongs to somebody else by now: another boot or namespace, a leader with another start time, or, where the leader is gone, a group in which
 * nobody carries a marker (of run `runId`, when that is given).
 */
export async function sweepGroup(identity: ProcessIdentity, options: { readonly runId?: string; readonly graceMs?: number } = {}): Promise<SweepResult> {
  if (identity.bootId !== processTable.bootId() || identity.pid <= 1 || !exists(-identity.pid)) return NOTHING_FOUND;
  const leader = processTable.find(identity.pid);
  if (leader === undefined) {
    const ours = options.runId === undefined ? () => true : ofRun(options.runId);
    if (!processTable.marked().some((entry) => entry.group === identity.pid && ours(entry.scope))) return NOTHING_FOUND;
  } else if (leader === 'hidden' || leader.startTime !== identity.startTime) {
    return NOTHING_FOUND;
  }
  return await stopGroup(identity.pid, options.graceMs ?? GROUP_GRACE_MS, performance.now());
}

/**
 * Stops a group that is known to be ours. The first TERM is sent before the call returns.
 *
 * @param since when its leader existed already (`performance.now()`); what was seen of the system from then on is good enough.
 */
export function stopGroup(group: number, graceMs: number, since: number): Promise<SweepResult> {
  return descend({
    find: () => (exists(-group) ? without(lineage(), snapshot.since(since).filter((entry) => entry.group === group)) : []),
    signal(signal, processes, all) {
      // At once, so that nobody forks away in between; unless we are in it ourselves.
      if (all && !snapshot.since(since).some((entry) => entry.group === group && lineage().has(entry.pid))) send(-group, signal);
      else signalEach(signal, processes);
    },
    graceMs,
  });
}

/** Stops everything whose scope passes a test. `since` as for a group. */
export function sweepMarked(test: ScopeTest, graceMs: number, since: number): Promise<SweepResult> {
  return descend({ find: () => findMarked(test, since), signal: signalEach, graceMs });
}

/** KILL for everything whose scope passes a test, without waiting. Answers how many there were. */
export function killMarkedNow(test: ScopeTest): number {
  const found = findMarked(test, performance.now());
  signalEach('SIGKILL', found);
  return found.length;
}

function findMarked(test: ScopeTest, since: number): readonly ProcessEntry[] {
  const found = markedSnapshot.since(since).filter((entry) => test(entry.scope));
  return found.length === 0 ? found : without(lineage(), found);
}

/** Looks at each again first: its number may have been given to another process. */
function signalEach(signal: NodeJS.Signals, processes: readonly ProcessEntry[]): void {
  for (const { pid, startTime } of processes) {
    const now = processTable.find(pid);
    if (now !== undefined && now !== 'hidden' && now.startTime === startTime) send(pid, signal);
  }
}

function without(protectedPids: ReadonlySet<number>, entries: readonly ProcessEntry[]): readonly ProcessEntry[] {
  return entries.filter(({ pid }) => !protectedPids.has(pid));
}

/** This process and its ancestors. */
function lineage(): ReadonlySet<number> {
  const parents = new Map(snapshot.since(0).map(({ pid, parent }) => [pid, parent]));
  const found = new Set<number>();
  for (let pid: number | undefined = process.pid; pid !== undefined && pid > 0 && !found.has(pid); pid = parents.get(pid)) found.add(pid);
  return found;
}

interface SharedLook<T> {
  /** What was seen at or after a time of `performance.now()`. It may be old: for who was there one asks again, and only a look that finds nobody says that nobody was started meanwhile. */
  since(time: number): T;
  /** Waits until it is fair to look again, and answers with that time. Who waits together shares the look. */
  turn(): Promise<number>;
}

/** Looks at the system now and then, however many sweeps ask: hundreds of runs may end at once. */
function shared<T>(look: () => T): SharedLook<T> {
  let last: { readonly at: number; readonly until: number; readonly answer: T } | undefined;
  let turn: Promise<number> | undefined;
  return {
    since(time) {
      const now = performance.now();
      if (last !== undefined && last.at >= time && now < last.until) return last.answer;
      const answer = look();
      const end = performance.now();
      last = { at: now, until: end + Math.max(SHARED_MS, (end - now) * SHARED_TIMES), answer };
      return answer;
    },
    turn: () =>
      (turn ??= new Promise((resolve) => {
        setTimeout(() => {
          turn = undefined;
          resolve(performance.now());
        }, Math.max(0, (last?.until ?? 0) - performance.now()));
      })),
  };
}

const snapshot = shared((): readonly ProcessEntry[] => processTable.all());
const markedSnapshot = shared((): readonly MarkedEntry[] => processTable.marked());
