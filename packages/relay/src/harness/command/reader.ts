import { stripVTControlCharacters } from 'node:util';
import type { TurnEnd, TurnReader } from '../port.js';

/** How much of the output is looked at, from its end, in characters. A report is a page. */
const KEPT = 4 * 1024 * 1024;

/** Keeps the end of what a command prints, in which its report stands. */
export class CommandReader implements TurnReader {
  #lines: string[] = [];
  #length = 0;

  line(line: string): void {
    const plain = stripVTControlCharacters(line);
    this.#lines.push(plain);
    this.#length += plain.length + 1;
    // Twice as much before anything is thrown away: each line is moved once.
    if (this.#length > 2 * KEPT) this.#forget();
  }

  end({ exitCode, signal }: { readonly exitCode?: number; readonly signal?: string }): TurnEnd {
    if (exitCode === 0) return { text: this.#lines.join('\n') };
    if (signal !== undefined) return { failure: `The command was ended by ${signal}, so what it printed is not taken as its report.` };
    return { failure: `The command ended with status ${exitCode ?? 'unknown'}, so what it printed is not taken as its report.` };
  }

  #forget(): void {
    let from = this.#lines.length - 1;
    let length = this.#lines[from]?.length ?? 0;
    while (from > 0 && length + (this.#lines[from - 1]?.length ?? 0) < KEPT) {
      from -= 1;
      length += (this.#lines[from]?.length ?? 0) + 1;
    }
    this.#lines = this.#lines.slice(from);
    this.#length = length;
  }
}
