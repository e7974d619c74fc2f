import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadSqlite } from '../../src/journal/sqlite/driver.js';
import { openSqliteJournal } from '../../src/journal/sqlite/open.js';
import { MIGRATIONS } from '../../src/journal/sqlite/migrations.js';
import { runChild, temporaryFolder } from './child.js';

interface Acknowledged {
  readonly runId: string;
  readonly seq: number;
}

/** The child is killed at the n-th passage of the point; sequential children pass it once a step, concurrent ones once a record or once a commit. */
const KILLS = [
  ['journal.create.before-commit', 1],
  ['journal.completed.inside', 1],
  ['journal.completed.inside', 7],
  ['journal.completed.before-commit', 1],
  ['journal.completed.before-commit', 33],
  ['journal.completed.after-commit', 1],
  ['journal.completed.after-commit', 19],
] as const;

describe.each(['sequential', 'concurrent'])('a process with %s runs, killed', (what) => {
  test.each(KILLS)('at %s, time %i, has kept what it acknowledged and nothing by halves', async (point, time) => {
    const path = join(await temporaryFolder(), 'data', 'journal.sqlite3');
    const { signal, lines, stderr } = await runChild(what, path, { fault: `${point}#${time}` });
    expect({ signal, stderr }).toEqual({ signal: 'SIGKILL', stderr: '' });
    const acknowledged = lines as readonly Acknowledged[];

    const journal = await openSqliteJournal({ path });
    const stored = new Set<string>();
    for (const run of await journal.list({ limit: 100 })) {
      const steps = await journal.history({ runId: run.id });
      expect(steps.map(({ seq }) => seq)).toEqual(steps.map((_, index) => index + 1));
      for (const { seq, outcome, position } of steps) {
        expect({ outcome, position }).toEqual({ outcome: { ok: true, value: `${run.id}/${seq}`.repeat(100) }, position: seq });
      }
      expect(await journal.source({ digest: `source of ${run.id}` })).toBeDefined();
      // One step per run was in flight at most.
      expect(steps.length).toBeLessThanOrEqual(1 + Math.max(0, ...acknowledged.filter(({ runId }) => runId === run.id).map(({ seq }) => seq)));
      for (const { seq } of [{ seq: 0 }, ...steps]) stored.add(`${run.id} ${seq}`);
    }
    expect(acknowledged.filter(({ runId, seq }) => !stored.has(`${runId} ${seq}`))).toEqual([]);
    if (point === 'journal.completed.after-commit') expect(stored.size).toBeGreaterThan(acknowledged.length);
    if (what === 'sequential' && point !== 'journal.completed.after-commit') expect(stored.size).toBe(acknowledged.length);
    await journal.close();
    expect(await integrity(path)).toEqual([['ok']]);
  });
});

const NEXT = [...MIGRATIONS, "ALTER TABLE run ADD COLUMN note TEXT; UPDATE run SET note = 'migrated ' || id"];

describe.each(['journal.migration.inside', 'journal.migration.before-commit'])('a process killed at %s', (fault) => {
  test('leaves a file that becomes a journal', async () => {
    const path = join(await temporaryFolder(), 'journal.sqlite3');
    expect((await runChild('sequential', path, { fault })).signal).toBe('SIGKILL');
    expect((await runChild('sequential', path)).lines).toHaveLength(41);
    expect(await integrity(path)).toEqual([['ok']]);
  });

  test('leaves a journal of the version before, whole, which migrates the next time', async () => {
    const path = join(await temporaryFolder(), 'journal.sqlite3');
    await runChild('sequential', path);
    const killed = await runChild('migrate', path, { fault, options: { migrations: NEXT } });
    expect(killed).toMatchObject({ signal: 'SIGKILL', lines: [] });

    const journal = await openSqliteJournal({ path });
    expect(await journal.history({ runId: 'run-0' })).toHaveLength(40);
    await journal.close();
    expect(await integrity(path)).toEqual([['ok']]);

    expect((await runChild('migrate', path, { options: { migrations: NEXT } })).lines).toEqual(['migrated']);
    expect(await rows(path, 'SELECT note FROM run')).toEqual([['migrated run-0']]);
    expect(await integrity(path)).toEqual([['ok']]);
  });
});

test('a killed process leaves its last steps in the WAL, where a reader without the right to write finds them', async () => {
  const path = join(await temporaryFolder(), 'journal.sqlite3');
  await runChild('sequential', path, { fault: 'journal.completed.after-commit#12' });
  const journal = await openSqliteJournal({ path, readOnly: true });
  expect(await journal.history({ runId: 'run-0' })).toHaveLength(12);
  await journal.close();
});

async function rows(path: string, sql: string): Promise<unknown> {
  const database = (await loadSqlite())(path);
  try {
    return database.prepare(sql).rows([]);
  } finally {
    database.close();
  }
}

function integrity(path: string): Promise<unknown> {
  return rows(path, 'PRAGMA integrity_check');
}
