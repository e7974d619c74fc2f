const LONGEST = 200;

/** How a command line is shown: in one line, 200 characters at most. */
export function oneLine(command: string): string {
  const line = command.replaceAll(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}
