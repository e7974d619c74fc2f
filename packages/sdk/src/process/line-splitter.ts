/** Characters after which the rest of a line is dropped. */
const LONGEST_LINE = 32 * 1024 * 1024;

/** Text to lines, without their ends (`\n` or `\r\n`). The last line counts also when nothing ends it. */
export class LineSplitter {
  readonly #onLine: (line: string) => void;
  #parts: string[] = [];
  #length = 0;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(text: string): void {
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#keep(text.slice(from, end));
      this.#emit();
      from = end + 1;
    }
    if (from < text.length) this.#keep(text.slice(from));
  }

  end(): void {
    if (this.#length > 0) this.#emit();
  }

  #keep(part: string): void {
    const room = LONGEST_LINE - this.#length;
    if (room <= 0) return;
    const kept = part.length > room ? part.slice(0, room) : part;
    this.#parts.push(kept);
    this.#length += kept.length;
  }

  #emit(): void {
    const line = this.#parts.join('');
    this.#parts = [];
    this.#length = 0;
    this.#onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
  }
}
