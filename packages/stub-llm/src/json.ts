/** What a CLI sends is its own affair and changes with its versions, so every member is asked for its type. */
export type JsonRecord = { readonly [key: string]: unknown };

/** An object, or an empty one where there is none, so that members of members can be asked for. */
export function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** The records of a list. */
export function recordsOf(value: unknown): readonly JsonRecord[] {
  return listOf(value).filter(isRecord);
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
