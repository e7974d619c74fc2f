const MINUTE = 60_000;

/** When a limit resets, for people: `The limit resets at 2026-12-01 15:00 UTC, in 3 h 20 min.` Both are milliseconds since the epoch. Pure. */
export function resetWords(resetsAt: number, now: number): string {
  const moment = new Date(resetsAt);
  if (Number.isNaN(moment.getTime())) return '';
  const at = `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const minutes = Math.ceil((resetsAt - now) / MINUTE);
  if (minutes <= 0) return `The limit was to reset at ${at}.`;
  const [days, hours, rest] = [Math.floor(minutes / 1_440), Math.floor((minutes % 1_440) / 60), minutes % 60];
  const parts = [days > 0 ? `${days} d` : '', hours > 0 ? `${hours} h` : '', rest > 0 && days === 0 ? `${rest} min` : ''].filter((part) => part !== '');
  return `The limit resets at ${at}, in ${parts.join(' ')}.`;
}
