import type { Finding, Rest, RestStep } from './finding.js';
import { spelledForms } from './encoded-forms.js';
import { insidePlaceholder, labelOf, PLACEHOLDER_LENGTH, PLACEHOLDER_START } from './placeholder.js';
import { isSecretName } from './secret-names.js';
import type { TextWindow } from './text-window.js';

/** Shorter values are too likely to be ordinary text. */
const SHORTEST_VALUE = 8;
/** How much of a long value must appear to be taken for it. The rest is compared as it comes, so a value of any length costs no more memory. */
const PLAIN_KEY = 64;
/** Base64 is broken into lines, so less of it can be relied upon. */
const BASE64_KEY = 24;

interface Pattern {
  readonly key: string;
  readonly label: string;
  readonly base64: boolean;
  /** What may follow the key: one for each value that begins alike. */
  readonly rests: string[];
}

/**
 * Finds the values of secret variables, in every spelling of `spelledForms`.
 *
 * A text is viewed through a window of eight characters, which moves on by up to seven at a time: as far as the pair at its end allows for
 * all values together (after Wu and Manber). Most of a text is thus never looked at.
 */
export class KnownValues {
  readonly #shift: Uint8Array | undefined;
  readonly #byStart = new Map<string, Pattern[]>();
  /** Every beginning of a pattern shorter than the window. */
  readonly #beginnings = new Set<string>();
  readonly #labels = new Set<string>();

  constructor(env: Readonly<Record<string, string | undefined>>) {
    const patterns = patternsOf(env);
    if (patterns.length === 0) return;
    const shift = new Uint8Array(1 << 14).fill(SHORTEST_VALUE - 1);
    for (const pattern of patterns) {
      this.#labels.add(pattern.label);
      for (let i = 1; i < SHORTEST_VALUE; i += 1) {
        const pair = bigramAt(pattern.key, i);
        shift[pair] = Math.min(shift[pair] ?? 0, SHORTEST_VALUE - 1 - i);
        this.#beginnings.add(pattern.key.slice(0, i));
      }
      const start = pattern.key.slice(0, SHORTEST_VALUE);
      const sameStart = this.#byStart.get(start);
      if (sameStart === undefined) this.#byStart.set(start, [pattern]);
      else sameStart.push(pattern);
    }
    this.#shift = shift;
  }

  /** The next index where a value may begin, or -1. */
  next(text: string, from: number): number {
    const shift = this.#shift;
    if (shift === undefined) return -1;
    const { length } = text;
    for (let i = from + SHORTEST_VALUE - 1; i < length;) {
      const step = shift[((text.charCodeAt(i - 1) & 127) << 7) | (text.charCodeAt(i) & 127)] as number;
      if (step === 0) return i - SHORTEST_VALUE + 1;
      i += step;
    }
    return -1;
  }

  /** The longest value that begins at an index. */
  inspect(window: TextWindow, start: number): Finding | undefined {
    const { text } = window;
    const patterns = this.#byStart.get(text.slice(start, start + SHORTEST_VALUE));
    if (patterns === undefined) return undefined;
    window.holdFrom = start;
    // Longest first; one that the end of the window cuts off could still be the one.
    for (const pattern of patterns) {
      const end = start + pattern.key.length;
      if (text.startsWith(pattern.key, start)) return this.#found(window, pattern, start, end);
      if (end > text.length && pattern.key.startsWith(text.slice(start))) window.sawEnd = true;
    }
    return undefined;
  }

