const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const;

/** `850 ms`, `3.2 s`, `2m 05s`, `1h 04m`, `2d 03h`. */
export function lasting(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  for (const [index, [unit, size]] of UNITS.entries()) {
    if (seconds < size) continue;
    const [smaller, smallerSize] = UNITS[index + 1] ?? ['s', 1];
    return `${Math.floor(seconds / size)}${unit} ${String(Math.floor((seconds % size) / smallerSize)).padStart(2, '0')}${smaller}`;
  }
  return `${seconds} s`;
}

/** `just now`, `5m ago`, `3d ago`; of what is to come, `in 5m`. */
export function since(at: number, now: number): string {
  const seconds = Math.floor(Math.abs(now - at) / 1_000);
  if (seconds < 5) return at > now ? 'now' : 'just now';
  const [unit, size] = UNITS.find(([, one]) => seconds >= one) ?? (['s', 1] as const);
  const amount = `${Math.floor(seconds / size)}${unit}`;
  return at > now ? `in ${amount}` : `${amount} ago`;
}

/** Local time, with the date unless it is today: `14:05:00`, `2031-04-01 14:05:00`. */
export function clock(at: number, now: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const [moment, today] = [new Date(at), new Date(now)];
  const time = [moment.getHours(), moment.getMinutes(), moment.getSeconds()].map(two).join(':');
  return moment.toDateString() === today.toDateString() ? time : `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())} ${time}`;
}

/** `1 run`, `2 runs`, `2 repositories`. */
export function count(amount: number, one: string, many = `${one}s`): string {
  return `${amount} ${amount === 1 ? one : many}`;
}
