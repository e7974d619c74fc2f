import { RelayError } from '../../errors/relay-error.js';
import type { HostEnvironment } from '../inherited-environment.js';
import { systemClock, type Clock } from './clock.js';
import { Places } from './places.js';
import { hostProcesses, markerRun, type ProcessPort } from './processes.js';
import { deliver } from './deliver.js';
import type { HeadlessProcess, HeadlessState, HeadlessVisit } from './visit.js';
import { workVisit, type Workplace } from './work-visit.js';

export interface HeadlessRunnerOptions {
  /** The home of relay-flow. The output of a turn goes to `logs/<run>/<visit>/turn-<n>.{out,err}` in it. */
  readonly home: string;
  /** The environment of the server. */
  readonly env: HostEnvironment;
  /** Default: real ones, which end with this process however it ends. */
  readonly processes?: ProcessPort;
  /** How many processes may work at once; other visits wait in line. Default 4. */
  readonly maxProcesses?: number;
  /** The limit of one turn; 0: none. Default 120. */
  readonly timeoutMinutes?: number;
  /** Milliseconds between TERM and KILL. Default 5,000. */
  readonly graceMs?: number;
  /** Milliseconds that a process may go on after its turn had a result. Default 30,000. */
  readonly resultGraceMs?: number;
  /** Default: that of the system. */
  readonly clock?: Clock;
}

/** Has headless harnesses work at visits: processes of the server, which end with it. */
export interface HeadlessRunner {
  /** Begins to work at a visit; does nothing when that is so already and its last event has not come yet. Throws `run_conflict` while another visit of the same key is worked at. */
  start(visit: HeadlessVisit): { readonly started: boolean };
  /** `undefined`: nobody works at a visit of this key. */
  live(key: string): HeadlessState | undefined;
  /** Ends the work at a visit and every process of it (TERM, grace, KILL, and what left the group). Afterwards there are no events. Nothing to stop is a success. */
  stop(key: string): Promise<void>;
  /** Ends what is left of a visit that an earlier server worked at. May happen twice. Throws `harness_unavailable` when something survives KILL. */
  reap(left: Pick<HeadlessProcess, 'runId' | 'visitId'> & Partial<HeadlessProcess>): Promise<void>;
  /** Stops everything; nothing can be started afterwards. */
  close(): Promise<void>;
}

interface Work {
  readonly visitId: string;
  state: HeadlessState;
  readonly abort: AbortController;
  /** Its last event is being told: whoever hears of it may begin what comes next before it has said that it did. */
  ending: boolean;
  done: Promise<void>;
}

export function createHeadlessRunner(options: HeadlessRunnerOptions): HeadlessRunner {
  const { home, env, processes = hostProcesses, maxProcesses = 4, timeoutMinutes = 120, graceMs = 5_000, resultGraceMs, clock = systemClock } = options;
  const workplace: Workplace = {
    home, hostEnv: env, processes, clock, graceMs,
    places: new Places(maxProcesses),
    ...(timeoutMinutes === 0 ? {} : { timeoutMs: timeoutMinutes * 60_000 }),
    ...(resultGraceMs === undefined ? {} : { resultGraceMs }),
  };
  const works = new Map<string, Work>();
  let closed = false;

  const stop = async (key: string): Promise<void> => {
    const work = works.get(key);
    work?.abort.abort();
    await work?.done;
  };

  const bring = async (visit: HeadlessVisit, work: Work): Promise<void> => {
    const { signal } = work.abort;
    const last = await workVisit(workplace, { visit, signal, onState: (state) => void (work.state = state) });
    work.ending = true;
    if (last !== undefined) await deliver(last, { visit, signal, clock });
    if (works.get(visit.key) === work) works.delete(visit.key);
  };

  return {
    start(visit) {
      if (closed) throw new RelayError('server_unreachable', 'The server is stopping, so no agent is started.');
      const present = works.get(visit.key);
      if (present?.visitId === visit.visitId && !present.ending && !present.abort.signal.aborted) return { started: false };
      if (present?.ending === false) throw new RelayError('run_conflict', `An agent still works at an earlier visit of ${visit.launch.title}.`);
      const work: Work = { visitId: visit.visitId, state: 'queued', abort: new AbortController(), ending: false, done: Promise.resolve() };
      works.set(visit.key, work);
      work.done = bring(visit, work);
      return { started: true };
    },
    live: (key) => works.get(key)?.state,
    stop,
    async reap({ runId, visitId, identity }) {
      const run = markerRun({ home, runId, visitId });
      const group = identity === undefined ? undefined : await processes.sweepGroup(identity, { runId: run, graceMs });
      const rest = await processes.sweepRun(run, { graceMs });
      const survivors = [...new Set([...(group?.survivors ?? []), ...rest.survivors])];
      if (survivors.length > 0) throw new RelayError('harness_unavailable', `Processes of an agent that an earlier server started cannot be ended: ${survivors.join(', ')}.`, { hint: 'End them by hand; the next try goes on.', evidence: { survivors } });
    },
    async close() {
      closed = true;
      await Promise.all([...works.keys()].map(stop));
    },
  };
}
