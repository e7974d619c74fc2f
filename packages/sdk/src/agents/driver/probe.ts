import { FlowsError } from '../../errors/flows-error.js';
import { stepEnvironment } from '../../process/environment.js';
import type { ProcessOutcome } from '../../process/port.js';
import { canceledError } from '../canceled.js';
import { endedHow, outcomeEvidence } from '../outcome-evidence.js';
import type { ProbeRequest } from '../port.js';
import type { CliWords } from './words.js';

const DEADLINE_MS = 10_000;
/** Lists of models can be long. */
const READ_BYTES = 262_144;

/** A question to a CLI about itself. */
export interface Question {
  readonly args: readonly string[];
  /** Variables in addition to those of the host. */
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds. Default 10,000. */
  readonly deadlineMs?: number | undefined;
  /** How much of its output is read, from the end, in bytes. Default 262,144. */
  readonly readBytes?: number;
}

/** Asks a CLI something that costs nothing, with its standard input closed. Throws `cli_unsupported` when it cannot be started, `probe_failed` when it does not answer. */
export async function ask(request: ProbeRequest, words: CliWords, question: Question): Promise<ProcessOutcome> {
  const deadlineMs = question.deadlineMs ?? DEADLINE_MS;
  const outcome = await request.supervise({
    file: request.executable,
    args: question.args,
    cwd: request.cwd,
    env: stepEnvironment({ host: request.hostEnv, secrets: 'inherit', env: question.env, runVariables: {} }),
    // Of its own: questions are asked side by side, and the sweep of one must not end another.
    marker: { ...request.marker, stepId: `${request.marker.stepId}${question.args.join('').replaceAll(/[^a-z]+/gi, '-')}` },
    timeoutMs: deadlineMs,
    graceMs: 1_000,
    sweep: 'environment',
    stdout: { retainBytes: question.readBytes ?? READ_BYTES, redaction: request.redaction() },
    stderr: { retainBytes: READ_BYTES, redaction: request.redaction() },
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  }).outcome;
  if (outcome.stopped === 'canceled' || outcome.stopped === 'host_exit') throw canceledError();
  const error = outcome.spawnError;
  if (error !== undefined) {
    throw new FlowsError('cli_unsupported', `${request.executable} cannot be started: ${error.code}, ${error.message}.`, {
      hint: error.missing === 'interpreter' ? 'Its first line names an interpreter that does not exist here.' : `Run it by hand to see what is wrong, or install it again: ${words.install}`,
      evidence: { path: request.executable, errorCode: error.code },
    });
  }
  if (outcome.exitCode !== undefined && outcome.stopped === undefined) return outcome;
  const how = outcome.stopped === 'timeout' ? `did not answer within ${deadlineMs} ms` : endedHow(outcome);
  throw new FlowsError('probe_failed', `${[request.executable, ...question.args].join(' ')} ${how}.`, {
    hint: 'Run the command by hand to see what it waits for.',
    evidence: outcomeEvidence(request, question.args, outcome),
  });
}

/**
 * The version that a CLI states, `1.2.3`. Throws `cli_unsupported` when it states none, so it is another program of the same name, and `cli_outdated`
 * below the lowest version whose output this adapter understands.
 */
export function requireVersion(request: ProbeRequest, words: CliWords, told: { readonly outcome: ProcessOutcome; readonly args: readonly string[]; readonly lowest: string }): string {
  const { outcome, args, lowest } = told;
  const version = /(?<![\d.])\d+\.\d+\.\d+(?!\.?\d)/.exec(outcome.stdout.text)?.[0];
  if (version === undefined || outcome.exitCode !== 0) {
    throw new FlowsError('cli_unsupported', `${request.executable} does not say which version of ${words.cli} it is: it ${endedHow(outcome)}.`, {
      hint: `If it is another program of that name, name the right one by its path, or install it: ${words.install}`,
      evidence: outcomeEvidence(request, args, outcome),
    });
  }
  if (compareVersions(version, lowest) < 0) {
    throw new FlowsError('cli_outdated', `${request.executable} is ${words.cli} ${version}, and ${lowest} or newer is needed.`, {
      hint: `Bring it up to date: ${words.update}`,
      evidence: { path: request.executable, version, lowest },
    });
  }
  return version;
}

/** A `cli_unauthenticated` to throw. `why` goes on after the command: `says so`. Default: how it ended and what it said last. */
export function notSignedIn(request: ProbeRequest, words: CliWords, args: readonly string[], outcome: ProcessOutcome, why: string = endedHow(outcome)): FlowsError {
  return new FlowsError('cli_unauthenticated', `${words.cli} is not signed in: ${[words.cli, ...args].join(' ')} ${why}.`, {
    hint: `To sign in, ${words.signIn}.`,
    evidence: outcomeEvidence(request, args, outcome),
  });
}

/** Negative when `a` is older than `b`, positive when it is newer. Both are numbers with dots; one that is left out is 0. */
export function compareVersions(a: string, b: string): number {
  const left = a.split('.').map(Number);
  const right = b.split('.').map(Number);
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
