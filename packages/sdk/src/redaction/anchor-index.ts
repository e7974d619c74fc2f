const BIGRAMS = 1 << 14;

/** The pair of characters as an index; characters beyond ASCII share places with others, which costs a closer look and nothing more. */
function bigram(first: number, second: number): number {
  return ((first & 127) << 7) | (second & 127);
}

/**
 * Finds the places of many short texts in one pass, ignoring the case of letters: a text is looked at in steps of up to two characters, as
 * far as the pair of characters under view allows.
 */
export class AnchorIndex<T> {
  /** How far the view may move when it shows this pair; 0 where the second and third character of an anchor may be. */
  readonly #shift = new Uint8Array(BIGRAMS).fill(2);
  /** 1 where the first and second character of an anchor may be. */
  readonly #first = new Uint8Array(BIGRAMS);
  readonly #byStart: (readonly { readonly anchor: string; readonly value: T }[] | undefined)[] = [];
  readonly #beginnings = new Map<string, T[]>();
  readonly #longest: number;

  constructor(entries: readonly { readonly anchor: string; readonly value: T }[]) {
    this.#byStart.length = 1 << 15;
    this.#longest = Math.max(...entries.map(({ anchor }) => anchor.length));
    for (const entry of entries) {
      const { anchor, value } = entry;
      eachCase(anchor.slice(0, 2), (a, b) => {
        this.#first[bigram(a, b)] = 1;
        this.#shift[bigram(a, b)] = Math.min(1, this.#shift[bigram(a, b)] ?? 0);
      });
      eachCase(anchor.slice(1, 3), (a, b) => {
        this.#shift[bigram(a, b)] = 0;
      });
      const start = trigram(anchor.charCodeAt(0), anchor.charCodeAt(1), anchor.charCodeAt(2));
      this.#byStart[start] = [...(this.#byStart[start] ?? []), entry];
      for (let length = 1; length < anchor.length; length += 1) append(this.#beginnings, anchor.slice(0, length), value);
    }
  }

  /** The index of the first anchor from `from` on, or -1. */
  first(text: string, from: number): number {
    for (let at = this.#next(text, from); at !== -1; at = this.#next(text, at + 1)) {
      if (this.#entriesAt(text, at).some(({ anchor }) => startsWithFolded(text, anchor, at))) return at;
    }
    return -1;
  }

  /** Calls back for every anchor from `from` on, in order, with its index and what is filed under it. */
  each(text: string, from: number, found: (index: number, value: T) => void): void {
    for (let at = this.#next(text, from); at !== -1; at = this.#next(text, at + 1)) {
      for (const { anchor, value } of this.#entriesAt(text, at)) if (startsWithFolded(text, anchor, at)) found(at, value);
    }
  }

  /** Calls back for every index near the end where the beginning of an anchor, cut off by the end, stands. */
  eachCutOff(text: string, from: number, found: (index: number, value: T) => void): void {
    const start = Math.max(from, text.length - this.#longest + 1, 0);
    const tail = text.slice(start).toLowerCase();
    for (let i = 0; i < tail.length; i += 1) {
      for (const value of this.#beginnings.get(tail.slice(i)) ?? []) found(start + i, value);
    }
  }

  /** The next index whose first pairs of characters fit an anchor, or -1. */
  #next(text: string, from: number): number {
    const shift = this.#shift;
    const first = this.#first;
    const { length } = text;
    for (let i = from + 2; i < length;) {
      const middle = text.charCodeAt(i - 1);
      const step = shift[bigram(middle, text.charCodeAt(i))] as number;
      if (step !== 0) {
        i += step;
      } else if (first[bigram(text.charCodeAt(i - 2), middle)] === 1) {
        return i - 2;
      } else {
        i += 1;
      }
    }
    return -1;
  }

  #entriesAt(text: string, index: number): readonly { readonly anchor: string; readonly value: T }[] {
    return this.#byStart[trigram(text.charCodeAt(index), text.charCodeAt(index + 1), text.charCodeAt(index + 2))] ?? [];
  }
}

/** Three characters, regardless of the case of letters, as an index; others share it. */
function trigram(a: number, b: number, c: number): number {
  return ((a & 31) << 10) | ((b & 31) << 5) | (c & 31);
}

function startsWithFolded(text: string, anchor: string, index: number): boolean {
  for (let i = 0; i < anchor.length; i += 1) {
    const code = text.charCodeAt(index + i);
    if ((code >= 65 && code <= 90 ? code + 32 : code) !== anchor.charCodeAt(i)) return false;
  }
  return true;
}

function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else if (!list.includes(value)) list.push(value);
}

function eachCase(pair: string, found: (first: number, second: number) => void): void {
  const cases = (char: string): Set<string> => new Set([char.toLowerCase(), char.toUpperCase()]);
  for (const a of cases(pair.charAt(0))) for (const b of cases(pair.charAt(1))) found(a.charCodeAt(0), b.charCodeAt(0));
}
