import type { RunOptions } from '@relayflows/surface';
import type { Outcome, StepFailure } from '../journal/port.js';
import type { JsonValue } from '../ports/json.js';
import { stepEnvironment } from '../process/environment.js';
import { checkEnvironmentValues } from '../process/environment-values.js';
import type { ProcessOutcome } from '../process/port.js';
import { checkStepDirectory } from '../process/step-directory.js';
import { formatDuration, parseDuration, RUN_TIMEOUT_DEFAULT, RUN_TIMEOUT_MAX } from '../run/duration.js';
import type { AttemptContext, AttemptResult, StepSpec } from '../run/step-spec.js';
import { assertKnownOptions, invalidOption, oneOf } from './options.js';

/** The value of a step keeps the last so many bytes of each stream; the rest is in the log file. */
const RETAINED_BYTES = 1024 * 1024;
/** What failures quote of each stream, in characters from the end. */
const TAIL = 4_000;
/** A process is recorded once it has lived so many milliseconds: a younger one is found by its marker, and most steps are over by then. */
const YOUNG_MS = 100;
const LONGEST_BACKOFF_MS = 5 * 60_000;
const DEFAULT_BACKOFF_MS = 1_000;

interface Normalized {
  readonly command: string;
  readonly timeoutMs: number;
  readonly onNonZero: 'fail' | 'record';
  readonly onTimeout: 'fail' | 'record';
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly secrets: 'inherit' | 'scrub';
  readonly keep: readonly string[];
  readonly attempts: number;
  readonly backoffMs: number;
  readonly onCrash: 'rerun' | 'fail' | 'park';
}

const OPTIONS = ['timeout', 'onNonZero', 'env', 'cwd', 'onTimeout', 'retry', 'secrets', 'keep', 'onCrash'];

/** `f.run`: a shell command as a step. Throws at the call for options it does not accept. */
export function lowerRun(command: string, options: RunOptions = {}): StepSpec {
  const step = normalize(command, options);
  return {
    kind: 'run',
    request: requestOf(step),
    action: {
      mode: 'effect',
      onCrash: step.onCrash,
      timeoutMs: step.timeoutMs,
      retry: (failure, attempt) => (attempt < step.attempts && retriable(failure) ? { delayMs: Math.min(LONGEST_BACKOFF_MS, step.backoffMs * 2 ** (attempt - 1)) } : undefined),
      execute: (attempt) => execute(step, attempt),
    },
  };
}

function normalize(command: string, options: RunOptions): Normalized {
  if (typeof command !== 'string' || command.trim() === '') throw invalidOption('f.run', 'the command is empty', 'Give f.run() a shell command.');
  if (command.includes('\0')) throw invalidOption('f.run', 'the command contains a NUL character', 'Remove it: no shell can read it.');
  assertKnownOptions('f.run', options, OPTIONS);
  const onNonZero = oneOf('f.run', 'onNonZero', options.onNonZero, ['fail', 'record'], 'fail');
  const onTimeout = oneOf('f.run', 'onTimeout', options.onTimeout, ['fail', 'record'], 'fail');
  if (onTimeout === 'record' && onNonZero !== 'record') throw invalidOption('f.run', "onTimeout: 'record' needs onNonZero: 'record'", 'Record both, or neither.');
  const env: Readonly<Record<string, string>> = options.env ?? {};
  checkEnvironmentValues(env);
  if (options.cwd !== undefined) checkStepDirectory({ cwd: options.cwd });
  const secrets = oneOf('f.run', 'secrets', options.secrets, ['inherit', 'scrub'], 'inherit');
  const { retry } = options;
  if (retry !== undefined && (typeof retry !== 'object' || retry === null)) throw invalidOption('f.run', 'retry is not an object', 'Write retry: { attempts: 3, backoff: "2s" }.');
  if (retry !== undefined) assertKnownOptions('f.run retry', retry, ['attempts', 'backoff']);
  const attempts = retry?.attempts ?? 1;
  if (!Number.isSafeInteger(attempts) || attempts < 1 || attempts > 1_000) throw invalidOption('f.run', `retry.attempts is ${String(attempts)}`, 'Give the number of attempts in total, from 1 to 1,000.');
  return {
    command, onNonZero, onTimeout, env, attempts,
    cwd: options.cwd,
    timeoutMs: options.timeout === undefined ? RUN_TIMEOUT_DEFAULT : parseDuration(options.timeout, { what: 'the timeout of f.run', max: RUN_TIMEOUT_MAX }),
    secrets,
    keep: keptNames(options.keep, secrets),
    backoffMs: retry?.backoff === undefined ? DEFAULT_BACKOFF_MS : parseDuration(retry.backoff, { what: 'the backoff of f.run', min: 0, max: LONGEST_BACKOFF_MS }),
    onCrash: oneOf('f.run', 'onCrash', options.onCrash, ['rerun', 'fail', 'park'], 'rerun'),
  };
}

