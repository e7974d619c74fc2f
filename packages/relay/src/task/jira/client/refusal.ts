import type { RelayErrorCode } from '../../../errors/codes.js';
import { RelayError } from '../../../errors/relay-error.js';
import { isMap } from '../../config/merge.js';

/** Longer error texts of Jira are cut. */
const LONGEST_TEXT = 2_048;

export interface Refusal {
  readonly status: number;
  /** What was asked, as it goes into a sentence: `the ticket ABC-1`. */
  readonly about: string;
  /** Of a body that was JSON. */
  readonly said: string;
  /** Values of headers that say why. */
  readonly reason?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** What Jira says in the body of an error: `errorMessages[]` and `errors{field: text}`, also inside the elements of a bulk answer. Without secrets, then cut. */
export function saidIn(body: unknown, redact: (text: string) => string): string {
  const words = [...new Set(messages(body, 0))].join(' ');
  const text = redact(words.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' ').trim());
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT - 3).toWellFormed()}...`;
}

function messages(body: unknown, depth: number): readonly string[] {
  if (depth > 4 || !isObject(body)) return [];
  const { errorMessages, errors, elementErrors, message } = body;
  const list = Array.isArray(errorMessages) ? errorMessages.filter((one): one is string => typeof one === 'string') : [];
  const fields = isObject(errors) ? Object.entries(errors).flatMap(([field, text]) => (typeof text === 'string' ? [`${field}: ${text}`] : [])) : [];
  const elements = Array.isArray(errors) ? errors.flatMap((one: unknown) => messages(one, depth + 1)) : [];
  const single = list.length + fields.length + elements.length === 0 && typeof message === 'string' ? [message] : [];
  return [...list, ...fields, ...elements, ...messages(elementErrors, depth + 1), ...single];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return isMap(value as never);
}

/** Whether a 400 is about a transition that is not there at the moment. */
function aboutTransition(said: string): boolean {
  return /transition|illegal (?:workflow )?operation|workflow operation/i.test(said);
}

/** What an answer that is no success means to the engine. Pure. */
export function refusal({ status, about, said, reason, retryAfterMs }: Refusal): RelayError {
  const words = said === '' ? `It answered ${status}.` : `It answered ${status}: ${/[.!?]$/.test(said) ? said : `${said}.`}`;
  const error = (code: RelayErrorCode, text: string, hint: string): RelayError =>
    new RelayError(code, `${text} ${words}`, { hint, evidence: { about, status, ...(reason === undefined ? {} : { reason }) }, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
  if (status === 401) return error('task_auth', `Jira refused the credentials when asked for ${about}.`, 'Enter the email and an API token that is valid with `relay-flow task auth`, then start the server again.');
  if (status === 403) return error('task_permission', `Jira does not allow ${about} to this account.`, 'Give the account the permission in the project; if it can do it in a browser, the token may be blocked or a captcha be waiting: sign in there once, or make another token with `relay-flow task auth`.');
  if (status === 404) return error('task_missing', `Jira has no such thing, or does not show it to this account: ${about}.`, 'Look for it in a browser with the account of the server.');
  if (status === 409 || status === 412) return error('task_conflict', `Jira says that something else is in the way of ${about}.`, 'Look at it in Jira; it is tried again.');
  if (status === 413) return error('task_rejected', `What was sent for ${about} is too large for Jira.`, 'Shorten what the templates put into it.');
  if (status === 429) return error('task_unavailable', `Jira has been asked too often, the last time for ${about}.`, 'It is tried again later. Poll less often if it goes on: `pollIntervalSeconds`.');
  if (status === 408 || status >= 500) return error('task_unavailable', `Jira failed at ${about}.`, 'It is tried again.');
  if (status === 410) return error('task_rejected', `Jira no longer has what was asked: ${about}.`, 'Update relay-flow.');
  if (status === 400 && aboutTransition(said)) return error('task_conflict', `Jira does not let ${about} change like that at the moment.`, 'Move it by hand in Jira; it is tried again.');
  return error('task_rejected', `Jira refused ${about}.`, 'Look at what it says, and at the settings of the project.');
}
