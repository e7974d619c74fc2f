import { countOf, recordOf, textOf, type JsonRecord } from '../../driver/record.js';
import { failureKind } from '../../driver/failure-kind.js';
import { resetTime } from '../../driver/reset-time.js';
import type { CliFailure, FailureKind } from '../../driver/turn-record.js';

const KINDS: Readonly<Record<string, FailureKind>> = {
  ProviderAuthError: 'unauthenticated',
  ProviderModelNotFoundError: 'model_unknown',
};

/** What an `error` record says: `error.name`, and in `error.data` the message, the status and the headers of the answer. Pure. */
export function failureOf(error: JsonRecord, now: number): CliFailure {
  const name = textOf(error['name']) ?? '';
  const data = recordOf(error['data']);
  const text = textOf(data['message']) ?? textOf(error['message']) ?? name;
  const status = countOf(data['statusCode']);
  const kind = KINDS[name] ?? (hasNoAnswer(name, data) ? 'lost' : undefined);
  const resetsAt = status === 429 ? (waitOf(recordOf(data['responseHeaders']), now) ?? resetTime(text, now)) : undefined;
  return {
    text,
    ...(status === undefined ? {} : { status }),
    ...(kind === undefined ? {} : { kind }),
    ...(resetsAt === undefined ? {} : { resetsAt }),
  };
}

/** What the log says of an error that its record only refers to: `ProviderModelNotFoundError: Model not found: stub/nope.` Pure. */
export function failureOfCause(cause: string): CliFailure {
  const [, name = '', text = cause] = /^(\w+Error): ([\s\S]*)$/.exec(cause) ?? [];
  const kind = KINDS[name];
  return { text, ...(kind === undefined ? {} : { kind }) };
}

/** What the log says of a refusal, which is the message alone. Pure. */
export function failureOfLog(text: string): CliFailure {
  // The cause repeats what stands before it.
  const said = text.replace(/ \(cause: .*\)$/s, '');
  return { text: said, ...(said.startsWith(NO_ANSWER) ? { kind: 'lost' } : {}) };
}

/** What it writes before the reason why a provider could not be reached. */
const NO_ANSWER = 'Cannot connect to API';

/** A request that may be repeated and got no status got no answer: the connection was closed, or there was none. */
function hasNoAnswer(name: string, data: JsonRecord): boolean {
  return name === 'APIError' && data['statusCode'] === undefined && data['isRetryable'] === true;
}

/** When the provider may be asked again, from the headers that the CLI itself goes by. */
function waitOf(headers: JsonRecord, now: number): number | undefined {
  const milliseconds = Number.parseFloat(textOf(headers['retry-after-ms']) ?? '');
  if (!Number.isNaN(milliseconds)) return now + milliseconds;
  const after = textOf(headers['retry-after']) ?? '';
  const seconds = Number.parseFloat(after);
  if (/^\d+(\.\d+)?$/.test(after.trim())) return now + seconds * 1_000;
  const moment = Date.parse(after);
  return Number.isNaN(moment) ? undefined : moment;
}

/** A limit that outlasts every repetition: the words for what is used up, not for what comes too fast. */
const USED_UP = /usage limit|quota|limit reached|hit your (?:\S+ )?limit|free usage exceeded|credit|billing|balance/i;
/** Longer than the CLI itself would wait between two requests, where the provider does not tell it to. */
const LONG_MS = 60_000;

/** Whether asking again is no use: a limit that is said to last, or to be used up. The CLI asks again five times all the same. Pure. */
export function isHopeless(text: string, now: number): boolean {
  if (failureKind({ text }) !== 'usage_limited' && !USED_UP.test(text)) return false;
  const resetsAt = resetTime(text, now);
  return resetsAt === undefined ? USED_UP.test(text) : resetsAt - now > LONG_MS;
}