function keptNames(keep: unknown, secrets: 'inherit' | 'scrub'): readonly string[] {
  if (keep === undefined) return [];
  if (!Array.isArray(keep) || !keep.every((name) => typeof name === 'string' && /^[A-Za-z_]\w*$/.test(name))) {
    throw invalidOption('f.run', 'keep is no list of names of variables', "Write keep: ['NPM_TOKEN'].");
  }
  if (keep.length > 0 && secrets !== 'scrub') throw invalidOption('f.run', "keep needs secrets: 'scrub'", 'Without it, every variable is kept.');
  return keep as readonly string[];
}

/** Everything that changes the effect; defaults are left out, so that a later default does not change a recorded step. */
function requestOf(step: Normalized): JsonValue {
  return {
    command: step.command,
    ...(step.onNonZero === 'record' ? { onNonZero: 'record' } : {}),
    ...(step.onTimeout === 'record' ? { onTimeout: 'record' } : {}),
    ...(step.timeoutMs === RUN_TIMEOUT_DEFAULT ? {} : { timeout: step.timeoutMs }),
    ...(Object.keys(step.env).length === 0 ? {} : { env: step.env }),
    ...(step.cwd === undefined ? {} : { cwd: step.cwd }),
    ...(step.secrets === 'scrub' ? { secrets: 'scrub' } : {}),
    ...(step.keep.length === 0 ? {} : { keep: step.keep }),
    ...(step.attempts === 1 ? {} : { retry: { attempts: step.attempts, backoff: step.backoffMs } }),
    ...(step.onCrash === 'rerun' ? {} : { onCrash: step.onCrash }),
  };
}

async function execute(step: Normalized, attempt: AttemptContext): Promise<AttemptResult> {
  const cwd = attempt.directory({ cwd: step.cwd });
  const timeoutMs = attempt.timeoutMs ?? step.timeoutMs;
  const stream = (name: 'stdout' | 'stderr') => ({
    redaction: attempt.redact.stream(),
    retainBytes: RETAINED_BYTES,
    logPath: attempt.file(`${name}.log`),
    onText: (text: string) => attempt.output(name, text),
  });
  const process = attempt.shell.run({
    command: step.command,
    cwd,
    env: stepEnvironment({ host: attempt.run.hostEnv, secrets: step.secrets, keep: step.keep, env: step.env, runVariables: { RELAYFLOW_DATA_DIR: attempt.run.dataDir } }),
    marker: attempt.marker,
    timeoutMs,
    signal: attempt.signal,
    sweep: 'group',
    stdout: stream('stdout'),
    stderr: stream('stderr'),
  });
  const note = attempt.clock.setTimer(YOUNG_MS, () => {
    if (process.identity !== undefined) attempt.progress({ processes: [process.identity] });
  });
  const ended = await process.outcome;
  note.cancel();
  warnAbout(ended, attempt);
  const last = (attempt.previous?.failures ?? 0) + 1 >= step.attempts;
  const outcome = outcomeOf(step, ended, { stepId: attempt.stepId, cwd, timeoutMs, last });
  // The output is redacted; a failure also quotes the command, which is not.
  return { outcome, ...(outcome.ok ? { redacted: true } : {}), ...(ended.exitCode === undefined ? {} : { exitCode: ended.exitCode }) };
}

