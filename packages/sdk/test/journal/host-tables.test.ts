import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase, openSqliteJournal, type FileJournal, type HostDatabase } from '../../src/journal/index.js';
import { begin, completedStep } from '../../src/journal/conformance/scenario.js';

let folder: string;
let path: string;
let journal: FileJournal;
let tables: HostDatabase;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'relayflows-host-tables-'));
  path = join(folder, 'journal.sqlite3');
  journal = await openSqliteJournal({ path });
  tables = journal.tables();
  tables.exec('CREATE TABLE relay_ticket (id TEXT PRIMARY KEY, tries INTEGER NOT NULL)');
});
afterEach(async () => {
  await journal.close();
  rmSync(folder, { recursive: true, force: true });
});

const insert = (id: string): void => void tables.prepare('INSERT INTO relay_ticket VALUES (?, 0)').run(id);
const ids = (database: HostDatabase): unknown[] => database.prepare('SELECT id FROM relay_ticket ORDER BY id').all().map(({ id }) => id);

describe('tables of a host on the connection of its journal', () => {
  test('are written between the calls of the journal, and are there when both are opened again', async () => {
    const claim = await begin(journal);
    await Promise.all(Array.from({ length: 50 }, async (_, n) => {
      const written = journal.completed({ records: [completedStep(claim, n + 1)] });
      tables.transaction(() => insert(`t${n}`));
      await written;
      tables.prepare('UPDATE relay_ticket SET tries = tries + 1 WHERE id = ?').run(`t${n}`);
    }));
    await journal.close();
    journal = await openSqliteJournal({ path });
    expect(await journal.history({ runId: 'run-a' })).toHaveLength(50);
    expect(journal.tables().prepare('SELECT count(*) AS tickets, sum(tries) AS tries FROM relay_ticket').get()).toEqual({ tickets: 50, tries: 50 });
  });

  test('are seen by another connection once a call has returned, before the journal commits anything', () => {
    insert('a');
    const other = openDatabase(path);
    expect(ids(other)).toEqual(['a']);
    other.close();
  });

  test('undo what failed, and nothing of the journal', async () => {
    const claim = await begin(journal);
    const written = journal.completed({ records: [completedStep(claim, 1)] });
    expect(() => tables.transaction(() => {
      insert('a');
      tables.transaction(() => insert('b'));
      throw new Error('no');
    })).toThrow('no');
    expect(() => insert(null as never)).not.toThrow();
    await written;
    expect(ids(tables)).toEqual([null]);
    expect(await journal.history({ runId: 'run-a' })).toHaveLength(1);
  });

  test('wait for the disk only where the journal has to', async () => {
    const level = (): unknown => tables.prepare('PRAGMA synchronous').get()?.['synchronous'];
    await begin(journal);
    expect(level()).toBe(2);
    insert('a');
    expect(level()).toBe(1);
    await journal.signal({ runId: 'run-a', name: 'go', payload: null, at: 0, once: false });
    expect(level()).toBe(2);
  });

  test('are no foreign change, which what another connection writes is', () => {
    const version = (): unknown => tables.prepare('PRAGMA data_version').get()?.['data_version'];
    const before = version();
    insert('a');
    expect(version()).toBe(before);
    const other = openDatabase(path);
    other.prepare('INSERT INTO relay_ticket VALUES (?, 0)').run('b');
    other.close();
    expect(version()).not.toBe(before);
  });

  test('wait for a process that holds the file for longer than the journal does', async () => {
    const script = `import { openDatabase } from '@relayflows/sdk/journal';
const database = openDatabase(${JSON.stringify(path)});
database.exec('BEGIN IMMEDIATE');
console.log('held');
setTimeout(() => {
  database.exec('COMMIT');
  database.close();
}, 300);`;
    const holder = spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(holder, 'exit');
    await once(holder.stdout, 'data');
    insert('a');
    expect(ids(tables)).toEqual(['a']);
    expect(tables.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 10 });
    await ended;
  });

  test('end with the journal', async () => {
    await journal.close();
    expect(() => insert('a')).toThrow(expect.objectContaining({ code: 'journal_unavailable' }));
    expect(() => journal.tables()).toThrow(expect.objectContaining({ code: 'journal_unavailable' }));
  });
});
