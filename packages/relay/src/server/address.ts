import { RelayError } from '../errors/relay-error.js';
import { ENDPOINTS, type EndpointName } from './api.js';

export interface MatchedCall {
  readonly name: EndpointName;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

/** The address of a call, with its parameters escaped. */
export function addressOf(name: EndpointName, params: Readonly<Record<string, string>>, query: Readonly<Record<string, string | undefined>>): string {
  const path = ENDPOINTS[name].path.replace(/\{(\w+)\}/g, (_, param: string) => encodeURIComponent(params[param] ?? ''));
  const search = new URLSearchParams(Object.entries(query).flatMap(([key, value]): [string, string][] => (value === undefined ? [] : [[key, value]]))).toString();
  return search === '' ? path : `${path}?${search}`;
}

/** Which call a request is. Throws `not_found`, `method_not_allowed`, and `request_invalid` where the address is not escaped as it must be. */
export function matchCall(method: string, address: string): MatchedCall {
  const [path = '', search = ''] = splitOnce(address, '?');
  const words = path.split('/').map(unescaped);
  const names = (Object.keys(ENDPOINTS) as EndpointName[]).filter((name) => paramsIn(ENDPOINTS[name].path, words) !== undefined);
  const name = names.find((candidate) => ENDPOINTS[candidate].method === method);
  if (name === undefined) {
    if (names.length === 0) throw new RelayError('not_found', `There is nothing at ${path.slice(0, 200)}.`);
    throw new RelayError('method_not_allowed', `${method.slice(0, 20)} is not possible at ${path.slice(0, 200)}.`);
  }
  return { name, params: paramsIn(ENDPOINTS[name].path, words) ?? {}, query: Object.fromEntries(new URLSearchParams(search)) };
}

function paramsIn(pattern: string, words: readonly string[]): Readonly<Record<string, string>> | undefined {
  const expected = pattern.split('/');
  if (expected.length !== words.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of expected.entries()) {
    const word = words[index] ?? '';
    if (!part.startsWith('{')) {
      if (part !== word) return undefined;
    } else if (word === '') return undefined;
    else params[part.slice(1, -1)] = word;
  }
  return params;
}

function unescaped(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    throw new RelayError('request_invalid', 'The address of the request is not escaped as it must be.');
  }
}

function splitOnce(text: string, at: string): readonly string[] {
  const place = text.indexOf(at);
  return place < 0 ? [text] : [text.slice(0, place), text.slice(place + 1)];
}
