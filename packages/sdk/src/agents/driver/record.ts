import type { JsonValue } from '../../ports/json.js';

/** One line of a CLI's output that is a JSON object. What it holds is the CLI's affair and may change with any version, so every member is asked for its type. */
export type JsonRecord = { readonly [key: string]: JsonValue | undefined };

/** The record that a line holds; `undefined` when it is anything else. */
export function parseRecord(line: string): JsonRecord | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as JsonRecord;
  } catch {
    return undefined;
  }
}

export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A number that can be counted with: finite and not negative. */
export function countOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** An object, or an empty one where there is none, so that members of members can be asked for. */
export function recordOf(value: JsonValue | undefined): JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : {};
}

export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
