/** What is quoted of standard output in all, and of one line of it, in characters. */
const QUOTED = 4_096;
const LINE = 1_000;
/** What is remembered: secrets are taken out before it is cut down, so that none is cut in two and half of it left. */
const REMEMBERED = 65_536;
const REMEMBERED_LINE = 16_384;

/** The end of what a CLI wrote on its standard output, for the evidence of a failure: its last records that matter, and whatever else it said. */
export class Quotes {
  #lines: { readonly text: string; readonly isRecord: boolean }[] = [];
  #size = 0;

  add(line: string, isRecord: boolean): void {
    const text = ends(line, REMEMBERED_LINE);
    this.#lines.push({ text, isRecord });
    this.#size += text.length;
    while (this.#size > REMEMBERED && this.#lines.length > 1) this.#size -= this.#lines.shift()?.text.length ?? 0;
  }

  /** All of it. */
  all(redact: (text: string) => string): string {
    return quoted(this.#lines, redact);
  }

  /** What is no record: a CLI that breaks says why in plain words. */
  plain(redact: (text: string) => string): string {
    return quoted(this.#lines.filter(({ isRecord }) => !isRecord), redact);
  }
}

function quoted(lines: readonly { readonly text: string }[], redact: (text: string) => string): string {
  const kept: string[] = [];
  let room = QUOTED;
  // Redacted as one text: a key goes over many lines.
  for (const line of redact(lines.map(({ text }) => text).join('\n')).split('\n').reverse()) {
    const text = ends(line, LINE);
    if (text.trim() === '') continue;
    if (text.length + 1 > room) break;
    room -= text.length + 1;
    kept.unshift(text);
  }
  return kept.join('\n');
}

/** A text of at most so many characters: the beginning of a record tells what it is, its end how it ended. */
function ends(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor((limit - 40) / 2);
  return `${text.slice(0, half)} [… ${text.length - 2 * half} characters …] ${text.slice(-half)}`;
}
