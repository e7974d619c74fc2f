import { isRecord, type JsonRecord } from '../json.js';

/** Says what is wrong with a value at a place such as `turns[2].error.status`; nothing when it is right. */
export type Shape = (value: unknown, at: string) => readonly string[];

export function shape(expected: string, accepts: (value: unknown) => boolean): Shape {
  return (value, at) => (accepts(value) ? [] : [`${at} must be ${expected}, not ${shown(value)}.`]);
}

export const text: Shape = shape('a text', (value) => typeof value === 'string');
export const flag: Shape = shape('true or false', (value) => typeof value === 'boolean');
export const anything: Shape = () => [];

export function whole(least: number, most = Number.MAX_SAFE_INTEGER): Shape {
  const expected = most === Number.MAX_SAFE_INTEGER ? `a whole number from ${least}` : `a whole number from ${least} to ${most}`;
  return shape(expected, (value) => typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most);
}

export const seconds: Shape = shape('a number of seconds', (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0);

export function oneOf(...names: readonly string[]): Shape {
  return shape(`one of ${names.join(', ')}`, (value) => typeof value === 'string' && names.includes(value));
}

/** The first shape that the value is near enough to judge by; `expected` when it is near none. */
export function either(expected: string, ...choices: readonly { readonly when: (value: unknown) => boolean; readonly then: Shape }[]): Shape {
  return (value, at) => choices.find(({ when }) => when(value))?.then(value, at) ?? [`${at} must be ${expected}, not ${shown(value)}.`];
}

export function listOfEach(item: Shape): Shape {
  return (value, at) => (Array.isArray(value) ? value.flatMap((one: unknown, index) => item(one, `${at}[${index}]`)) : [`${at} must be a list, not ${shown(value)}.`]);
}

export function mapOfEach(item: Shape): Shape {
  return (value, at) => (isRecord(value) ? Object.entries(value).flatMap(([name, one]) => item(one, `${at}.${name}`)) : [`${at} must be an object, not ${shown(value)}.`]);
}

/** An object with no other keys than these. */
export function object(keys: Readonly<Record<string, Shape>>, ...required: readonly string[]): Shape {
  return (value, at) => {
    if (!isRecord(value)) return [`${at} must be an object, not ${shown(value)}.`];
    return [...unknownKeys(value, keys, at), ...required.filter((key) => value[key] === undefined).map((key) => `${at} must have "${key}".`), ...knownKeys(value, keys, at)];
  };
}

function unknownKeys(value: JsonRecord, keys: Readonly<Record<string, Shape>>, at: string): readonly string[] {
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(keys, key));
  return unknown.map((key) => `${at} has the unknown key "${key}"; it may have ${Object.keys(keys).join(', ')}.`);
}

function knownKeys(value: JsonRecord, keys: Readonly<Record<string, Shape>>, at: string): readonly string[] {
  return Object.entries(keys).flatMap(([key, check]) => (value[key] === undefined ? [] : check(value[key], `${at}.${key}`)));
}

const LONGEST = 60;

function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return json.length > LONGEST ? `${json.slice(0, LONGEST)}…` : json;
}