  /** Calls back for every index near the end from which less text is left than is needed to look a value up, if that much fits one. */
  eachCutOff(text: string, from: number, found: (index: number) => void): void {
    if (this.#shift === undefined) return;
    for (let index = Math.max(from, text.length - SHORTEST_VALUE + 1); index < text.length; index += 1) {
      if (this.#beginnings.has(text.slice(index))) found(index);
    }
  }

  #found(window: TextWindow, pattern: Pattern, start: number, end: number): Finding | undefined {
    if (this.#insidePlaceholder(window, start, end)) return undefined;
    const rest = pattern.base64 || pattern.rests.some((text) => text !== '') ? new RestOfValue(pattern) : undefined;
    return { start, label: pattern.label, certainTo: end, ...(rest === undefined ? {} : { rest }) };
  }

  /** A value such as `redacted` must not be found in what stands for another. */
  #insidePlaceholder(window: TextWindow, start: number, end: number): boolean {
    const { text } = window;
    const from = Math.max(0, start - PLACEHOLDER_LENGTH);
    const open = text.slice(from, start + 1).lastIndexOf('[') + from;
    if (open < from || (!text.startsWith(PLACEHOLDER_START, open) && !PLACEHOLDER_START.startsWith(text.slice(open, open + PLACEHOLDER_LENGTH)))) return false;
    // Its end may be still to come.
    if (!text.slice(end, end + PLACEHOLDER_LENGTH).includes(']')) window.at(end + PLACEHOLDER_LENGTH);
    return insidePlaceholder(text, start, end, (label) => this.#isOpaque(label));
  }

  /** A label that this redactor did not write is left alone only when it gives no value away. */
  #isOpaque(label: string): boolean {
    if (this.#labels.has(label)) return true;
    for (let at = this.next(label, 0); at !== -1; at = this.next(label, at + 1)) {
      if (this.#byStart.get(label.slice(at, at + SHORTEST_VALUE))?.some(({ key }) => label.startsWith(key, at)) === true) return false;
    }
    return true;
  }
}

function bigramAt(text: string, last: number): number {
  return ((text.charCodeAt(last - 1) & 127) << 7) | (text.charCodeAt(last) & 127);
}

/** Longest first, then by name, so that the same environment always gives the same labels. */
function patternsOf(env: Readonly<Record<string, string | undefined>>): Pattern[] {
  const byKey = new Map<string, Pattern>();
  for (const name of Object.keys(env).sort()) {
    const value = env[name]?.trim();
    if (value === undefined || value.length < SHORTEST_VALUE || !isSecretName(name, value)) continue;
    for (const { text, base64 } of spelledForms(value)) {
      const length = base64 ? BASE64_KEY : PLAIN_KEY;
      const key = text.slice(0, length);
      const rest = text.slice(length);
      const same = byKey.get(key);
      if (same === undefined) byKey.set(key, { key, label: labelOf(name), base64, rests: [rest] });
      else if (!same.rests.includes(rest)) same.rests.push(rest);
    }
  }
  return [...byKey.values()].sort((a, b) => b.key.length - a.key.length);
}

/** What of a value follows its key, as far as it does. */
class RestOfValue implements Rest {
  readonly #base64: boolean;
  #candidates: readonly string[];
  /** How much of the candidates was seen. */
  #offset = 0;
  /** Characters of base64 that may still follow a complete value: one that it shares with its neighbour, and padding. */
  #shared = 1;

  constructor(pattern: Pattern) {
    this.#base64 = pattern.base64;
    this.#candidates = pattern.rests;
  }

  advance(text: string, from: number, final: boolean): RestStep {
    for (let at = from; at < text.length; at += 1) {
      if (!this.#takes(text.charAt(at))) return { ended: true, at };
    }
    return { ended: final, at: text.length };
  }

  #takes(char: string): boolean {
    if (this.#candidates.some((rest) => rest.charAt(this.#offset) === char && char !== '')) {
      this.#candidates = this.#candidates.filter((rest) => rest.charAt(this.#offset) === char);
      this.#offset += 1;
      return true;
    }
    if (!this.#base64) return false;
    if (this.#candidates.some((rest) => this.#offset < rest.length)) return char === '\n' || char === '\r';
    if (char === '=') {
      this.#shared = 0;
      return true;
    }
    this.#shared -= 1;
    return this.#shared === 0 && /[A-Za-z0-9+/_-]/.test(char);
  }
}
