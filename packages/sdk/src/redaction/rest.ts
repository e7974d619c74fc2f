import type { Rest, RestStep } from './finding.js';

/** A secret that runs up to the first match of a pattern. The pattern is global, and what it matches is one character, or a backslash and one. */
export class RestUpTo implements Rest {
  readonly kind: string;
  readonly #stop: RegExp;

  constructor(stop: RegExp) {
    this.kind = `up to ${stop.source}`;
    this.#stop = stop;
  }

  advance(text: string, from: number, final: boolean): RestStep {
    this.#stop.lastIndex = from;
    const stop = this.#stop.exec(text);
    if (stop !== null) return { ended: true, at: stop.index };
    // A backslash at the end may be half of a stop.
    const pending = !final && text.length > from && text.endsWith('\\') ? 1 : 0;
    return { ended: final, at: text.length - pending };
  }
}

/**
 * The rest of a quoted text, up to its closing quote or the end of the line.
 *
 * `depth` is how many backslashes stand before the quotes: 0 in JSON, 1 in JSON inside JSON, 3 one level deeper. A quote with another number
 * of them is part of the value, unless it has fewer: then the text around the value ends.
 */
export class RestOfQuoted implements Rest {
  readonly kind: string;
  readonly #quote: string;
  readonly #depth: number;
  /** Backslashes directly before the place where the last call stopped. */
  #run = 0;

  constructor(quote: string, depth: number) {
    this.kind = `quoted by ${depth} ${quote}`;
    this.#quote = quote;
    this.#depth = depth;
  }

  advance(text: string, from: number, final: boolean): RestStep {
    const look = /[\\"'`\r\n]/g;
    let run = this.#run;
    let expected = from;
    look.lastIndex = from;
    for (let match = look.exec(text); match !== null; match = look.exec(text)) {
      const { index } = match;
      if (index !== expected) run = 0;
      expected = index + 1;
      const char = match[0];
      if (char === '\\') {
        run += 1;
        continue;
      }
      if (char === '\n' || char === '\r') return { ended: true, at: index };
      if (char === this.#quote && this.#closes(run)) return { ended: true, at: Math.max(from, index - Math.min(run, this.#depth)) };
      run = 0;
    }
    if (expected !== text.length) run = 0;
    // Backslashes at the end may belong to the closing quote.
    const pending = final ? 0 : Math.min(run, this.#depth, text.length - from);
    this.#run = run - pending;
    return { ended: final, at: text.length - pending };
  }

  #closes(run: number): boolean {
    return run < this.#depth || run % (2 * (this.#depth + 1)) === this.#depth;
  }
}
