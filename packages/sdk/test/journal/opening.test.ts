import { chmod, copyFile, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { begin, completedStep, newRun, NOW, owner } from '../../src/journal/conformance/scenario.js';
import { loadSqlite } from '../../src/journal/sqlite/driver.js';
import { openSqliteJournal } from '../../src/journal/sqlite/open.js';
import { runChild, startChild, temporaryFolder } from './child.js';

const NOBODY = 65_534;

async function writeJournal(path: string, steps = 3): Promise<void> {
  const journal = await openSqliteJournal({ path });
  const claim = await begin(journal);
  await journal.completed({ records: Array.from({ length: steps }, (_, index) => completedStep(claim, index + 1)) });
  await journal.close();
}

async function execute(path: string, sql: string): Promise<void> {
  const database = (await loadSqlite())(path);
  database.exec(sql);
  database.close();
}

/** Every file of a folder with its content. */
async function contents(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).sort();
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, (await readFile(join(folder, name))).toString('base64')] as const)));
}

describe('a new journal', () => {
  test('is closed to other users, in folders that are made for it and hidden from git', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'deep', '.relayflowd', 'journal.sqlite3');
    const before = process.umask(0);
    const journal = await openSqliteJournal({ path }).finally(() => process.umask(before));
    await begin(journal);
    const mode = async (file: string): Promise<string> => ((await stat(file)).mode & 0o777).toString(8);
    expect(await mode(join(folder, 'deep'))).toBe('700');
    expect(await mode(join(folder, 'deep', '.relayflowd'))).toBe('700');
    for (const suffix of ['', '-wal', '-shm']) expect(await mode(path + suffix)).toBe('600');
    expect(await readFile(join(folder, 'deep', '.relayflowd', '.gitignore'), 'utf8')).toBe('*\n');
    await journal.close();
  });

  test('does not hide a folder from git that holds other things, nor change what is there', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'README.md'), 'mine');
    await writeJournal(join(folder, 'journal.sqlite3'));
    expect(await readdir(folder)).not.toContain('.gitignore');
    const other = await temporaryFolder();
    await writeFile(join(other, '.gitignore'), 'mine');
    await writeJournal(join(other, 'journal.sqlite3'));
    expect(await readFile(join(other, '.gitignore'), 'utf8')).toBe('mine');
  });

  test('is made once when several open it at the same moment', async () => {
    const path = join(await temporaryFolder(), 'data', 'journal.sqlite3');
    const ends = await Promise.all([1, 2, 3].map(() => runChild('attempt', path)));
    expect(ends.flatMap(({ lines }) => lines)).toEqual([{ runs: [], steps: 0 }, { runs: [], steps: 0 }, { runs: [], steps: 0 }]);
  });

  test('may lie under a path with spaces and marks of all kinds', async () => {
    const path = join(await temporaryFolder(), 'a b?c#d%20é', 'file:journal.sqlite3');
    await writeJournal(path);
    const journal = await openSqliteJournal({ path, readOnly: true });
    expect(await journal.history({ runId: 'run-a' })).toHaveLength(3);
    await journal.close();
  });
});

describe('opening is refused and nothing is touched', () => {
  test('when the path is a directory', async () => {
    const path = await temporaryFolder();
    await expect(openSqliteJournal({ path })).rejects.toMatchObject({ code: 'journal_unavailable', text: `The journal ${path} cannot be opened: it is a directory.`, evidence: { path } });
  });

  test('when a file stands where the folder should be', async () => {
    const file = join(await temporaryFolder(), 'file');
    await writeFile(file, 'mine');
    for (const path of [join(file, 'journal.sqlite3'), join(file, 'deeper', 'journal.sqlite3')]) {
      await expect(openSqliteJournal({ path })).rejects.toMatchObject({ code: 'journal_unavailable', evidence: { path, cause: expect.stringMatching(/^(ENOTDIR|EEXIST)$/) as string } });
    }
    expect(await readFile(file, 'utf8')).toBe('mine');
  });

  test.each([
    ['a text', 'this is no database, however long it may be. '.repeat(100)],
    ['a few bytes', 'x'],
    ['the beginning of a database', 'SQLite format 3\0'],
  ])('when the file is %s', async (_what, content) => {
    const folder = await temporaryFolder();
    const path = join(folder, 'journal.sqlite3');
    await writeFile(path, content);
    for (const readOnly of [false, true]) {
      const error = await openSqliteJournal({ path, readOnly }).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'journal_corrupt', evidence: { path }, hint: expect.stringContaining('backup') as string });
    }
    expect(await readFile(path, 'utf8')).toBe(content);
  });

  test('when the file is a database of another application, also one with work in its WAL', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'journal.sqlite3');
    const database = (await loadSqlite())(path);
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE mine (a); INSERT INTO mine VALUES (1)');
    const copies = await temporaryFolder();
    for (const name of ['journal.sqlite3', 'journal.sqlite3-wal']) await copyFile(join(folder, name), join(copies, name));
    database.close();
    const before = await contents(copies);
    for (const readOnly of [false, true]) {
      await expect(openSqliteJournal({ path: join(copies, 'journal.sqlite3'), readOnly })).rejects.toMatchObject({ code: 'journal_corrupt' });
    }
    const { '.gitignore': _ignore, ...after } = await contents(copies);
    expect(after).toEqual(before);
  });

  test('when the file is empty and its WAL is not', async () => {
    const path = join(await temporaryFolder(), 'journal.sqlite3');
    await runChild('sequential', path, { fault: 'journal.completed.after-commit#3' });
    const wal = await readFile(`${path}-wal`);
    await truncate(path, 0);
    await expect(openSqliteJournal({ path })).rejects.toMatchObject({ code: 'journal_corrupt' });
    expect(await readFile(`${path}-wal`)).toEqual(wal);
  });

  test('when a newer version wrote it', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'journal.sqlite3');
    await writeJournal(path);
    await execute(path, 'PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)');
    const before = await contents(folder);
    for (const readOnly of [false, true]) {
      await expect(openSqliteJournal({ path, readOnly })).rejects.toMatchObject({
        code: 'journal_newer', text: expect.stringContaining(`${path} has schema version 99`) as string, evidence: { path, found: 99, supported: 1 },
      });
    }
    expect(await contents(folder)).toEqual(before);
  });

  test('when the parent folder is not writable', async () => {
    const folder = await temporaryFolder();
    await chmod(folder, 0o755);
    const path = join(folder, 'data', 'journal.sqlite3');
    const { lines } = await runChild('attempt', path, { uid: NOBODY });
    expect(lines).toMatchObject([{ code: 'journal_unavailable', text: expect.stringContaining(`${path} cannot be opened: permission denied at ${join(folder, 'data')}`) as string, evidence: { cause: 'EACCES' } }]);
  });

  test.each([
    ['the file', 0o644, 0o777],
    ['the folder', 0o666, 0o755],
  ])('when %s is not writable', async (_what, fileMode, folderMode) => {
    const folder = await temporaryFolder();
    const path = join(folder, 'journal.sqlite3');
    await writeJournal(path);
    await rm(join(folder, 'journal.sqlite3-wal'), { force: true });
    await rm(join(folder, 'journal.sqlite3-shm'), { force: true });
    await chmod(path, fileMode);
    await chmod(folder, folderMode);
    const before = await contents(folder);
    const { lines } = await runChild('attempt', path, { uid: NOBODY, options: { write: true } });
    expect(lines).toMatchObject([{ code: 'journal_unavailable', evidence: { path }, hint: expect.stringContaining('another data directory') as string }]);
    expect(await contents(folder)).toEqual(before);
  });
});

