import { cronProblem } from './cron.js';
import { copyPlainData, freezeDeep } from './plain-data.js';

/** Where events come from, as data that a host reads. Made by {@link webhook}, {@link schedule}, {@link github} and {@link slack}. */
export type TriggerSource = WebhookTrigger | CronTrigger | IntervalTrigger | ProviderTrigger;

export interface WebhookTrigger {
  readonly kind: 'webhook';
  readonly name: string;
  /** An event fits when it contains this: objects as a subset, arrays and scalars exactly. */
  readonly filter?: WebhookFilter;
}

export interface CronTrigger {
  readonly kind: 'cron';
  /** Five fields separated by one blank each. */
  readonly expression: string;
  /** An IANA zone. */
  readonly tz: string;
}

export interface IntervalTrigger {
  readonly kind: 'interval';
  /** As written: `<n>(s|m|h|d)`. */
  readonly interval: string;
  readonly milliseconds: number;
}

export interface ProviderTrigger {
  readonly kind: 'provider';
  readonly provider: string;
  /** The provider's own name for the event. */
  readonly event: string;
  readonly filter?: WebhookFilter;
}

/** Plain finite JSON. */
export type WebhookFilterValue = null | boolean | number | string | readonly WebhookFilterValue[] | WebhookFilter;
export interface WebhookFilter {
  readonly [member: string]: WebhookFilterValue;
}

/** Triggers of a service. */
export interface ProviderTriggers {
  /**
   * One of the service's events, by its own name: `github.event('issues.opened')`.
   *
   * @throws TypeError when the name is blank or the filter is not plain finite JSON.
   */
  event(name: string, filter?: WebhookFilter): TriggerSource;
}

const WEBHOOK_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

/**
 * A webhook by name, with an optional filter on its payload.
 *
 * @throws TypeError when the name does not match `^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$`, or the filter is not a plain object of finite JSON.
 */
export function webhook(name: string, filter?: WebhookFilter): TriggerSource {
  if (typeof name !== 'string' || !WEBHOOK_NAME.test(name)) {
    throw new TypeError(`webhook() needs a name of letters, digits, "_" and "-" (at most 128), got ${JSON.stringify(name)}`);
  }
  return source({ kind: 'webhook', name, ...filterMember(filter, `webhook "${name}"`) });
}

/** Triggers by the clock. */
export const schedule: {
  /**
   * Five fields: minute, hour, day of month, month, day of week; names of months and weekdays are allowed. The zone defaults to UTC.
   *
   * @throws TypeError when the expression or the zone cannot be read.
   */
  cron(expr: string, options?: { tz?: string }): TriggerSource;
  /**
   * Every so often: `<n>(s|m|h|d)`, at least one second.
   *
   * @throws TypeError when the interval cannot be read.
   */
  every(interval: string): TriggerSource;
} = Object.freeze({ cron, every });

/** Events of GitHub, by their own names: `issues.opened`, `pull_request.closed`. */
export const github: ProviderTriggers = provider('github');

/** Events of Slack, by their own names: `message`, `app_mention`. */
export const slack: ProviderTriggers = provider('slack');

function cron(expr: string, options: { tz?: string } = {}): TriggerSource {
  const problem = typeof expr === 'string' ? cronProblem(expr) : `must be a string, got ${typeof expr}`;
  if (problem !== undefined) throw new TypeError(`schedule.cron(${JSON.stringify(expr)}): ${problem}`);
  const tz = options.tz ?? 'UTC';
  if (!isZone(tz)) throw new TypeError(`schedule.cron: ${JSON.stringify(tz)} is not a time zone; give an IANA name such as "Europe/Berlin"`);
  return source({ kind: 'cron', expression: expr.trim().split(/\s+/).join(' '), tz });
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

function every(interval: string): TriggerSource {
  const match = typeof interval === 'string' ? /^(\d+)(s|m|h|d)$/.exec(interval) : null;
  const milliseconds = match === null ? 0 : Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
  if (milliseconds < 1_000 || !Number.isSafeInteger(milliseconds)) {
    throw new TypeError(`schedule.every needs a whole number followed by s, m, h or d, at least "1s", got ${JSON.stringify(interval)}`);
  }
  return source({ kind: 'interval', interval, milliseconds });
}

function provider(name: string): ProviderTriggers {
  return Object.freeze({
    event(event: string, filter?: WebhookFilter): TriggerSource {
      if (typeof event !== 'string' || event.trim() === '') throw new TypeError(`${name}.event needs the name of an event`);
      return source({ kind: 'provider', provider: name, event: event.trim(), ...filterMember(filter, `${name}.event "${event}"`) });
    },
  });
}

function isZone(zone: unknown): boolean {
  if (typeof zone !== 'string' || zone === '') return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

function filterMember(filter: unknown, of: string): { filter?: WebhookFilter } {
  if (filter === undefined) return {};
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) throw new TypeError(`${of}: the filter must be an object`);
  const copy = copyPlainData(filter, `${of}: filter`);
  refuseNonFinite(copy, `${of}: filter`);
  return { filter: copy as WebhookFilter };
}

function refuseNonFinite(value: unknown, path: string): void {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${path} must be a finite number, got ${value}`);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) refuseNonFinite(member, `${path}.${key}`);
}

/** Like flow definitions, sources are recognised across copies of this package; see `definition.ts`. */
const SOURCES = Symbol.for('@relayflows/surface:trigger-sources@1');

function sources(): WeakSet<object> {
  const holder = globalThis as { [SOURCES]?: WeakSet<object> };
  const existing = holder[SOURCES];
  if (existing !== undefined) return existing;
  const created = new WeakSet<object>();
  Object.defineProperty(holder, SOURCES, { value: created });
  return created;
}

function source(data: TriggerSource): TriggerSource {
  const made = freezeDeep(data);
  sources().add(made);
  return made;
}

export function isTriggerSource(value: unknown): value is TriggerSource {
  return typeof value === 'object' && value !== null && sources().has(value);
}
