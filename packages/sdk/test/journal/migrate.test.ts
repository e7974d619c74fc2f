import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { begin, completedStep, observed } from '../../src/journal/conformance/scenario.js';
import type { StepKind } from '../../src/journal/port.js';
import { loadSqlite } from '../../src/journal/sqlite/driver.js';
import { MIGRATIONS } from '../../src/journal/sqlite/migrations.js';
import { openSqliteJournal } from '../../src/journal/sqlite/open.js';
import { KIND_NUMBERS, STATUS_NUMBERS } from '../../src/journal/sqlite/schema.js';
import { runChild, temporaryFolder } from './child.js';

/** Of each released migration. A journal somewhere has gone through it, so it is never edited: add another one. */
const RELEASED = ['ae7d6d47a961826fcb8e1e99413cb75e6de73f0712255f1ea851e66d72e69da4'];

const NEXT = [...MIGRATIONS, "ALTER TABLE run ADD COLUMN note TEXT; UPDATE run SET note = 'migrated ' || id"];

async function rows(path: string, sql: string): Promise<unknown[][]> {
  const database = (await loadSqlite())(path);
  try {
    return database.prepare(sql).rows([]) as unknown[][];
  } finally {
    database.close();
  }
}

/** A journal as version 1 of the schema leaves it, with something in every table. */
async function writeVersion1(path: string): Promise<unknown> {
  const journal = await openSqliteJournal({ path, migrations: MIGRATIONS.slice(0, 1) });
  const claim = await begin(journal, 'run-a', { input: { ticket: 'K-1' } });
  await journal.completed({ records: [completedStep(claim, 1), completedStep(claim, 2, { spend: { wallclock: 1, tokens: 2, microDollars: 3 } })] });
  await journal.signal({ runId: 'run-a', name: 'go', payload: 1, at: 1, once: false });
  await journal.park({ ...claim, status: 'parked', at: 2, wakeAt: 3 });
  const stored = await observed(journal, 'run-a');
  await journal.close();
  return stored;
}

test('released migrations are what they were', () => {
  expect(MIGRATIONS.slice(0, RELEASED.length).map((sql) => createHash('sha256').update(sql).digest('hex'))).toEqual(RELEASED);
});

describe('a journal of an older version', () => {
  test('migrates when it is opened and keeps what it holds', async () => {
    const path = join(await temporaryFolder(), 'journal.sqlite3');
    const stored = await writeVersion1(path);
    expect(await rows(path, 'PRAGMA user_version')).toEqual([[1]]);
    const journal = await openSqliteJournal({ path, migrations: NEXT });
    expect(await observed(journal, 'run-a')).toEqual(stored);
    await journal.close();
    expect(await rows(path, 'PRAGMA user_version')).toEqual([[2]]);
    expect(await rows(path, 'SELECT note FROM run')).toEqual([['migrated run-a']]);
  });

  test('takes several steps at once, as a new one does', async () => {
    const folder = await temporaryFolder();
    const longer = [...NEXT, 'CREATE INDEX run_note ON run (note)'];
    await writeVersion1(join(folder, 'old.sqlite3'));
    for (const name of ['old.sqlite3', 'new.sqlite3']) {
      await (await openSqliteJournal({ path: join(folder, name), migrations: longer })).close();
    }
    const schema = (name: string): Promise<unknown> => rows(join(folder, name), 'SELECT type, name, sql FROM sqlite_schema ORDER BY name');
    expect(await schema('old.sqlite3')).toEqual(await schema('new.sqlite3'));
  });

  test('stays what it is when a migration fails', async () => {
    const path = join(await temporaryFolder(), 'journal.sqlite3');
    const stored = await writeVersion1(path);
    const broken = [...MIGRATIONS, 'ALTER TABLE run ADD COLUMN note TEXT; SELECT * FROM nowhere'];
    await expect(openSqliteJournal({ path, migrations: broken })).rejects.toMatchObject({ code: 'journal_io', evidence: { path } });
    const journal = await openSqliteJournal({ path });
    expect(await observed(journal, 'run-a')).toEqual(stored);
    await journal.close();
    await (await openSqliteJournal({ path, migrations: NEXT })).close();
  });

  test('is migrated once when several processes open it at the same moment', async () => {
    const path = join(await temporaryFolder(), 'journal.sqlite3');
    await writeVersion1(path);
    const ends = await Promise.all([1, 2, 3].map(() => runChild('migrate', path, { options: { migrations: NEXT } })));
    expect(ends.map(({ lines, stderr }) => ({ lines, stderr }))).toEqual(ends.map(() => ({ lines: ['migrated'], stderr: '' })));
    expect(await rows(path, 'SELECT note FROM run')).toEqual([['migrated run-a']]);
  });
});

describe('the views for people', () => {
  test('name every status and every kind', async () => {
    const path = join(await temporaryFolder(), 'journal.sqlite3');
    const journal = await openSqliteJournal({ path });
    const claim = await begin(journal);
    const kinds = Object.keys(KIND_NUMBERS) as StepKind[];
    await journal.completed({ records: kinds.map((kind, index) => completedStep(claim, index + 1, { kind })) });
    for (const status of Object.keys(STATUS_NUMBERS)) await begin(journal, `run-${status}`);
    await journal.close();
    const database = (await loadSqlite())(path);
    for (const [status, number] of Object.entries(STATUS_NUMBERS)) database.exec(`UPDATE run SET status = ${number} WHERE id = 'run-${status}'`);
    database.close();
    expect((await rows(path, "SELECT kind FROM steps WHERE run = 'run-a' ORDER BY seq")).flat()).toEqual(kinds);
    expect(await rows(path, "SELECT id, status FROM runs WHERE id <> 'run-a'")).toEqual(Object.keys(STATUS_NUMBERS).map((status) => [`run-${status}`, status]));
  });

  test('are described as they are', async () => {
    const path = join(await temporaryFolder(), 'journal.sqlite3');
    await (await openSqliteJournal({ path })).close();
    const text = await readFile(new URL('../../../../docs/journal.md', import.meta.url), 'utf8');
    for (const [name] of await rows(path, "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")) expect(text).toContain(`\`${String(name)}\``);
  });
});
