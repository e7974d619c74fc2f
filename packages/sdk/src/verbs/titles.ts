const LONGEST = 120;

/** A command on one line for people: its first line that says something, cut. */
export function describeCommand(command: string): string {
  const lines = command.split('\n').map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#') && !/^set -[a-z]+$/.test(line));
  const first = lines[0] ?? command.trim();
  return shorten(lines.length > 1 ? `${first} …` : first);
}

/** A text on one line, cut. */
export function shorten(text: string): string {
  const folded = text.replace(/\s+/g, ' ').trim();
  return folded.length <= LONGEST ? folded : `${folded.slice(0, LONGEST - 1).toWellFormed().replace(/\uFFFD$/, '')}…`;
}
