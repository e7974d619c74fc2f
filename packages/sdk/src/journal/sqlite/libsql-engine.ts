import { closeSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { SqliteFailure, type SqliteDatabase, type SqliteRecord, type SqliteRow, type SqliteStatement, type SqliteValue } from './database.js';

type Handle = object;

/**
 * The native part of the package `libsql`, called as its JavaScript part calls it. That part is left out because it finds the platform with a
 * diagnostic report of the whole process and a module that loads `child_process`: 25 ms of every start, against 3 ms for the engine itself. The
 * package is pinned to one version for this reason.
 */
interface Binding {
  databaseOpen(path: string, authToken: string, cipher: string, key: string, timeoutSeconds: number, remoteKey: string): Handle;
  databaseExecSync(this: Handle, sql: string): void;
  databasePrepareSync(this: Handle, sql: string): Handle;
  databaseClose(this: Handle): void;
  statementRaw(this: Handle, raw: boolean): void;
  statementRun(this: Handle, args: readonly SqliteValue[]): { readonly changes: number };
  statementRowsSync(this: Handle, args: readonly SqliteValue[]): Handle;
  /** Fills the array with the next rows. Fewer than it holds: there are no more. */
  rowsNext(this: Handle, rows: unknown[]): void;
}

type NativeRecord = Readonly<Record<string, SqliteValue | ArrayBuffer>>;

/** In rows by name, bytes come as what an array of bytes is made of. */
function withBytes(record: NativeRecord): SqliteRecord {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, value instanceof ArrayBuffer ? new Uint8Array(value) : value]));
}

/** How many rows cross from native code in one call: more cost memory and gain nothing measurable. */
const ROWS_PER_CALL = 500;
/** The same for the first call. Most statements are about one row or none, and to make a place for hundreds takes longer than to find it. */
const ROWS_OF_FIRST_CALL = 4;

let loaded: Binding | undefined;

/** Loads the engine, once. */
export function libsqlBinding(): Binding {
  return (loaded ??= loadBinding());
}

export function openLibsqlDatabase(path: string): SqliteDatabase {
  const binding = libsqlBinding();
  const database = translated(() => binding.databaseOpen(path, '', 'aes256cbc', '', 0, ''));
  return {
    exec: (sql) => translated(() => binding.databaseExecSync.call(database, sql)),
    prepare: (sql) => statement(binding, translated(() => binding.databasePrepareSync.call(database, sql))),
    close: () => translated(() => binding.databaseClose.call(database)),
  };
}

function statement(binding: Binding, native: Handle): SqliteStatement {
  // A statement that returns no rows refuses to be asked for arrays.
  let returnsArrays = false;
  return {
    run: (args) => translated(() => binding.statementRun.call(native, args).changes),
    rows: (args) => translated(() => {
      if (!returnsArrays) binding.statementRaw.call(native, true);
      returnsArrays = true;
      return allRows<SqliteRow>(binding, binding.statementRowsSync.call(native, args));
    }),
    records: (args) => translated(() => {
      if (returnsArrays) binding.statementRaw.call(native, false);
      returnsArrays = false;
      return allRows<NativeRecord>(binding, binding.statementRowsSync.call(native, args)).map(withBytes);
    }),
  };
}

function allRows<T>(binding: Binding, cursor: Handle): T[] {
  const all: T[] = [];
  for (let size = ROWS_OF_FIRST_CALL; ; size = ROWS_PER_CALL) {
    const page = new Array<T | undefined>(size).fill(undefined);
    binding.rowsNext.call(cursor, page);
    for (const row of page) {
      if (row === undefined) return all;
      all.push(row);
    }
  }
}

function translated<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    const { libsqlError, rawCode } = error as { readonly libsqlError?: unknown; readonly rawCode?: unknown };
    throw libsqlError === true ? new SqliteFailure(typeof rawCode === 'number' ? rawCode : 1, (error as Error).message, error) : error;
  }
}

function loadBinding(): Binding {
  // The platform's package belongs to libsql, which is therefore the place to look it up from.
  const fromLibsql = createRequire(createRequire(import.meta.url).resolve('libsql'));
  return fromLibsql(`@libsql/${platformTarget()}`) as Binding;
}

function platformTarget(): string {
  const { platform, arch } = process;
  if (platform === 'win32') return `win32-${arch}-msvc`;
  if (platform !== 'linux') return `${platform}-${arch}`;
  const libc = usesMusl() ? 'musl' : 'gnu';
  return arch === 'arm' ? `linux-arm-${libc}eabihf` : `linux-${arch}-${libc}`;
}

/** Whether Node itself was linked against musl: the path of the loader it asks for stands in its first kilobytes. */
function usesMusl(): boolean {
  const head = Buffer.alloc(4096);
  const executable = openSync(process.execPath, 'r');
  try {
    readSync(executable, head, 0, head.length, 0);
  } finally {
    closeSync(executable);
  }
  return head.includes('/ld-musl-');
}
