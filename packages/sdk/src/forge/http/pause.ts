import { items, member, textOf, type Answer, type Lost } from './exchange.js';

/** Why a request is made again, and after how many milliseconds. `undefined`: it is not. */
export type Pause = { readonly because: 'limit' | 'lost' | 'failing'; readonly ms: number } | undefined;

/** Statuses of a server, or of something in front of it, that fails for now. Whether the request was carried out is not known. */
const FAILING = new Set([408, 425, 500, 502, 503, 504]);
/** How often is tried again when the connection or the server fails: for about 15 seconds. */
const TRIES = 5;
const FIRST_PAUSE_MS = 500;
/** What GitHub asks for when it names no time. */
const UNTIMED_LIMIT_MS = 60_000;

/** Decides whether something is tried again. `attempt` is how often it was tried so far, from 1; `now` in milliseconds since the epoch. */
export function pauseAfter(outcome: Answer | Lost, attempt: number, now: number): Pause {
  const backOff = FIRST_PAUSE_MS * 2 ** (attempt - 1);
  if (outcome.kind === 'lost') return outcome.lasting === true || attempt > TRIES ? undefined : { because: 'lost', ms: backOff };
  const asked = waitAskedFor(outcome.headers, now);
  if (isLimited(outcome)) return { because: 'limit', ms: asked ?? UNTIMED_LIMIT_MS };
  if (!FAILING.has(outcome.status) || attempt > TRIES) return undefined;
  return { because: 'failing', ms: Math.max(backOff, asked ?? 0) };
}

/** Whether the forge refuses because it was asked too often. GitHub says so with 403 too, which else means that something is forbidden. */
export function isLimited({ status, headers, body }: Answer): boolean {
  if (status === 429) return true;
  if (items(member(body, 'errors')).some((error) => member(error, 'type') === 'RATE_LIMITED')) return true;
  return status === 403 && (headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0' || /\brate limit|abuse detection/i.test(textOf(member(body, 'message'))));
}

/** Milliseconds, from what the forge says about when it can be asked again. */
function waitAskedFor(headers: Answer['headers'], now: number): number | undefined {
  const after = headers['retry-after']?.trim();
  if (after !== undefined && /^\d+$/.test(after)) return Number(after) * 1_000;
  // The clock of the forge, by which it counts.
  const serverNow = Date.parse(headers['date'] ?? '') || now;
  if (after !== undefined && !Number.isNaN(Date.parse(after))) return Math.max(0, Date.parse(after) - serverNow);
  if (headers['x-ratelimit-remaining'] !== '0' && headers['ratelimit-remaining'] !== '0') return undefined;
  const reset = Number(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset']);
  return Number.isFinite(reset) ? Math.max(0, reset * 1_000 - serverNow) + 1_000 : undefined;
}
