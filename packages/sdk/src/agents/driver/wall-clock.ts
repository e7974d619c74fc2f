/** A time as a clock on the wall shows it. Months count from 1; a day or month that is too high carries over. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

/** What the clocks of a zone (IANA name; absent: of this machine) show at a moment. Throws `RangeError` for a zone that does not exist. */
export function wallTime(at: number, zone?: string): WallTime {
  const parts = new Intl.DateTimeFormat('en-US', {
    calendar: 'gregory', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', hourCycle: 'h23',
    ...(zone === undefined ? {} : { timeZone: zone }),
  }).formatToParts(at);
  const number = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.find((part) => part.type === type)?.value);
  return { year: number('year'), month: number('month'), day: number('day'), hour: number('hour'), minute: number('minute') };
}

/** The moment at which the clocks of a zone show a time. One that they skip in spring is taken for the one after the gap. Throws like `wallTime`. */
export function momentOf(wall: WallTime, zone?: string): number {
  const asUtc = utc(wall);
  const first = asUtc - offset(asUtc, zone);
  const second = asUtc - offset(first, zone);
  // They differ when the offset changes in between; a limit is waited for rather too long than too short.
  return Math.max(first, second);
}

function offset(at: number, zone: string | undefined): number {
  return utc(wallTime(at, zone)) - at;
}

function utc({ year, month, day, hour, minute }: WallTime): number {
  return Date.UTC(year, month - 1, day, hour, minute);
}
