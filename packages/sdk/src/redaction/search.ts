import type { Finding } from './finding.js';
import type { TextWindow } from './text-window.js';

/** A secret of which it is known how far it goes in the text at hand. */
export interface Found extends Finding {
  /** Where it was noticed; it is noticed again when a later search begins there or before. */
  readonly anchor: number;
  readonly by: SearchKind;
  /** Up to here the text belongs to it. */
  readonly end: number;
  /** Whether `end` is its end, or only the end of the text at hand. */
  readonly ended: boolean;
}

/** By the values that are known, or by the rules. */
export type SearchKind = 'value' | 'rule';

/** One search through a window: collects what is decided, and from where on the rest must wait for more text. */
export class Search {
  readonly found: Found[] = [];
  /** Nothing may be delivered from here on. */
  hold: number;
  /** The next search begins here. */
  next: number;
  readonly #window: TextWindow;
  readonly #by: SearchKind;
  readonly #ends = new Map<string, number>();

  constructor(window: TextWindow, by: SearchKind) {
    this.#window = window;
    this.#by = by;
    this.hold = window.text.length;
    this.next = window.text.length;
  }

  judge(anchor: number, inspect: () => Finding | undefined): void {
    const window = this.#window;
    window.reset();
    const finding = inspect();
    if (window.undecided) this.postpone(anchor, window.holdFrom);
    else if (finding !== undefined) this.#follow(finding, anchor);
  }

  /** What stands at `anchor` cannot be judged yet; a secret may begin at `hold`. */
  postpone(anchor: number, hold: number): void {
    this.next = Math.min(this.next, anchor);
    this.hold = Math.min(this.hold, hold);
  }

  /**
   * Finds the end of a secret as far as the text goes.
   *
   * One that begins inside an earlier one with the same kind of rest ends where that one ends; it is left out, which keeps the search linear.
   */
  #follow(finding: Finding, anchor: number): void {
    const { rest, certainTo } = finding;
    const { text, final } = this.#window;
    const base = { ...finding, anchor, by: this.#by };
    if (rest === undefined) {
      this.found.push({ ...base, end: certainTo, ended: true });
      return;
    }
    if (rest.kind !== undefined && finding.start < (this.#ends.get(rest.kind) ?? -1)) return;
    const { ended, at } = rest.advance(text, certainTo, final);
    if (rest.kind !== undefined) this.#ends.set(rest.kind, ended ? at : text.length);
    this.found.push({ ...base, end: at, ended });
    if (!ended) this.hold = Math.min(this.hold, at);
  }
}

/** In the order of their beginnings; of those that begin together, the one whose name the placeholder gets comes first. */
export function inOrder(found: readonly Found[]): Found[] {
  return [...found].sort((a, b) => a.start - b.start || (a.by === b.by ? b.end - a.end : a.by === 'value' ? -1 : 1));
}
