interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** The first name stands for `min`. */
  readonly names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const FIELDS: readonly Field[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  // 7 is Sunday as well.
  { name: 'day of week', min: 0, max: 7, names: WEEKDAYS },
];

/** What is wrong with a cron expression of five fields, or `undefined`. Lists, ranges, steps and names are understood. */
export function cronProblem(expression: string): string | undefined {
  const parts = expression.trim().split(/\s+/);
  if (parts.length !== FIELDS.length || parts[0] === '') {
    return `needs five fields (minute, hour, day of month, month, day of week), got ${parts[0] === '' ? 0 : parts.length}`;
  }
  for (const [index, field] of FIELDS.entries()) {
    const part = parts[index] ?? '';
    if (!part.split(',').every((item) => isItem(item, field))) {
      return `${JSON.stringify(part)} is not a ${field.name}; it must lie between ${field.min} and ${field.max}`;
    }
  }
  return undefined;
}

/** `*`, `n`, `a-b`, each with an optional `/step`. */
function isItem(item: string, field: Field): boolean {
  const [range = '', step, ...rest] = item.split('/');
  if (rest.length > 0 || (step !== undefined && !(/^\d{1,3}$/.test(step) && Number(step) >= 1))) return false;
  if (range === '*') return true;
  const ends = range.split('-').map((end) => valueOf(end, field));
  const [from, to = from] = ends;
  return ends.length <= 2 && from !== undefined && to !== undefined && from <= to;
}

function valueOf(text: string, field: Field): number | undefined {
  const named = field.names?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0) return field.min + named;
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= field.min && value <= field.max ? value : undefined;
}
