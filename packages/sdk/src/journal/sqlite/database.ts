/**
 * What the journal needs from an SQLite engine, and no more. Calls are synchronous; every failure of the engine is a {@link SqliteFailure}.
 *
 * Numbers are bound as SQLite reals: a column needs INTEGER affinity to store them as integers.
 */
export interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  /** Statements of the database must not be used afterwards. */
  close(): void;
}

export interface SqliteStatement {
  /** Executes a statement that returns no rows, and returns how many rows it changed. */
  run(args: readonly SqliteValue[]): number;
  /** Executes a statement to its end and returns its rows. */
  rows(args: readonly SqliteValue[]): SqliteRow[];
  /** The same with the names of the columns, for those who do not count a microsecond a row. */
  records(args: readonly SqliteValue[]): SqliteRecord[];
}

export type SqliteValue = null | number | string | Uint8Array;
export type SqliteRow = readonly SqliteValue[];
export type SqliteRecord = Readonly<Record<string, SqliteValue>>;

/** A failure that SQLite itself reported. */
export class SqliteFailure extends Error {
  /** The extended result code, see https://www.sqlite.org/rescode.html. */
  readonly resultCode: number;

  constructor(resultCode: number, message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'SqliteFailure';
    this.resultCode = resultCode;
  }

  /** The least significant byte of the result code, which names the kind of failure. */
  get primaryCode(): number {
    return this.resultCode & 0xff;
  }
}
