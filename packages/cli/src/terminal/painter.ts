import type { Output } from '../io.js';
import { widthOf } from '../text/width.js';

const HIDE_CURSOR = '\u001B[?25l';
const SHOW_CURSOR = '\u001B[?25h';
const ERASE_LINE_END = '\u001B[K';
const ERASE_BELOW = '\u001B[J';

/** Repaints some lines at the bottom of a terminal, and prints what stays above them. The cursor rests below the lines. */
export class Painter {
  readonly #output: Output;
  #painted: readonly string[] = [];
  #hidden = false;

  constructor(output: Output) {
    this.#output = output;
  }

  /** Replaces what was painted. */
  paint(lines: readonly string[]): void {
    if (this.#hidden && lines.length === this.#painted.length && lines.every((line, index) => line === this.#painted[index])) return;
    const cursor = this.#hidden ? '' : HIDE_CURSOR;
    this.#hidden = true;
    this.#output.write(`${cursor}${this.#toTop()}${lines.map((line) => `${line}${ERASE_LINE_END}\n`).join('')}${ERASE_BELOW}`);
    this.#painted = lines;
  }

  /** Prints complete lines above what is painted. */
  print(text: string): void {
    const painted = this.#painted;
    this.#output.write(`${painted.length === 0 ? '' : `${this.#toTop()}${ERASE_BELOW}`}${text}`);
    this.#painted = [];
    if (painted.length > 0) this.paint(painted);
  }

  /** Takes away what is painted and shows the cursor. */
  clear(): void {
    if (!this.#hidden) return;
    this.#output.write(`${this.#toTop()}${ERASE_BELOW}${SHOW_CURSOR}`);
    this.#painted = [];
    this.#hidden = false;
  }

  /** A terminal that became narrower has wrapped the lines, so they take more rows than there were lines. */
  #toTop(): string {
    const columns = Math.max(1, this.#output.columns);
    const rows = this.#painted.reduce((total, line) => total + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
    return rows === 0 ? '' : `\r\u001B[${rows}A`;
  }
}
