/** A word as a POSIX shell reads it: as it is where that is safe, else in single quotes. */
export function shellWord(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll(`'`, `'\\''`)}'`;
}
