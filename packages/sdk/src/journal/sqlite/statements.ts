import { SqliteFailure, type SqliteDatabase, type SqliteStatement } from './database.js';

/** The prepared statements of one connection: each is compiled when it is first used, once. */
export type Statements = (sql: string) => SqliteStatement;

export function preparedOnce(database: SqliteDatabase): Statements {
  const prepared = new Map<string, SqliteStatement>();
  return (sql) => {
    let statement = prepared.get(sql);
    if (statement === undefined) {
      statement = database.prepare(sql);
      prepared.set(sql, statement);
    }
    return statement;
  };
}

/** A table's way to keep JSON: text, and NULL for an absent member. */
export function jsonText(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

const SQLITE_CORRUPT = 11;

/** Reads JSON back. A text that is none was damaged after it was written, and is reported as SQLite reports its own damage. */
export function parsedJson<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new SqliteFailure(SQLITE_CORRUPT, 'a stored value is not JSON', error);
  }
}
