import type { ErrorCode } from '../errors/codes.js';
import { FlowsError } from '../errors/flows-error.js';

/** Milliseconds in each unit a duration may be written in. */
const UNITS = { ms: 1n, s: 1_000n, m: 60_000n, h: 3_600_000n, d: 86_400_000n } as const;

/** Longer than any duration that makes sense, short enough that arithmetic on it costs nothing. */
const LONGEST_TEXT = 40;

/** 15 minutes: how long a command may run when its step sets no timeout. */
export const RUN_TIMEOUT_DEFAULT = 900_000;
/** 24 hours, inclusive: the longest timeout of a command. */
export const RUN_TIMEOUT_MAX = 86_400_000;
/** 24 hours, inclusive: the longest timeout of an agent. */
export const AGENT_TIMEOUT_MAX = 86_400_000;

export interface DurationRules {
  /** What the duration is of, as the message names it: "the timeout of f.run". */
  readonly what: string;
  /** Milliseconds, inclusive. Default 1. */
  readonly min?: number;
  /** Milliseconds, inclusive. Default: the largest safe integer. */
  readonly max?: number;
  /** The code of every refusal. Default: `timeout_invalid`, and `lease_exceeded` for a duration over `max`. */
  readonly code?: ErrorCode;
}

/**
 * Milliseconds of a duration: a whole number of them, or `<n>` with one of `ms`, `s`, `m`, `h`, `d`. A decimal is accepted when it
 * comes to whole milliseconds (`"1.5s"`).
 */
export function parseDuration(value: string | number, rules: DurationRules): number {
  const ms = typeof value === 'number' ? fromNumber(value) : fromText(value);
  const min = rules.min ?? 1;
  if (ms === undefined || ms < min) {
    const problem = ms === undefined ? 'which is not a duration' : `and must be at least ${formatDuration(min)}`;
    throw new FlowsError(rules.code ?? 'timeout_invalid', `${sentenceStart(rules.what)} is ${shown(value)}, ${problem}.`, {
      hint: 'Give whole milliseconds as a number, or a text such as "500ms", "90s", "15m", "2h" or "1d".',
    });
  }
  if (rules.max !== undefined && ms > rules.max) {
    throw new FlowsError(rules.code ?? 'lease_exceeded', `${sentenceStart(rules.what)} is ${shown(value)}, longer than the ${formatDuration(rules.max)} allowed.`, {
      hint: `Give at most ${formatDuration(rules.max)}, or split the work into several steps.`,
    });
  }
  return ms;
}

function fromNumber(value: number): number | undefined {
  return Number.isSafeInteger(value) ? value : undefined;
}

function fromText(value: unknown): number | undefined {
  if (typeof value !== 'string' || value.length > LONGEST_TEXT) return undefined;
  const match = /^(\d+)(?:\.(\d+))?(ms|s|m|h|d)$/.exec(value);
  if (match === null) return undefined;
  // In whole numbers: 0.1 + 0.2 must not decide whether a duration is accepted.
  const [, whole = '', fraction = '', unit] = match;
  const scaled = BigInt(whole + fraction) * UNITS[unit as keyof typeof UNITS];
  const scale = 10n ** BigInt(fraction.length);
  const ms = scaled / scale;
  return scaled % scale === 0n && ms <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(ms) : undefined;
}

function sentenceStart(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The value as its author wrote it, bounded. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value);
  return typeof value === 'number' ? String(value) : `of type ${value === null ? 'null' : typeof value}`;
}

/** A duration as people read it, rounded to what matters at its size: `850ms`, `1.5s`, `42s`, `3m 20s`, `1h 5m`, `2d 3h`. */
export function formatDuration(ms: number): string {
  if (!(ms > 0)) return '0ms';
  if (ms < 999.5) return `${Math.max(1, Math.round(ms))}ms`;
  if (ms < 9_950) return `${Math.round(ms / 100) / 10}s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return pair(Math.floor(seconds / 60), 'm', seconds % 60, 's');
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1_440) return pair(Math.floor(minutes / 60), 'h', minutes % 60, 'm');
  const hours = Math.round(ms / 3_600_000);
  return pair(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit} ${small}${smallUnit}`;
}
