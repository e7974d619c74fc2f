import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FlowsError } from '../../src/errors/flows-error.js';
import { CommitQueue, type Operation } from '../../src/journal/sqlite/commit-queue.js';
import { SqliteFailure, type SqliteDatabase } from '../../src/journal/sqlite/database.js';
import { loadSqlite } from '../../src/journal/sqlite/driver.js';
import { temporaryFolder } from './child.js';

/** A queue on a real database, and the statements it sends. */
async function recorded(): Promise<{ readonly queue: CommitQueue; readonly sent: string[]; readonly database: SqliteDatabase; readonly stored: () => unknown }> {
  const database = (await loadSqlite())(join(await temporaryFolder(), 'queue.sqlite3'));
  onTestFinished(() => database.close());
  database.exec('CREATE TABLE t (a INTEGER)');
  const sent: string[] = [];
  const watched: SqliteDatabase = {
    ...database,
    exec: (sql) => {
      sent.push(sql);
      database.exec(sql);
    },
    prepare: (sql) => {
      const statement = database.prepare(sql);
      return { ...statement, run: (args) => {
        sent.push(sql);
        return statement.run(args);
      } };
    },
  };
  const queue = new CommitQueue({ database: watched, busyTimeoutMs: 100, gatherMs: 0, onRollback: () => sent.push('(forget)'), explain: (error) => error });
  sent.length = 0;
  return { queue, sent, database: watched, stored: () => database.prepare('SELECT a FROM t ORDER BY rowid').rows([]).flat() };
}

function inserting(database: SqliteDatabase, value: number, effect: Operation<number>['effect'] = 'durable'): Operation<number> {
  return { effect, act: () => database.prepare('INSERT INTO t VALUES (?)').run([value]) };
}

const INSERT = 'INSERT INTO t VALUES (?)';

describe('the commit queue', () => {
  test('lets calls of one turn share a commit, which waits for the disk when one of them needs it', async () => {
    const { queue, sent, database, stored } = await recorded();
    await Promise.all([queue.run(inserting(database, 1, 'write')), queue.run(inserting(database, 2)), queue.run(inserting(database, 3, 'write'))]);
    expect(sent).toEqual(['PRAGMA synchronous = FULL', 'BEGIN IMMEDIATE', INSERT, INSERT, INSERT, 'COMMIT']);
    expect(stored()).toEqual([1, 2, 3]);
  });

  test('decides before each commit whether it waits for the disk', async () => {
    const { queue, sent, database } = await recorded();
    await queue.run(inserting(database, 1, 'write'));
    await queue.run(inserting(database, 2, 'write'));
    await queue.run(inserting(database, 3, 'durable'));
    await queue.run(inserting(database, 4, 'write'));
    const commit = ['BEGIN IMMEDIATE', INSERT, 'COMMIT'];
    expect(sent).toEqual(['PRAGMA synchronous = NORMAL', ...commit, ...commit, 'PRAGMA synchronous = FULL', ...commit, 'PRAGMA synchronous = NORMAL', ...commit]);
  });

  test('begins no transaction to read', async () => {
    const { queue, sent } = await recorded();
    expect(await queue.run({ effect: 'read', act: () => 7 })).toBe(7);
    expect(sent).toEqual([]);
  });

  test('answers a refusal and commits the rest', async () => {
    const { queue, sent, database, stored } = await recorded();
    const refusal = new FlowsError('run_exists', 'There.');
    const calls = await Promise.allSettled([
      queue.run(inserting(database, 1)),
      queue.run({ effect: 'durable', act: () => { throw refusal; } }),
      queue.run(inserting(database, 2)),
    ]);
    expect(calls).toEqual([{ status: 'fulfilled', value: 1 }, { status: 'rejected', reason: refusal }, { status: 'fulfilled', value: 1 }]);
    expect(sent.filter((sql) => sql === 'COMMIT')).toHaveLength(1);
    expect(stored()).toEqual([1, 2]);
  });

  test('repeats a failed transaction call by call, so that only the culprit fails', async () => {
    const { queue, sent, database, stored } = await recorded();
    const failure = new SqliteFailure(11, 'damaged', undefined);
    const calls = await Promise.allSettled([
      queue.run(inserting(database, 1)),
      queue.run({ effect: 'durable', act: () => { throw failure; } }),
      queue.run(inserting(database, 2)),
      queue.run({ effect: 'read', act: () => stored() }),
    ]);
    expect(calls.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(calls[3]).toEqual({ status: 'fulfilled', value: [1, 2] });
    expect(sent.filter((sql) => sql === 'COMMIT')).toHaveLength(2);
    expect(sent.filter((sql) => sql === '(forget)')).toHaveLength(2);
    await queue.run(inserting(database, 3));
    expect(sent.slice(-3)).toEqual(['BEGIN IMMEDIATE', INSERT, 'COMMIT']);
  });

  test('does not mix calls made meanwhile into the repetition', async () => {
    const { queue, database, stored } = await recorded();
    const first = queue.run({ effect: 'durable', act: () => { throw new SqliteFailure(10, 'broken', undefined); } });
    const second = queue.run(inserting(database, 1));
    const third = first.catch(() => queue.run(inserting(database, 2)));
    await Promise.all([second, third]);
    expect(stored()).toEqual([1, 2]);
  });
});
