import { execFileSync, spawnSync } from 'node:child_process';
import { open as openFile, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { begin, completedStep, newRun, NOW, owner } from '../../src/journal/conformance/scenario.js';
import type { Journal } from '../../src/journal/port.js';
import { openSqliteJournal } from '../../src/journal/sqlite/open.js';
import { tool } from '../tools.js';
import { runChild, startChild, temporaryFolder } from './child.js';

async function opened(path: string, busyTimeoutMs = 60_000): Promise<Journal> {
  const journal = await openSqliteJournal({ path, busyTimeoutMs });
  onTestFinished(() => journal.close());
  return journal;
}

describe('a journal that another process has locked', () => {
  test('is waited for, in order, without holding up the event loop', async () => {
    const path = join(await temporaryFolder(), 'journal.sqlite3');
    const journal = await opened(path);
    const claim = await begin(journal);
    const holder = startChild('lock', path);
    await holder.firstLine;
    const writes = [1, 2, 3].map((seq) => journal.completed({ records: [completedStep(claim, seq)] }));
    const reading = journal.history({ runId: 'run-a' });
    let turns = 0;
    const ticking = setInterval(() => (turns += 1), 5);
    await expect.poll(() => turns).toBeGreaterThan(20);
    clearInterval(ticking);
    holder.process.stdin?.end();
    expect(await Promise.all(writes)).toEqual([{ stale: [] }, { stale: [] }, { stale: [] }]);
    expect(await reading).toHaveLength(3);
  });

  test('is busy when it stays locked, and usable again afterwards', async () => {
    const path = join(await temporaryFolder(), 'journal.sqlite3');
    const journal = await opened(path, 150);
    const claim = await begin(journal);
    const holder = startChild('lock', path);
    await holder.firstLine;
    await expect(journal.completed({ records: [completedStep(claim, 1)] })).rejects.toMatchObject({
      code: 'journal_busy', text: expect.stringContaining(path) as string, hint: expect.any(String) as string, evidence: { path },
    });
    expect(await journal.history({ runId: 'run-a' })).toEqual([]);
    holder.process.stdin?.end();
    await holder.end;
    expect(await journal.completed({ records: [completedStep(claim, 1)] })).toEqual({ stale: [] });
    expect(await journal.history({ runId: 'run-a' })).toHaveLength(1);
  });

  test('is busy when it cannot even be opened', async () => {
    const path = join(await temporaryFolder(), 'journal.sqlite3');
    // By a child: the engine of Node 20 keeps a closed file open until garbage is collected.
    await runChild('attempt', path);
    const holder = startChild('lock', path, { options: { exclusive: true } });
    await holder.firstLine;
    for (const readOnly of [false, true]) {
      await expect(openSqliteJournal({ path, readOnly, busyTimeoutMs: 150 })).rejects.toMatchObject({ code: 'journal_busy', evidence: { path } });
    }
    const waiting = openSqliteJournal({ path, busyTimeoutMs: 60_000 });
    holder.process.stdin?.end();
    await (await waiting).close();
  });

  test('is shared by processes that write at the same time', async () => {
    const path = join(await temporaryFolder(), 'journal.sqlite3');
    const ends = await Promise.all([1, 2, 3].map(() => runChild('concurrent', path)));
    // One of them created the runs; the others were refused them, and nothing was mixed up.
    expect(ends.filter(({ exitCode }) => exitCode === 0)).toHaveLength(1);
    for (const { exitCode, stderr } of ends) if (exitCode !== 0) expect(stderr).toContain('run_exists');
    const journal = await opened(path);
    for (const run of await journal.list({ limit: 100 })) expect(await journal.history({ runId: run.id })).toHaveLength(10);
  });
});

describe('a full disk', () => {
  // Only root can mount, and not in every container.
  test.skipIf(!canMount())('refuses what does not fit, keeps what was stored, and works again once there is room', async () => {
    const folder = await temporaryFolder();
    mountSmall(folder, '640k');
    const ballast = join(folder, 'ballast');
    await writeFile(ballast, Buffer.alloc(200_000));
    const journal = await opened(join(folder, 'data', 'journal.sqlite3'));
    const claim = await begin(journal);
    const write = (seq: number): Promise<unknown> => journal.completed({ records: [completedStep(claim, seq, { outcome: { ok: true, value: 'x'.repeat(20_000) } })] });
    let stored = 0;
    const failure = await (async () => {
      for (;;) {
        await write(stored + 1);
        stored += 1;
      }
    })().catch((reason: unknown) => reason);
    expect(failure).toMatchObject({ code: 'journal_full', text: expect.stringContaining(folder) as string, hint: expect.stringContaining('Free disk space') as string });
    await expect(write(stored + 1)).rejects.toMatchObject({ code: 'journal_full' });
    expect(await journal.history({ runId: 'run-a' })).toHaveLength(stored);
    await rm(ballast);
    for (const more of [1, 2, 3]) await write(stored + more);
    expect((await journal.history({ runId: 'run-a' })).map(({ seq }) => seq)).toEqual(Array.from({ length: stored + 3 }, (_, index) => index + 1));
    await journal.close();
  });

  test.skipIf(!canMount())('is named when the journal cannot be created for want of room', async () => {
    const folder = await temporaryFolder();
    mountSmall(folder, '64k');
    await writeFile(join(folder, 'ballast'), Buffer.alloc(56_000));
    const path = join(folder, 'data', 'journal.sqlite3');
    await expect(openSqliteJournal({ path })).rejects.toMatchObject({ code: 'journal_full', text: expect.stringContaining(path) as string });
  });
});

describe('a damaged journal', () => {
  const PAGE = 4_096;

  async function journalWithSteps(path: string): Promise<void> {
    const journal = await openSqliteJournal({ path });
    const [whole, damaged] = [await begin(journal, 'run-whole'), await begin(journal, 'run-damaged')];
    await journal.completed({ records: [completedStep(whole, 1)] });
    await journal.completed({ records: Array.from({ length: 2_000 }, (_, index) => completedStep(damaged, index + 1)) });
    await journal.close();
  }

  async function overwrite(path: string, at: number, bytes: Buffer): Promise<void> {
    const file = await openFile(path, 'r+');
    await file.write(bytes, 0, bytes.length, at);
    await file.close();
  }

  test('is reported with its path, and what is whole can still be read', async () => {
    const path = join(await temporaryFolder(), 'journal.sqlite3');
    await journalWithSteps(path);
    const pages = (await stat(path)).size / PAGE;
    await overwrite(path, (pages - 6) * PAGE, Buffer.alloc(4 * PAGE, 0xa5));
    const before = await readFile(path);

    const journal = await opened(path);
    await expect(journal.history({ runId: 'run-damaged' })).rejects.toMatchObject({ code: 'journal_corrupt', text: expect.stringContaining(path) as string, hint: expect.stringContaining('backup') as string, evidence: { path } });
    expect(await journal.history({ runId: 'run-whole' })).toHaveLength(1);
    expect(await journal.list({ limit: 10 })).toHaveLength(2);
    await journal.close();
    expect((await readFile(path)).equals(before)).toBe(true);
  });

  test('is reported when a stored value is no longer what was written', async () => {
    const path = join(await temporaryFolder(), 'journal.sqlite3');
    const journal = await openSqliteJournal({ path });
    const claim = await begin(journal);
    await journal.completed({ records: [completedStep(claim, 1, { outcome: { ok: true, value: { marker: 'MARK' } } })] });
    await journal.close();
    await overwrite(path, (await readFile(path)).indexOf('{"marker"'), Buffer.from('}'));
    await expect((await opened(path)).history({ runId: 'run-a' })).rejects.toMatchObject({ code: 'journal_corrupt', evidence: { path } });
  });

  test('is reported when it is cut off', async () => {
    const path = join(await temporaryFolder(), 'journal.sqlite3');
    await journalWithSteps(path);
    const { size } = await stat(path);
    const file = await openFile(path, 'r+');
    await file.truncate(size / 2);
    await file.close();
    const failure = await (async () => {
      const journal = await opened(path);
      await journal.history({ runId: 'run-damaged' });
    })().catch((reason: unknown) => reason);
    expect(failure).toMatchObject({ code: 'journal_corrupt', evidence: { path } });
  });
});

test('a failure belongs to the call that caused it, not to those made in the same turn', async () => {
  const path = join(await temporaryFolder(), 'journal.sqlite3');
  const journal = await opened(path);
  const claim = await begin(journal);
  const unstorable = { ...newRun('run-b'), flowName: undefined as unknown as string, createdAt: undefined as unknown as number };
  const calls = await Promise.allSettled([
    journal.completed({ records: [completedStep(claim, 1)] }),
    journal.createRun({ run: unstorable, owner: owner(), leaseUntil: NOW }),
    journal.completed({ records: [completedStep(claim, 2)] }),
  ]);
  expect(calls.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await journal.history({ runId: 'run-a' })).toHaveLength(2);
  expect(await journal.run({ runId: 'run-b' })).toBeUndefined();
});

const [mount, unmount, unshare] = ['mount', 'umount', 'unshare'].map(tool);

/** Tried in a namespace of its own, which takes the mount with it. */
function canMount(): boolean {
  if (mount === undefined || unmount === undefined || unshare === undefined) return false;
  return spawnSync(unshare, ['-m', mount, '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;
}

/** A file system of this size over the folder, until the end of the test. */
function mountSmall(folder: string, size: string): void {
  execFileSync(mount!, ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
  onTestFinished(() => void execFileSync(unmount!, ['-l', folder]));
}
