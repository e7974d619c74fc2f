const LONGEST = 120;

/** A command on one line for people: the comment that a script begins with, else its first line that says something, cut. */
export function describeCommand(command: string): string {
  const all = command.split('\n').map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#!'));
  const lines = all.filter((line) => !line.startsWith('#') && !/^set -[a-z]+$/.test(line));
  const first = lines[0] ?? command.trim();
  const comment = /^#+\s+(\S.*)$/.exec(all[0] ?? '')?.[1];
  // One line says more itself than what stands above it.
  if (comment !== undefined && lines.length > 1) return shorten(comment);
  return shorten(lines.length > 1 ? `${first} …` : first);
}

/** A text on one line, cut. */
export function shorten(text: string): string {
  const folded = text.replace(/\s+/g, ' ').trim();
  return folded.length <= LONGEST ? folded : `${folded.slice(0, LONGEST - 1).toWellFormed().replace(/\uFFFD$/, '')}…`;
}
