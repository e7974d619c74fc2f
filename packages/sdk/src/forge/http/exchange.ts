import type { JsonValue } from '../../ports/json.js';

/** One request to the interface of a forge. */
export interface ForgeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** Below the root of the interface, with a slash in front and its query. `graphql`, without a slash: the other interface of GitHub. */
  readonly path: string;
  readonly body?: JsonValue;
}

export interface Answer {
  readonly kind: 'answer';
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** What JSON holds; a text where it is none; `undefined` for nothing. */
  readonly body: unknown;
}

/** No answer came. Whether the request was carried out is not known, unless `reached` is false. */
export interface Lost {
  readonly kind: 'lost';
  /** The rest of a sentence, without its full stop. */
  readonly reason: string;
  readonly reached: boolean;
  /** Trying again does not help: a certificate is not trusted, the program is not signed in. */
  readonly lasting?: boolean;
  /** What to do, where it is known better than from the reason. */
  readonly hint?: string;
}

/** Sends a request once. Never rejects: whatever happens is what came of it. */
export type Transport = (request: ForgeRequest, signal: AbortSignal) => Promise<Answer | Lost>;

/** A member of what a forge said, however it is shaped. */
export function member(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value;
  for (const key of path) found = typeof found === 'object' && found !== null ? (found as Readonly<Record<string | number, unknown>>)[key] : undefined;
  return found;
}

/** The items of what should be a list. */
export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
