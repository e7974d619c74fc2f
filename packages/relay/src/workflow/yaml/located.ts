import type { JsonValue } from '@relayflows/sdk';

/** Where something stands in a YAML file: lines and columns from 1, and the way to it as `nodes.review.onSuccess[0].target`; empty for the whole document. */
export interface Place {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** A value of a YAML file that still knows where it stands. Aliases are resolved, and no key stands twice. */
export type Located = LocatedMap | LocatedList | LocatedScalar;

export interface LocatedMap {
  readonly kind: 'map';
  readonly at: Place;
  /** In the order of the file. */
  readonly entries: readonly LocatedEntry[];
}

export interface LocatedEntry {
  readonly key: string;
  /** Of the key. */
  readonly at: Place;
  readonly value: Located;
}

export interface LocatedList {
  readonly kind: 'list';
  readonly at: Place;
  readonly items: readonly Located[];
}

export interface LocatedScalar {
  readonly kind: 'scalar';
  readonly at: Place;
  readonly value: string | number | boolean | null;
}

/** The value alone. A key named like a part of every object stays a key. */
export function plain(located: Located): JsonValue {
  switch (located.kind) {
    case 'scalar': return located.value;
    case 'list': return located.items.map(plain);
    case 'map': return Object.fromEntries(located.entries.map(({ key, value }) => [key, plain(value)]));
  }
}

/** Where the value of a path stands; of nothing that is there, `undefined`. */
export function placeIn(located: Located, path: string): Place | undefined {
  if (located.at.path === path) return located.at;
  const inside = located.kind === 'map' ? located.entries.map(({ value }) => value) : located.kind === 'list' ? located.items : [];
  for (const value of inside) {
    const found = placeIn(value, path);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What a value is, for a sentence that says it is the wrong thing. */
export function kindOf(located: Located): string {
  if (located.kind !== 'scalar') return located.kind === 'map' ? 'a map' : 'a list';
  if (located.value === null) return 'empty';
  return typeof located.value === 'string' ? 'a text' : typeof located.value === 'number' ? `the number ${located.value}` : String(located.value);
}

/** The way to a key below another. */
export function below(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  if (!/^[\w-]+$/.test(key)) return `${path}[${JSON.stringify(cut(key))}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** A text from a file, short enough for a message. */
export function cut(text: string, limit = 60): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 3).toWellFormed()}...`;
}
