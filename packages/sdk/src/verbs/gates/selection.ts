import type { JsonValue } from '../../ports/json.js';

export type Selected = { readonly found: true; readonly value: JsonValue } | { readonly found: false; readonly problem: string };

/** The part of a step's value at a path of member names and array positions; the whole value for an empty path. */
export function select(value: JsonValue, path: readonly (string | number)[]): Selected {
  let current: JsonValue = value;
  for (const [depth, part] of path.entries()) {
    const next = memberOf(current, part);
    if (next === undefined) return { found: false, problem: `the output has nothing at ${formatPath(path.slice(0, depth + 1))}` };
    current = next;
  }
  return { found: true, value: current };
}

function memberOf(value: JsonValue, part: string | number): JsonValue | undefined {
  if (Array.isArray(value)) return /^\d{1,10}$/.test(String(part)) ? (value as readonly JsonValue[])[Number(part)] : undefined;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
  return (value as Readonly<Record<string, JsonValue | undefined>>)[part];
}

export function formatPath(path: readonly (string | number)[]): string {
  return `output${path.map((part) => (typeof part === 'number' ? `[${part}]` : /^[A-Za-z_]\w*$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`)).join('')}`;
}

/** A value as text: a text as it is, anything else as JSON. */
export function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What of a step's value is its output: an agent's summary, a recorded command's output, else the value itself. */
export function outputText(value: JsonValue): string {
  if (isAgentResult(value)) return value.summary;
  return isRunResult(value) ? value.output : textOf(value);
}

interface AgentValue {
  readonly [key: string]: JsonValue;
  readonly completionReason: 'success' | 'timeout';
  readonly summary: string;
}

export function isAgentResult(value: JsonValue): value is AgentValue {
  if (!isObject(value)) return false;
  return (value['completionReason'] === 'success' || value['completionReason'] === 'timeout') && typeof value['summary'] === 'string' && Array.isArray(value['artifacts']);
}

function isRunResult(value: JsonValue): value is { readonly [key: string]: JsonValue; readonly output: string } {
  return isObject(value) && typeof value['ok'] === 'boolean' && typeof value['exitCode'] === 'number' && typeof value['output'] === 'string';
}

function isObject(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
