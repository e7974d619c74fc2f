/** A word as a shell reads it, quoted where it must be: for commands that are printed to be copied. */
export function shellWord(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) && !word.startsWith('-') ? word : `'${word.replaceAll(`'`, `'\\''`)}'`;
}
