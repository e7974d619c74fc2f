/** How much of a step's output a failure prints, in bytes of UTF-8. */
export const EXCERPT_BYTES = 4_096;

const LOOKS_LIKE_FAILURE = /\b(error|errors|fail|fails|failed|failure|fatal|panic|exception|traceback|assert(ion)?|expected|received|undefined reference|not found|denied|cannot|refused|timed? ?out)\b|^\s*(not ok|E |✗|✘|×|FAIL|ERR!|npm ERR)|[A-Za-z]Error\b/i;

/**
 * The part of an output that explains a failure, in at most `limit` bytes: its first lines, the lines that look like failures, and its
 * last lines. What is left out is said in place.
 */
export function excerpt(text: string, limit: number = EXCERPT_BYTES): string {
  const whole = text.replace(/\s+$/, '');
  if (bytes(whole) <= limit) return whole;

  const lines = whole.split('\n').map((line) => shortened(line, Math.floor(limit / 4)));
  const kept = new Set<number>();
  // Room for the marks of three gaps.
  let room = limit - 3 * bytes(gap(lines.length)) - 3;
  const take = (index: number, least: number): boolean => {
    const cost = bytes(lines[index] ?? '') + 1;
    if (kept.has(index)) return true;
    if (room - cost < least) return false;
    kept.add(index);
    room -= cost;
    return true;
  };

  const half = Math.floor(room / 2);
  const quarter = Math.floor(room / 4);
  for (let index = lines.length - 1; index >= 0 && take(index, half); index -= 1);
  for (let index = 0; index < lines.length && take(index, quarter); index += 1);

  // The first failures explain the later ones. Each run of neighbours costs one more mark, so it must pay for it.
  const mark = bytes(gap(lines.length)) + 1;
  for (const [index, line] of lines.entries()) {
    if (kept.has(index) || !LOOKS_LIKE_FAILURE.test(line)) continue;
    const joins = kept.has(index - 1);
    if (!joins) room -= mark;
    if (!take(index, 0)) break;
  }
  return assemble(lines, kept);
}

function assemble(lines: readonly string[], kept: ReadonlySet<number>): string {
  const result: string[] = [];
  let missing = 0;
  for (const [index, line] of lines.entries()) {
    if (!kept.has(index)) {
      missing += 1;
      continue;
    }
    if (missing > 0) result.push(gap(missing));
    missing = 0;
    result.push(line);
  }
  if (missing > 0) result.push(gap(missing));
  return result.join('\n');
}

function gap(lines: number): string {
  return `… ${lines} ${lines === 1 ? 'line' : 'lines'} left out …`;
}

/** One line may not use up the room of all others: its middle gives way. */
function shortened(line: string, limit: number): string {
  if (bytes(line) <= limit) return line;
  const each = Math.floor((limit - 5) / 2);
  return `${firstBytes(line, each)} … ${lastBytes(line, each)}`;
}

/** Decoding what is left of a cut character gives U+FFFD, which is dropped. */
function firstBytes(text: string, limit: number): string {
  return Buffer.from(text).subarray(0, limit).toString().replace(/\uFFFD$/, '');
}

function lastBytes(text: string, limit: number): string {
  const all = Buffer.from(text);
  return all.subarray(all.length - limit).toString().replace(/^\uFFFD+/, '');
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}
