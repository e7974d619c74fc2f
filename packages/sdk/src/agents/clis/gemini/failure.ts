import type { JsonValue } from '../../../ports/json.js';
import type { ProcessOutcome } from '../../../process/port.js';
import { countOf, listOf, parseRecord, recordOf, textOf, type JsonRecord } from '../../driver/record.js';
import type { CliFailure, FailureKind } from '../../driver/turn-record.js';

/*
 * How the Gemini CLI says that a turn failed. `error.message` of the result is one of
 *
 *   [API Error: {"error":{"code":401,"message":"…","status":"UNAUTHENTICATED","details":[…]}}]     the provider's own record
 *   [API Error: You exceeded your current quota.\nSuggested retry after 7985s.]\nPlease wait …     a limit, and advice
 *   [API Error: models/x is not found for API version v1beta, …]                                   without a status
 *   [API Error: terminated]                                                                        the connection
 *
 * Where the turn did not even begin there is no result: the sentence stands on the error output, and the exit status is one of its own. With a result,
 * the exit status is the HTTP status modulo 256.
 */

const STATUS_OF_EXIT: ReadonlyMap<number, number> = new Map([400, 401, 403, 404, 408, 429, 500, 502, 503, 504].map((status) => [status % 256, status]));

/** What a result says is wrong. Pure. */
export function failureOf(message: string): CliFailure {
  const said = unwrapped(message);
  const record = parseRecord(said);
  const error = recordOf(record?.['error']);
  const text = textOf(error['message']) ?? said;
  const status = countOf(error['code']);
  const kind = kindOf(text);
  // In the provider's record the time stands beside the sentence, as `RetryInfo`.
  const delay = retryDelay(listOf(error['details']).map(recordOf));
  return {
    text: delay === undefined ? text : `${text} Retry in ${delay}.`,
    ...(status === undefined ? {} : { status }),
    ...(kind === undefined ? {} : { kind }),
  };
}

/** The status that a process ended with tells the HTTP status, where the sentence does not. */
export function withStatusOf(failure: CliFailure, exitCode: number | undefined): CliFailure {
  const status = exitCode === undefined ? undefined : STATUS_OF_EXIT.get(exitCode);
  return failure.status !== undefined || status === undefined ? failure : { ...failure, status };
}

function unwrapped(message: string): string {
  const inner = /^\[API Error: ([\s\S]*)\](?:\n[^\]]*)?$/.exec(message.trim())?.[1];
  return (inner ?? message).trim();
}

function retryDelay(details: readonly JsonRecord[]): string | undefined {
  return details.map((detail) => textOf(detail['retryDelay'])).find((delay) => delay !== undefined);
}

const KINDS: readonly (readonly [FailureKind, RegExp])[] = [
  // The same sentence ends with "or is not supported for generateContent".
  ['model_unknown', /models\/\S+ is not found/i],
  // A wrong key is an invalid argument to the provider (HTTP 400).
  ['unauthenticated', /api key not valid|api key expired|API_KEY_INVALID/i],
  // The provider has too little; nobody has used too much.
  ['outage', /no capacity available|MODEL_CAPACITY_EXHAUSTED/i],
];

function kindOf(text: string): FailureKind | undefined {
  return KINDS.find(([, words]) => words.test(text))?.[0];
}

const AUTHENTICATION = 41;
const INPUT = 42;
/** Settings (52), limit of turns (53), tool (54), untrusted directory (55), sandbox (44). */
const OTHERS: ReadonlySet<number> = new Set([44, 52, 53, 54, 55]);

/** Why a process ended without a result, where its exit status is one that says so. Pure. */
export function failureWithoutResult({ exitCode, stderr }: Pick<ProcessOutcome, 'exitCode' | 'stderr'>): CliFailure | undefined {
  const text = complaintIn(stderr.text);
  if (exitCode === AUTHENTICATION) return { kind: 'unauthenticated', text };
  if (exitCode === INPUT) return { kind: /^Error resuming session\b/m.test(text) ? 'session_unknown' : 'other', text };
  return exitCode !== undefined && OTHERS.has(exitCode) ? { kind: 'other', text } : undefined;
}

/** What it always prints on its error output, and traces of its program. */
const NOISE = /^(?:Warning: 256-color|YOLO mode is enabled|Ripgrep is not available|\[STARTUP\]|Keychain|Loaded cached credentials|\(node:|\(Use `node |\s+at |\s*exitCode: |\s*[{}]\s*$|\s*$)/;
/** Colours and the like. */
const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, 'g');

/** Whether a line of the error output says nothing about this turn. */
export function isNoise(line: string): boolean {
  return NOISE.test(line);
}

function complaintIn(stderr: string): string {
  return [...new Set(stderr.replaceAll(ESCAPES, '').split('\n').filter((line) => !isNoise(line)))].join('\n').trim();
}

/** A longer wait than this is no retry: somebody has to know about it. */
const LONGEST_WAIT_MS = 60_000;

/**
 * Listens to the log for a wait that the CLI begins by itself, without a record of it: told by its provider that a limit resets in two hours, it says
 * `Attempt 1 failed: …. Retrying after 7654321ms...` and sleeps for two hours.
 */
export class WaitListener {
  #said: string[] = [];

  /** Takes the next line, and answers with the limit when it says that a long wait begins. */
  take(line: string): CliFailure | undefined {
    const begun = /^Attempt \d+ failed: (.*)$/.exec(line);
    if (begun !== null) this.#said = [];
    this.#said = [...this.#said, begun?.[1] ?? line].slice(-20);
    const wait = Number(/Retrying after (\d+)ms\.\.\.$/.exec(line)?.[1] ?? 0);
    if (wait <= LONGEST_WAIT_MS) return undefined;
    const text = this.#said.join('\n').replace(/\.? Retrying after \d+ms\.\.\.$/, '');
    return { kind: 'usage_limited', text: `${text} It would wait and try again in ${Math.ceil(wait / 1_000)} s.` };
  }
}

/** A tool, a model or an answer that the CLI complains about in the middle of a turn. */
export function messageOf(error: JsonValue | undefined): string {
  return textOf(recordOf(error)['message']) ?? textOf(error) ?? '';
}
