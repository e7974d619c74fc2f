import { momentOf, wallTime, type WallTime } from './wall-clock.js';

/*
 * When a limit resets, from the words of a provider or a CLI. Seen so far:
 *
 *   Claude AI usage limit reached|1749924000                     seconds since the epoch
 *   … resets at 2026-12-01T15:00:00Z                             a moment
 *   … or try again at Dec 3rd, 2026 7:54 PM.                     a day and a time of it, in the zone of this machine
 *   You've hit your weekly limit · resets Dec 4 at 9am (UTC)     the same, in the year to come
 *   … try again in 3 days 4 hours 5 minutes                      a duration
 *   … Try again in ~42 min.                                      an estimated duration
 *   … Your quota will reset after 2h13m5s.   retry in 34.07s     a short duration
 *   "retryDelay": "34s"   Retry-After: 30                        a duration in a form of its own
 *   You've hit your limit · resets 3pm (Europe/Berlin)           a time of day, with or without its zone
 *   … Access resets at 7:10 PM PDT.                              the same
 */

const UNIT = '(?:days?|d|hours?|hrs?|hr|h|minutes?|mins?|min|ms|m|seconds?|secs?|sec|s)';
const SPAN = `((?:\\d+(?:\\.\\d+)?\\s*${UNIT}(?![a-z])[\\s,]*(?:and\\s+)?)+)`;
const DURATION = new RegExp(`\\b(?:again|retry(?:ing)?|resets?|available|wait)\\b[^.\\n]{0,40}?\\b(?:in|after|for)\\s+(?:about\\s+|approximately\\s+|another\\s+)?~?${SPAN}`, 'i');
const RETRY_DELAY = new RegExp(`\\bretry[-_ ]?delay["']?\\s*[:=]\\s*["']?${SPAN}`, 'i');
const RETRY_AFTER = /\bretry[-_ ]after["']?\s*[:=]\s*["']?(\d+(?:\.\d+)?)\b/i;
const PART = new RegExp(`(\\d+(?:\\.\\d+)?)\\s*(${UNIT})`, 'gi');
const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const TIME = '(?<hour>\\d{1,2})(?::(?<minute>\\d{2}))?\\s*(?<half>[ap])?(?:\\.?m\\.?)?(?:\\s*\\((?<named>[A-Za-z0-9_+\\-/]+)\\)|\\s+(?<short>[A-Z]{2,4})\\b)?';
const DATED = new RegExp(`\\b(?<month>${MONTHS.join('|')})[a-z]*\\.?\\s+(?<day>\\d{1,2})(?:st|nd|rd|th)?(?:,?\\s+(?<year>\\d{4}))?,?\\s+(?:at\\s+)?${TIME}`, 'i');
const CLOCK = new RegExp(`\\b(?:resets?|again|available|until)\\s+(?:on\\s+)?(?:(?<weekday>${WEEKDAYS.join('|')})[a-z]*,?\\s+)?(?:at\\s+)?${TIME}`, 'i');

/** The short names of zones that providers write. */
const ZONES: Readonly<Record<string, string>> = {
  UTC: 'UTC', GMT: 'UTC', PT: 'America/Los_Angeles', PST: 'America/Los_Angeles', PDT: 'America/Los_Angeles', MST: 'America/Denver', MDT: 'America/Denver',
  CST: 'America/Chicago', CDT: 'America/Chicago', ET: 'America/New_York', EST: 'America/New_York', EDT: 'America/New_York', BST: 'Europe/London',
  CET: 'Europe/Berlin', CEST: 'Europe/Berlin',
};

/**
 * Milliseconds since the epoch; `undefined` when the text names no moment after `now`. A time of day is the next such time, and that of this very
 * minute is the end of it. Pure, but for the zone of this machine.
 */
export function resetTime(text: string, now: number): number | undefined {
  const at = statedTime(text, now);
  return at !== undefined && at > now ? at : undefined;
}

function statedTime(text: string, now: number): number | undefined {
  const epoch = /\|(\d{10})\b/.exec(text)?.[1];
  if (epoch !== undefined) return Number(epoch) * 1_000;
  const moment = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})/.exec(text)?.[0];
  if (moment !== undefined && !Number.isNaN(Date.parse(moment))) return Date.parse(moment);
  const duration = (DURATION.exec(text) ?? RETRY_DELAY.exec(text))?.[1];
  if (duration !== undefined) return now + Math.ceil(milliseconds(duration));
  const seconds = RETRY_AFTER.exec(text)?.[1];
  if (seconds !== undefined) return now + Math.ceil(Number(seconds) * 1_000);
  const stated = DATED.exec(text)?.groups ?? CLOCK.exec(text)?.groups;
  return stated === undefined ? undefined : clockTime(stated, now);
}

function milliseconds(duration: string): number {
  let sum = 0;
  for (const [, amount, unit = ''] of duration.matchAll(PART)) {
    const name = unit.toLowerCase();
    sum += Number(amount) * (UNITS[name] ?? UNITS[name.charAt(0)] ?? 0);
  }
  return sum;
}

/** What a text says of a day and a time. */
type Stated = { readonly [part: string]: string | undefined };

function clockTime(stated: Stated, now: number): number | undefined {
  const zone = zoneOf(stated);
  const time = timeOfDay(stated);
  if (zone === null || time === undefined) return undefined;
  try {
    return nextTime({ ...wallTime(now, zone), ...time }, { stated, now, zone });
  } catch {
    // A zone that nobody knows.
    return undefined;
  }
}

function nextTime(today: WallTime, on: { readonly stated: Stated; readonly now: number; readonly zone: string | undefined }): number {
  const { stated, now, zone } = on;
  const { month, weekday } = stated;
  if (month !== undefined) {
    const date = { ...today, month: MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1, day: Number(stated['day']) };
    if (stated['year'] !== undefined) return momentOf({ ...date, year: Number(stated['year']) }, zone);
    const at = momentOf(date, zone);
    return at > now ? at : momentOf({ ...date, year: date.year + 1 }, zone);
  }
  const at = momentOf(today, zone);
  if (weekday !== undefined) {
    const days = (WEEKDAYS.indexOf(weekday.slice(0, 3).toLowerCase()) - new Date(Date.UTC(today.year, today.month - 1, today.day)).getUTCDay() + 7) % 7;
    return days === 0 && at <= now ? momentOf({ ...today, day: today.day + 7 }, zone) : momentOf({ ...today, day: today.day + days }, zone);
  }
  // Providers leave the seconds out, so the limit still holds in the minute they name.
  if (at <= now && now - at < 60_000) return at + 60_000;
  return at > now ? at : momentOf({ ...today, day: today.day + 1 }, zone);
}

function timeOfDay({ hour, minute, half }: Stated): Pick<WallTime, 'hour' | 'minute'> | undefined {
  // A bare number is no time of day: "resets 3 of your limits".
  if (minute === undefined && half === undefined) return undefined;
  const time = { hour: half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0), minute: Number(minute ?? 0) };
  return time.hour > 23 || time.minute > 59 ? undefined : time;
}

/** `null` for a short name that could be any zone; `undefined` where there is none. */
function zoneOf({ named, short }: Stated): string | undefined | null {
  if (named !== undefined) return ZONES[named] ?? named;
  // Only in capitals: the word after the time may be any.
  if (short === undefined || short !== short.toUpperCase()) return undefined;
  return ZONES[short] ?? null;
}