describe('opening for reading', () => {
  test('creates nothing', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'data', 'journal.sqlite3');
    await expect(openSqliteJournal({ path, readOnly: true })).rejects.toMatchObject({ code: 'journal_unavailable', text: `The journal ${path} cannot be opened: it does not exist.` });
    expect(await readdir(folder)).toEqual([]);
  });

  test('refuses to write', async () => {
    const path = join(await temporaryFolder(), 'journal.sqlite3');
    await writeJournal(path);
    const journal = await openSqliteJournal({ path, readOnly: true });
    await expect(journal.createRun({ run: newRun('run-b'), owner: owner(), leaseUntil: NOW })).rejects.toMatchObject({ code: 'journal_unavailable' });
    expect(await journal.list({ limit: 10 })).toHaveLength(1);
    await journal.close();
  });

  test('works beside a process that is writing, and sees what it adds', async () => {
    const path = join(await temporaryFolder(), 'journal.sqlite3');
    const child = startChild('write', path);
    await child.firstLine;
    const journal = await openSqliteJournal({ path, readOnly: true });
    const runId = `by-${child.process.pid}`;
    let noticed = false;
    journal.onForeignChange(() => (noticed = true));
    const first = (await journal.history({ runId })).length;
    await expect.poll(async () => (await journal.history({ runId })).length).toBeGreaterThan(first);
    await expect.poll(() => noticed).toBe(true);
    await journal.close();
    child.process.stdin?.end();
    await child.end;
  });

  test.each([
    ['closed in order', undefined, []],
    ['left by a killed process', 'journal.completed.after-commit#9', []],
    ['copied without its shared memory', 'journal.completed.after-commit#9', ['journal.sqlite3-shm']],
  ])('works in a folder that is not writable, on a journal %s', async (_what, fault, removed) => {
    const folder = await temporaryFolder();
    const path = join(folder, 'journal.sqlite3');
    await runChild('sequential', path, fault === undefined ? {} : { fault });
    for (const name of removed) await rm(join(folder, name));
    for (const name of await readdir(folder)) await chmod(join(folder, name), 0o444);
    await chmod(folder, 0o555);
    const before = await contents(folder);
    const { lines, stderr } = await runChild('attempt', path, { uid: NOBODY, options: { readOnly: true } });
    expect({ lines, stderr }).toEqual({ lines: [{ runs: ['run-0'], steps: fault === undefined ? 40 : 9 }], stderr: '' });
    expect(await contents(folder)).toEqual(before);
  });

  test('shows a journal of an older version without migrating it', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'journal.sqlite3');
    await writeJournal(path);
    const { MIGRATIONS } = await import('../../src/journal/sqlite/migrations.js');
    const migrations = [...MIGRATIONS, 'ALTER TABLE run ADD COLUMN note TEXT'];
    const before = await contents(folder);
    const journal = await openSqliteJournal({ path, readOnly: true, migrations });
    expect(await journal.history({ runId: 'run-a' })).toHaveLength(3);
    await journal.close();
    expect((await contents(folder))['journal.sqlite3']).toBe(before['journal.sqlite3']);
  });
});

test('a folder is made for the journal only, not for a directory that happens to be named like it', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'journal.sqlite3'));
  await expect(openSqliteJournal({ path: join(folder, 'journal.sqlite3') })).rejects.toMatchObject({ code: 'journal_unavailable' });
  expect(await readdir(join(folder, 'journal.sqlite3'))).toEqual([]);
});
