/** Attempts after the first, inside the client; what comes after them is up to the engine. */
export const RETRIES = 4;

/** A longer wait is not sat out here: the engine is told when to come back. */
export const LONGEST_WAIT_MS = 30_000;

/** Before the second attempt, without a word from Jira; it doubles. */
const FIRST_MS = 500;

/** Milliseconds from a `Retry-After` header: seconds, or an HTTP date. `undefined`: none that can be read. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1_000);
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** How long to wait before attempt `retry` (1 is the first repeat). `random` is in [0, 1): a wait is never shorter than what Jira asked for. */
export function waitMs(retry: number, asked: number | undefined, random: number): number {
  if (asked !== undefined) return asked + Math.floor(random * Math.min(1_000, asked / 10));
  const base = FIRST_MS * 2 ** (retry - 1);
  return Math.round(base * (0.8 + random * 0.4));
}
