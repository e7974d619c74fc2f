/** The outcome of reading JSON: the value, or where and why the text is not JSON. Lines and columns count from 1. */
export type JsonReading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string; readonly line: number; readonly column: number };

/** Reads JSON. A byte order mark at the beginning is allowed. */
export function readJson(text: string): JsonReading {
  const json = text.startsWith('\uFEFF') ? text.slice(1) : text;
  try {
    return { ok: true, value: JSON.parse(json) };
  } catch (error) {
    // Not every version of V8 says where, so the place is looked for.
    const fault = new JsonFaultFinder(json).find();
    const before = json.slice(0, fault?.at ?? 0).split(/\r\n|[\n\r]/);
    return { ok: false, reason: fault?.reason ?? (error as Error).message, line: before.length, column: (before.at(-1) ?? '').length + 1 };
  }
}

interface JsonFault {
  readonly at: number;
  readonly reason: string;
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
/** A string up to its closing quote or to what may not be in it. */
const STRING_BODY = /(?:[^"\\\u0000-\u001F]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/y;

/** Walks a text that is not JSON to the first place where it stops being JSON. Keeps its own stack: depth is the text's choice. */
class JsonFaultFinder {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  find(): JsonFault | undefined {
    /** The closing bracket of each open array and object. */
    const open: (']' | '}')[] = [];
    for (;;) {
      const begun = this.#value();
      if (begun === ']' || begun === '}') {
        open.push(begun);
        if (!this.#take(begun)) {
          const fault = begun === '}' ? this.#key() : undefined;
          if (fault !== undefined) return fault;
          continue;
        }
        open.pop();
      } else if (begun !== undefined) {
        return begun;
      }
      const fault = this.#close(open);
      if (fault === 'next') continue;
      return fault === 'end' ? undefined : fault;
    }
  }

  /** After a value: closes brackets up to the next comma, or to the end of the text. */
  #close(open: (']' | '}')[]): 'next' | 'end' | JsonFault {
    for (;;) {
      const bracket = open.at(-1);
      if (bracket === undefined) return this.#peek() === undefined ? 'end' : this.#fault('the end of the text');
      if (this.#take(bracket)) {
        open.pop();
        continue;
      }
      if (!this.#take(',')) return this.#fault(`"," or "${bracket}"`);
      return (bracket === '}' ? this.#key() : undefined) ?? 'next';
    }
  }

  /** Takes a whole simple value, or the opening bracket of another one and gives the bracket that closes it. */
  #value(): ']' | '}' | JsonFault | undefined {
    if (this.#take('[')) return ']';
    if (this.#take('{')) return '}';
    if (this.#peek() === '"') return this.#string();
    return this.#match(NUMBER) || this.#match(WORD) ? undefined : this.#fault('a value');
  }

  #key(): JsonFault | undefined {
    if (this.#peek() !== '"') return this.#fault('a key in double quotes');
    return this.#string() ?? (this.#take(':') ? undefined : this.#fault('":"'));
  }

  #string(): JsonFault | undefined {
    const start = this.#at;
    this.#at += 1;
    this.#match(STRING_BODY);
    const next = this.#text[this.#at];
    if (next === '"') {
      this.#at += 1;
      return undefined;
    }
    if (next === undefined) return { at: start, reason: 'The string that begins here has no closing quote' };
    return { at: this.#at, reason: next === '\\' ? 'This escape does not exist in JSON' : 'A control character or line break inside a string must be escaped' };
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }

  #peek(): string | undefined {
    this.#match(SPACE);
    return this.#text[this.#at];
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return false;
    this.#at += found[0].length;
    return true;
  }

  #fault(expected: string): JsonFault {
    const code = this.#text.codePointAt(this.#at);
    return { at: this.#at, reason: `Expected ${expected} but found ${code === undefined ? 'the end' : JSON.stringify(String.fromCodePoint(code))}` };
  }
}
