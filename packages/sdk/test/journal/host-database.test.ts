import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase, openSqliteJournal, type HostDatabase } from '../../src/journal/index.js';
import { hasBuiltInSqlite, loadSqlite } from '../../src/journal/sqlite/driver.js';
import { openLibsqlDatabase } from '../../src/journal/sqlite/libsql-engine.js';
import { openNodeDatabase } from '../../src/journal/sqlite/node-engine.js';
import { begin, completedStep, newRun, NOW, owner } from '../../src/journal/conformance/scenario.js';

let folder: string;
let path: string;
const opened: HostDatabase[] = [];
const open = (at = path): HostDatabase => {
  const database = openDatabase(at);
  opened.push(database);
  return database;
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'relayflows-host-database-'));
  path = join(folder, 'journal.sqlite3');
});
afterEach(() => {
  for (const database of opened.splice(0)) database.close();
  rmSync(folder, { recursive: true, force: true });
});

const ENGINES = [['libsql', openLibsqlDatabase], ...(hasBuiltInSqlite(process.versions.node) ? [['Node', openNodeDatabase] as const] : [])] as const;

const SCHEMA = 'CREATE TABLE relay_ticket (id TEXT PRIMARY KEY, tries INTEGER NOT NULL, body BLOB); CREATE INDEX relay_by_tries ON relay_ticket (tries)';

describe('a database of a host', () => {
  test('is closed to other users, and answers with rows by the names of their columns', () => {
    const database = open();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    database.exec(SCHEMA);
    const insert = database.prepare('INSERT INTO relay_ticket VALUES (?, ?, ?)');
    expect(insert.run('a', 1, new Uint8Array([1, 2]))).toEqual({ changes: 1 });
    insert.run('b', 2, null);
    const all = database.prepare('SELECT id, tries, body FROM relay_ticket ORDER BY id');
    expect(all.all().map((row) => ({ ...row, body: row['body'] === null ? null : [...(row['body'] as Uint8Array)] }))).toEqual([{ id: 'a', tries: 1, body: [1, 2] }, { id: 'b', tries: 2, body: null }]);
    expect(all.get()).toMatchObject({ id: 'a' });
    expect(database.prepare('SELECT id FROM relay_ticket WHERE tries > ?').get(5)).toBeUndefined();
    expect(database.prepare('SELECT journal_mode FROM pragma_journal_mode').get()).toEqual({ journal_mode: 'wal' });
    expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 1 });
  });

  test('can be written again after a statement found it locked by another', () => {
    const [database, other, third] = [open(), open(), open()];
    database.exec(SCHEMA);
    database.exec('PRAGMA busy_timeout = 50');
    const insert = database.prepare('INSERT INTO relay_ticket VALUES (?, 1, NULL)');
    other.exec('BEGIN IMMEDIATE');
    expect(() => insert.run('a')).toThrow(expect.objectContaining({ code: 'journal_busy' }));
    other.exec('ROLLBACK');
    third.prepare('INSERT INTO relay_ticket VALUES (?, 1, NULL)').run('b');
    const remove = database.prepare('DELETE FROM relay_ticket WHERE id = ?');
    expect(database.transaction(() => remove.run('b'))).toEqual({ changes: 1 });
    expect(insert.run('a')).toEqual({ changes: 1 });
  });

  test('undoes a transaction that throws, an inner one alone', () => {
    const database = open();
    database.exec(SCHEMA);
    const add = (id: string): unknown => database.prepare('INSERT INTO relay_ticket VALUES (?, 0, NULL)').run(id);
    const ids = (): unknown[] => database.prepare('SELECT id FROM relay_ticket ORDER BY id').all().map(({ id }) => id);
    expect(database.transaction(() => add('a'))).toEqual({ changes: 1 });
    expect(() => database.transaction(() => {
      add('b');
      throw new Error('no');
    })).toThrow('no');
    database.transaction(() => {
      add('c');
      expect(() => database.transaction(() => {
        add('d');
        add('a');
      })).toThrow(expect.objectContaining({ code: 'journal_io' }) as Error);
      add('e');
    });
    expect(() => database.transaction(async () => add('f'))).toThrow(expect.objectContaining({ code: 'invalid_invocation' }) as Error);
    expect(ids()).toEqual(['a', 'c', 'e']);
  });

  test('says what is wrong in the words of the journal', () => {
    expect(() => open(join(folder, 'nowhere', 'x.sqlite3'))).toThrow(expect.objectContaining({ code: 'journal_unavailable' }) as Error);
    writeFileSync(path, 'this is no database, however long it may be. '.repeat(100));
    expect(() => open()).toThrow(expect.objectContaining({ code: 'journal_corrupt' }) as Error);
    const closed = open(join(folder, 'other.sqlite3'));
    closed.close();
    closed.close();
    expect(() => closed.exec('SELECT 1')).toThrow(expect.objectContaining({ code: 'journal_unavailable' }) as Error);
  });

  test.each(ENGINES)('rows by name and by place can be mixed with the engine of %s', (_name, openEngine) => {
    const database = openEngine(path);
    database.exec('CREATE TABLE relay_t (a, b); INSERT INTO relay_t VALUES (1, 2)');
    const statement = database.prepare('SELECT a, b FROM relay_t');
    expect(statement.rows([])).toEqual([[1, 2]]);
    expect(statement.records([]).map((row) => ({ ...row }))).toEqual([{ a: 1, b: 2 }]);
    expect(statement.rows([])).toEqual([[1, 2]]);
    database.close();
  });
});

describe('tables of a host beside a journal', () => {
  test.each(['journal', 'host'] as const)('work whoever comes first: %s', async (first) => {
    const before = first === 'host' ? open() : undefined;
    before?.exec(SCHEMA);
    const journal = await openSqliteJournal({ path });
    const database = before ?? open();
    if (before === undefined) database.exec(SCHEMA);
    const claim = await begin(journal);
    // Between each other's calls, and in the same turn of the event loop as a commit of the journal.
    await Promise.all(Array.from({ length: 50 }, async (_, n) => {
      const written = journal.completed({ records: [completedStep(claim, n + 1)] });
      database.transaction(() => database.prepare('INSERT INTO relay_ticket VALUES (?, ?, NULL)').run(`t${n}`, n));
      await written;
      database.prepare('UPDATE relay_ticket SET tries = tries + 1 WHERE id = ?').run(`t${n}`);
    }));
    await journal.close();
    const again = await openSqliteJournal({ path });
    expect(await again.history({ runId: 'run-a' })).toHaveLength(50);
    const { runId } = await again.createRun({ run: newRun('run-b'), owner: owner(), leaseUntil: NOW });
    expect(database.prepare('SELECT count(*) AS tickets, sum(tries) AS tries FROM relay_ticket').get()).toEqual({ tickets: 50, tries: (50 * 51) / 2 });
    expect(database.prepare('SELECT id, status FROM runs WHERE id = ?').get(runId)).toEqual({ id: 'run-b', status: 'running' });
    await again.close();
    const readOnly = await openSqliteJournal({ path, readOnly: true });
    expect(await readOnly.run({ runId: 'run-a' })).toBeDefined();
    await readOnly.close();
  });

  test('a database that another application made stays no journal', async () => {
    const engine = (await loadSqlite())(path);
    engine.exec('CREATE TABLE relay_of_somebody (a)');
    engine.close();
    open().close();
    await expect(openSqliteJournal({ path })).rejects.toMatchObject({ code: 'journal_corrupt' });
  });
});
