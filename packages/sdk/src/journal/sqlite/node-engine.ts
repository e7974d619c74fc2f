import { createRequire } from 'node:module';
import { SqliteFailure, type SqliteDatabase, type SqliteRecord, type SqliteRow, type SqliteStatement, type SqliteValue } from './database.js';

interface NodeStatement {
  run(...args: readonly SqliteValue[]): { readonly changes: number };
  all(...args: readonly SqliteValue[]): unknown[];
  setReturnArrays(enabled: boolean): void;
}

interface NodeDatabase {
  exec(sql: string): void;
  prepare(sql: string): NodeStatement;
  close(): void;
}

interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => NodeDatabase;
}

const load: (id: string) => unknown = createRequire(import.meta.url);
let loaded: NodeSqlite | undefined;

/** Loads the engine, once. */
export function nodeSqlite(): NodeSqlite {
  return (loaded ??= requireQuietly('node:sqlite') as NodeSqlite);
}

export function openNodeDatabase(path: string): SqliteDatabase {
  const database = translated(() => new (nodeSqlite().DatabaseSync)(path));
  return {
    exec: (sql) => translated(() => database.exec(sql)),
    prepare: (sql) => statement(translated(() => database.prepare(sql))),
    close: () => translated(() => database.close()),
  };
}

function statement(native: NodeStatement): SqliteStatement {
  native.setReturnArrays(true);
  return {
    run: (args) => translated(() => native.run(...args).changes),
    rows: (args) => translated(() => native.all(...args) as SqliteRow[]),
    records: (args) => translated(() => {
      native.setReturnArrays(false);
      try {
        return native.all(...args) as SqliteRecord[];
      } finally {
        native.setReturnArrays(true);
      }
    }),
  };
}

function translated<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    const { errcode } = error as { readonly errcode?: unknown };
    throw typeof errcode === 'number' ? new SqliteFailure(errcode, (error as Error).message, error) : error;
  }
}

/**
 * Loading the module announces once per process, on standard error, that it is experimental. That is nothing to users of a flow, and Node offers no
 * switch from inside: the warning is held back for the length of this one synchronous call, any other passes.
 */
function requireQuietly(id: string): unknown {
  const emitWarning = Object.getOwnPropertyDescriptor(process, 'emitWarning');
  if (emitWarning?.configurable !== true) return load(id);
  const passOn = process.emitWarning.bind(process) as (...args: readonly unknown[]) => void;
  const holdBack = (...args: readonly unknown[]): void => {
    const [warning, type] = args;
    if (type !== 'ExperimentalWarning' || !String(warning).includes('SQLite')) passOn(...args);
  };
  Object.defineProperty(process, 'emitWarning', { ...emitWarning, value: holdBack });
  try {
    return load(id);
  } finally {
    Object.defineProperty(process, 'emitWarning', emitWarning);
  }
}
