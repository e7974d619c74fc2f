import type { ProcessIdentity } from '@relayflows/sdk/process';
import { RelayError } from '../../errors/relay-error.js';
import { inheritedEnvironment, type HostEnvironment } from '../inherited-environment.js';
import type { HeadlessHarness, Launch, TurnEnd } from '../port.js';
import { markerOf, type ProcessPort } from './processes.js';
import type { TurnLog } from './turn-log.js';

/** A turn to be run as a process. */
export interface TurnProcess {
  /** The home of relay-flow. */
  readonly home: string;
  readonly runId: string;
  readonly visitId: string;
  readonly harness: HeadlessHarness;
  readonly launch: Launch;
  readonly log: TurnLog;
  readonly hostEnv: HostEnvironment;
  readonly processes: ProcessPort;
  readonly graceMs: number;
  /** Default 30,000. */
  readonly resultGraceMs?: number;
  /** Absent: none. */
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
  readonly onSpawn: (identity: ProcessIdentity) => void;
  /** Called with the session whenever the output names another one. */
  readonly onSession: (sessionId: string) => void;
}

/** The log of one stream is cut at so many bytes. */
const LOG_BYTES = 64 * 1024 * 1024;
/** How long a process may go on after the turn had its result: some wait for background work that never ends. */
const RESULT_GRACE_MS = 30_000;

/**
 * Runs one turn and reads it. `undefined` when it was stopped through `signal`. Nothing that it started is alive afterwards. Throws a `RelayError` when it
 * cannot be started, unless another try might help.
 */
export async function runTurn(turn: TurnProcess): Promise<TurnEnd | undefined> {
  const { harness, launch, log, signal } = turn;
  const call = harness.buildTurn(launch);
  let grace: NodeJS.Timeout | undefined;
  let session = launch.sessionId;
  const read = (line: string): void => {
    call.reader.line(line);
    const named = call.reader.session?.();
    if (named !== undefined && named !== session) turn.onSession((session = named));
    const done = call.reader.done?.() === true;
    if (!done) {
      clearTimeout(grace);
      grace = undefined;
    } else {
      grace ??= setTimeout(() => child.stop('outcome_known'), turn.resultGraceMs ?? RESULT_GRACE_MS);
    }
  };
  const child = turn.processes.supervise({
    file: call.file,
    args: call.args,
    cwd: launch.cwd,
    // What the server says about the run wins over the harness, and both over what the server was started with.
    env: { ...inheritedEnvironment(turn.hostEnv), ...call.env, ...launch.env },
    marker: markerOf(turn, log.turn),
    input: call.stdin,
    graceMs: turn.graceMs,
    ...(turn.timeoutMs === undefined ? {} : { timeoutMs: turn.timeoutMs }),
    signal,
    sweep: 'environment',
    stdout: { retainBytes: 0, logPath: log.outPath, logBytes: LOG_BYTES, onRawLine: read },
    stderr: { retainBytes: 0, logPath: log.errPath, logBytes: LOG_BYTES },
    onSpawn: turn.onSpawn,
  });
  const outcome = await child.outcome;
  clearTimeout(grace);
  if (outcome.spawnError?.transient === true) return { failure: `The agent could not be started: ${outcome.spawnError.message}.` };
  if (outcome.spawnError !== undefined) throw notStarted(turn, outcome.spawnError);
  if (signal.aborted || outcome.stopped === 'canceled' || outcome.stopped === 'host_exit') return undefined;
  const end = call.reader.end({
    ...(outcome.exitCode === undefined ? {} : { exitCode: outcome.exitCode }),
    ...(outcome.signal === undefined ? {} : { signal: outcome.signal }),
  });
  if (outcome.stopped === 'timeout') return { ...sessionOf(end), failure: `The agent was stopped after ${Math.round((turn.timeoutMs ?? 0) / 60_000)} minutes, the limit of one turn.` };
  return end;
}

function sessionOf({ sessionId }: TurnEnd): TurnEnd {
  return sessionId === undefined ? {} : { sessionId };
}

function notStarted({ harness, launch: { title } }: TurnProcess, error: { readonly code: string; readonly message: string; readonly missing?: string }): RelayError {
  const text = `The agent of ${title} could not be started by the harness ${harness.name}: ${error.message}.`;
  const evidence = { code: error.code };
  if (error.missing === 'directory') return new RelayError('runner_missing', text, { hint: 'The workspace of the ticket is gone; the runner makes it again at the next try.', evidence });
  if (error.missing === undefined) return new RelayError('harness_unavailable', text, { evidence });
  return new RelayError('harness_missing', text, { hint: 'Install it, or put it on the PATH of the server, and start the server again.', evidence });
}
