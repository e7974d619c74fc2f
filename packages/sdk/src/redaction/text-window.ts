import { followsPlaceholder } from './placeholder.js';

/**
 * The part of a text that a rule can see: everything kept so far, of which more may follow.
 *
 * A rule decides as if the text ended with the window. When it looked at that end while more may follow, its decision is put off and it is
 * asked again with a longer window, so that a secret split over pieces is judged like a whole one. Until then what begins at `holdFrom` is
 * kept back. A rule looks a bounded distance ahead, hence the hold is bounded.
 */
export class TextWindow {
  readonly text: string;
  /** Nothing follows. */
  readonly final: boolean;
  sawEnd = false;
  holdFrom = Number.POSITIVE_INFINITY;

  constructor(text: string, final: boolean) {
    this.text = text;
    this.final = final;
  }

  /** Before a rule is asked. */
  reset(): void {
    this.sawEnd = false;
    this.holdFrom = Number.POSITIVE_INFINITY;
  }

  /** Whether the rule just asked must be asked again when there is more text. */
  get undecided(): boolean {
    return this.sawEnd && !this.final;
  }

  /** The character at an index; empty at the end. */
  at(index: number): string {
    if (index >= this.text.length) this.sawEnd = true;
    return this.text.charAt(index);
  }

  /**
   * Where a sticky pattern ends when it begins at `index`. The pattern matches every beginning of what it matches, as `/[a-z]{0,64}/y` does;
   * only a backslash may need the character behind it.
   */
  skip(pattern: RegExp, index: number): number {
    pattern.lastIndex = index;
    pattern.test(this.text);
    const end = Math.max(pattern.lastIndex, index);
    if (end >= this.text.length || (end === this.text.length - 1 && this.text.endsWith('\\'))) this.sawEnd = true;
    return end;
  }

  /** The text that a sticky pattern matches at `index`. */
  take(pattern: RegExp, index: number): string {
    return this.text.slice(index, this.skip(pattern, index));
  }
}

/**
 * Whether a token can begin at an index: after nothing, after a character that is not part of a word, after an escape (`\n`, `%3D`) or
 * after a terminal's colour sequence.
 */
export function isTokenStart(text: string, index: number): boolean {
  if (index === 0) return true;
  if (!/[A-Za-z0-9_]/.test(text.charAt(index - 1))) return !followsPlaceholder(text, index);
  return /(?:\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\u001b\[[0-9;]{0,12}m|\\(?:e|x1b|u001b)\[[0-9;]{0,12}m)$/i.test(text.slice(Math.max(0, index - 24), index));
}
