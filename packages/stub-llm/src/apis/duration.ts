/** Seconds as the providers write them: `2h13m20s`, `45s`. */
export function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  const parts = [
    [Math.floor(whole / 3_600), 'h'],
    [Math.floor(whole / 60) % 60, 'm'],
    [whole % 60, 's'],
  ] as const;
  return parts.filter(([amount, unit]) => amount > 0 || (unit === 's' && whole < 60)).map(([amount, unit]) => `${amount}${unit}`).join('');
}
