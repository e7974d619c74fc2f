/*
 * When a limit resets, from the words of a provider or a CLI. Seen so far:
 *
 *   Claude AI usage limit reached|1749924000                     seconds since the epoch
 *   … resets at 2026-12-01T15:00:00Z                             a moment
 *   … try again in 3 days 4 hours 5 minutes                      a duration
 *   … Try again in ~42 min.                                      an estimated duration
 *   … Your quota will reset after 2h13m5s.   retry in 34.07s     a short duration
 *   You've hit your limit · resets 3pm (Europe/Berlin)           a time of day, with or without its zone
 *   … or try again at Dec 3rd, 2026 7:54 PM.                     a day and a time of it, in the zone of this machine
 */

const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
const DURATION = /(?:in|after|for)\s+~?((?:\d+(?:\.\d+)?\s*(?:days?|d|hours?|hrs?|h|minutes?|mins?|ms|m|seconds?|secs?|s)[\s,]*(?:and\s+)?)+)/i;
const PART = /(\d+(?:\.\d+)?)\s*(days?|d|hours?|hrs?|h|minutes?|mins?|ms|m|seconds?|secs?|s)/gi;
const DATED = /\b((?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*) (\d{1,2})(?:st|nd|rd|th)?, (\d{4}),? (?:at )?(\d{1,2}:\d{2}) ?([AP]M)/i;
const CLOCK = /(?:resets?|try again|available again|until)\s+(?:at\s+)?(\d{1,2})(?::(\d{2}))?\s*([ap]m)?\s*(?:\(([A-Za-z_]+(?:\/[A-Za-z_+-]+)*)\))?/i;

/** Milliseconds since the epoch; `undefined` when the text does not say. A time of day is the next such time after `now`. Pure, but for the zone of this machine. */
export function resetTime(text: string, now: number): number | undefined {
  const epoch = /\|(\d{10})\b/.exec(text)?.[1];
  if (epoch !== undefined) return Number(epoch) * 1_000;
  const moment = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})/.exec(text)?.[0];
  if (moment !== undefined && !Number.isNaN(Date.parse(moment))) return Date.parse(moment);
  const dated = DATED.exec(text);
  if (dated !== null) return datedTime(dated);
  const duration = DURATION.exec(text)?.[1];
  if (duration !== undefined) return now + Math.ceil(milliseconds(duration));
  const clock = CLOCK.exec(text);
  return clock === null || (clock[2] === undefined && clock[3] === undefined) ? undefined : nextTimeOfDay(clock, now);
}

function datedTime([, month, day, year, time, half]: RegExpExecArray): number | undefined {
  const at = Date.parse(`${month} ${day}, ${year} ${time} ${half}`);
  return Number.isNaN(at) ? undefined : at;
}

function milliseconds(duration: string): number {
  let sum = 0;
  for (const [, amount, unit = ''] of duration.matchAll(PART)) {
    const name = unit.toLowerCase();
    sum += Number(amount) * (UNITS[name] ?? UNITS[name.charAt(0)] ?? 0);
  }
  return sum;
}

function nextTimeOfDay([, hourText, minuteText, half, zone]: RegExpExecArray, now: number): number | undefined {
  const hour = Number(hourText);
  const minute = Number(minuteText ?? 0);
  const wanted = half === undefined ? hour : (hour % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  if (wanted > 23 || minute > 59) return undefined;
  const clock = wallClock(zone);
  if (clock === undefined) return undefined;
  const [nowHour, nowMinute] = clock(now);
  const ahead = (((wanted * 60 + minute - nowHour * 60 - nowMinute) % 1_440) + 1_440) % 1_440;
  const startOfMinute = now - (now % 60_000);
  return startOfMinute + (ahead === 0 ? 1_440 : ahead) * 60_000;
}

function wallClock(zone: string | undefined): ((at: number) => readonly [number, number]) | undefined {
  try {
    const format = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...(zone === undefined ? {} : { timeZone: zone }) });
    return (at) => {
      const [hour = 0, minute = 0] = format.format(at).split(':').map(Number);
      return [hour, minute];
    };
  } catch {
    return undefined;
  }
}
