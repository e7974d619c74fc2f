const LONGEST = 120;

/** A command on one line for people: the comment that a script begins with, else its first line that says something, cut. */
export function describeCommand(command: string): string {
  let top: string | undefined;
  const lines: string[] = [];
  // A script can be long, and two of its lines tell all that is asked here.
  for (const line of linesOf(command)) {
    if (line === '' || line.startsWith('#!')) continue;
    top ??= line;
    if (!line.startsWith('#') && !/^set -[a-z]+$/.test(line) && lines.push(line) === 2) break;
  }
  const first = lines[0] ?? command.trim();
  const comment = /^#+\s+(\S.*)$/.exec(top ?? '')?.[1];
  // One line says more itself than what stands above it.
  if (comment !== undefined && lines.length > 1) return shorten(comment);
  return shorten(lines.length > 1 ? `${first} …` : first);
}

function* linesOf(text: string): Generator<string> {
  for (let start = 0, end = 0; end !== -1; start = end + 1) {
    end = text.indexOf('\n', start);
    yield text.slice(start, end === -1 ? undefined : end).trim();
  }
}

/** A text on one line, cut. */
export function shorten(text: string): string {
  const folded = text.replace(/\s+/g, ' ').trim();
  return folded.length <= LONGEST ? folded : `${folded.slice(0, LONGEST - 1).toWellFormed().replace(/\uFFFD$/, '')}…`;
}
