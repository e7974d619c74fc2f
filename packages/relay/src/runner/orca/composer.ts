/** What a program draws around and before what is typed in. */
const FRAME = /[\s\u2500-\u259f|>❯›»▌]+/gu;
/** What tells a terminal how to draw, within a line. */
const DRAWING = /(?!\t)\p{Cc}(?:\[[0-9;?]*[ -/]*[@-~]|\][^\p{Cc}]*(?:\p{Cc}\\?)?|[@-Z\\^_])?/gu;
/** A line where something could be typed in, and nothing is. */
const EMPTY_COMPOSER = /^[\s\u2500-\u259f|]*[>❯›»$#%▌][\s\u2500-\u259f|]*$/u;
/** How programs show a long text that was pasted. */
const PASTED = /\[Pasted[^\]]*\]/g;
/** Below a composer there are a frame and a line or two of help. */
const LINES_BELOW = 5;
/** Enough of the end of a text to know it by. */
const KNOWN_BY = 24;

/**
 * Whether a text that was typed into a program still stands where it was typed in: its end is at the bottom of the screen, with nothing below that could be typed into.
 * A wrong yes costs one more press of the enter key, which does nothing where nothing is typed in.
 */
export function holdsText(screen: string, text: string): boolean {
  const lines = screen.split(/\r?\n/).map((line) => line.replace(DRAWING, '')).filter((line) => line.trim() !== '');
  const end = text.replace(FRAME, '').slice(-KNOWN_BY);
  if (end === '') return false;
  const drawn = lines.map((line) => line.replace(FRAME, ''));
  const last = Math.max(lastLineWith(drawn, end), lines.findLastIndex((line) => line.search(PASTED) >= 0));
  if (last < 0) return false;
  const below = lines.slice(last + 1);
  return below.length <= LINES_BELOW && !below.some((line) => EMPTY_COMPOSER.test(line));
}

/** Whether a word stands anywhere on the screen, also over the end of a line. */
export function showsWord(screen: string, word: string): boolean {
  const bare = (text: string): string => text.replace(DRAWING, '').replace(FRAME, '');
  return screen.split(/\r?\n/).map(bare).join('').includes(bare(word));
}

/** The line in which the last appearance of a text ends, that may go over several; -1 when it does not appear. */
function lastLineWith(lines: readonly string[], text: string): number {
  const at = lines.join('').lastIndexOf(text);
  if (at < 0) return -1;
  let passed = 0;
  return lines.findIndex((line) => (passed += line.length) >= at + text.length);
}

/** The text in what `terminal read` answers, wherever a version of Orca puts it; `undefined` when there is none. */
export function screenOf(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null) return undefined;
  const members = result as Readonly<Record<string, unknown>>;
  for (const name of ['screen', 'text', 'output', 'content', 'lines']) {
    const value = members[name];
    if (typeof value === 'string') return value;
    if (Array.isArray(value)) return value.map((line) => (typeof line === 'string' ? line : screenOf(line) ?? '')).join('\n');
  }
  for (const name of ['screen', 'read', 'terminal']) {
    const inner = screenOf(members[name]);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
