import type { Spend } from '@relayflows/sdk';

/** `850ms`, `3.2s`, `2m05s`, `1h04m`, `2d03h`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))}ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return pair(seconds, 60, 'm', 's');
  if (seconds < 86_400) return pair(Math.floor(seconds / 60), 60, 'h', 'm');
  return pair(Math.floor(seconds / 3_600), 24, 'd', 'h');
}

function pair(value: number, base: number, big: string, small: string): string {
  return `${Math.floor(value / base)}${big}${String(value % base).padStart(2, '0')}${small}`;
}

/** A duration for a line repainted several times a second: whole seconds. */
export function ticking(ms: number): string {
  return ms < 60_000 ? `${Math.max(0, Math.floor(ms / 1_000))}s` : duration(Math.floor(ms / 1_000) * 1_000);
}

/** `$0.04`, `$12.50`, `<$0.01`; with `+` when some of it has no known price, and `price unknown` when all of it. Empty when nothing was spent. */
export function money(spend: Pick<Spend, 'microDollars' | 'unmetered'>): string {
  const more = spend.unmetered === true ? '+' : '';
  if (spend.microDollars === 0) return more === '' ? '' : 'price unknown';
  if (spend.microDollars < 10_000) return `<$0.01${more}`;
  return `$${(spend.microDollars / 1_000_000).toFixed(2)}${more}`;
}

/** `950`, `12.3k`, `1.2M`. */
export function tokens(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 999_950) return `${(count / 1_000).toFixed(1)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** `12.3k tokens`; empty when none were used. */
export function tokensUsed(spend: Pick<Spend, 'tokens'> | undefined): string {
  if (spend === undefined || spend.tokens === 0) return '';
  return spend.tokens === 1 ? '1 token' : `${tokens(spend.tokens)} tokens`;
}

/** `1 step`, `2 steps`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `just now`, `5m ago`. */
export function ago(ms: number): string {
  if (ms < 10_000) return 'just now';
  if (ms < 60_000) return `${Math.floor(ms / 1_000)}s ago`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)}m ago`;
  if (ms < 86_400_000) return `${Math.floor(ms / 3_600_000)}h ago`;
  return `${Math.floor(ms / 86_400_000)}d ago`;
}

/** The local time of a moment, with the date when it is not today: `14:05:00`, `2031-04-01 14:05:00`. */
export function moment(at: number, now: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  if (date.toDateString() === new Date(now).toDateString()) return time;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
}