function warnAbout(ended: ProcessOutcome, attempt: AttemptContext): void {
  if (ended.leftRunning.length > 0) {
    const names = ended.leftRunning.map(({ pid, command }) => `${attempt.redact.text(command)} (${pid})`).join(', ');
    attempt.warn('left_running', `${attempt.stepId} left processes running, which were stopped with it: ${names}.`);
  }
  if (ended.survivors.length > 0) attempt.warn('survivors', `${attempt.stepId} left processes that cannot be stopped: ${ended.survivors.join(', ')}.`);
  if (ended.stdout.logCut === 'write_failed' || ended.stderr.logCut === 'write_failed') {
    attempt.warn('log_incomplete', `The log of ${attempt.stepId} could not be written to its end; the disk may be full.`);
  }
}

/** What a finished process means for the step. A failure is recorded as a value only at the `last` attempt: another may still succeed. Pure. */
export function outcomeOf(step: Pick<Normalized, 'command' | 'onNonZero' | 'onTimeout'>, ended: ProcessOutcome, at: { readonly stepId: string; readonly cwd: string; readonly timeoutMs: number; readonly last: boolean }): Outcome {
  const evidence = {
    command: step.command,
    cwd: at.cwd,
    ...(ended.exitCode === undefined ? {} : { exitCode: ended.exitCode }),
    ...(ended.signal === undefined ? {} : { signal: ended.signal }),
    ...(ended.stdout.text === '' ? {} : { stdoutTail: ended.stdout.text.slice(-TAIL) }),
    ...(ended.stderr.text === '' ? {} : { stderrTail: ended.stderr.text.slice(-TAIL) }),
    ...(ended.stdout.logPath === undefined ? {} : { stdoutLog: ended.stdout.logPath }),
    ...(ended.stderr.logPath === undefined ? {} : { stderrLog: ended.stderr.logPath }),
  };
  const fail = (code: string, text: string, completionReason: string, hint: string): Outcome => ({ ok: false, error: { code, text, hint, completionReason, evidence } });
  if (ended.spawnError !== undefined) {
    return fail('spawn_failed', `${at.stepId} could not be started: ${ended.spawnError.message}.`, 'worker_error', ended.spawnError.transient ? 'The machine was out of a resource; try again.' : 'Check the directory and the shell.');
  }
  if (ended.stopped === 'timeout') {
    if (step.onTimeout === 'record' && at.last) return { ok: true, value: { ...recorded(ended, 124), timedOut: true } };
    return fail('lease_exceeded', `${at.stepId} was stopped after ${formatDuration(at.timeoutMs)}.`, 'timeout', 'Give the step a longer timeout, or make the command faster.');
  }
  if (ended.stopped !== undefined) return fail('canceled', `${at.stepId} was stopped.`, 'canceled', 'Resume the run to repeat it.');
  if (ended.exitCode === undefined) {
    return fail('crashed', `${at.stepId} was ended by ${ended.signal ?? 'an unknown cause'}.`, 'crashed', 'Something outside the flow stopped the command; look at the machine (out of memory?) and resume or run again.');
  }
  if (step.onNonZero === 'record' && (ended.exitCode === 0 || at.last)) return { ok: true, value: recorded(ended, ended.exitCode) };
  if (ended.exitCode !== 0) {
    return fail('step_failed', `${at.stepId} ended with exit status ${ended.exitCode}.`, 'retries_exhausted', "Mend the command, or record the status with onNonZero: 'record' and decide in the flow.");
  }
  return { ok: true, value: ended.stdout.text };
}

function recorded(ended: ProcessOutcome, exitCode: number) {
  const { stdout, stderr } = ended;
  const truncated = stdout.dropped + stderr.dropped > 0 ? { truncated: { stdout: stdout.dropped, stderr: stderr.dropped } } : {};
  return {
    ok: exitCode === 0,
    exitCode,
    output: stdout.text !== '' && stderr.text !== '' ? `${stdout.text}\n${stderr.text}` : stdout.text + stderr.text,
    stdout: stdout.text,
    stderr: stderr.text,
    ...truncated,
  };
}

function retriable(failure: StepFailure): boolean {
  return failure.code === 'step_failed' || failure.code === 'lease_exceeded' || failure.code === 'crashed' || failure.code === 'spawn_failed';
}

