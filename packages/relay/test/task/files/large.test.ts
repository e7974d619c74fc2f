import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { refuses } from '../../../src/task/conformance/scenario.js';
import { opened, touch } from './opened.js';

const COUNT = 1_000;
const SIZE = 4_000;

/** Bytes that this process has read from files and pipes, as Linux counts them; undefined elsewhere. */
function bytesRead(): number | undefined {
  try {
    return Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

async function large() {
  const stage = await opened();
  const old = new Date('2026-01-01');
  await Promise.all(Array.from({ length: COUNT }, async (_, index) => {
    await writeFile(stage.path(`T-${index}`), `---\ntitle: Ticket ${index}\nstatus: To Do\n---\n\n${'x'.repeat(SIZE)}\n`);
    await touch(stage.path(`T-${index}`), old);
  }));
  return { ...stage, repo: await stage.open({ stateDir: stage.state }) };
}

describe('many tickets', () => {
  let counted: number | undefined;
  beforeAll(() => {
    counted = bytesRead();
  });

  test('are not read again while they do not change', async (context) => {
    if (counted === undefined) context.skip();
    const { repo, poll, path } = await large();
    const before = bytesRead() ?? 0;
    expect(await poll(repo)).toHaveLength(COUNT);
    const first = (bytesRead() ?? 0) - before;
    expect(first).toBeGreaterThan(COUNT * SIZE);
    await poll(repo);
    const settled = bytesRead() ?? 0;
    expect(await poll(repo)).toHaveLength(COUNT);
    expect((bytesRead() ?? 0) - settled).toBeLessThan(first / 10);
    await writeFile(path('T-500'), '---\ntitle: Changed\nstatus: To Do\n---\n');
    const tickets = await repo.poll({ signal: AbortSignal.timeout(30_000) });
    expect(tickets[500]).toMatchObject({ key: 'T-500', title: 'Changed' });
  });

  test('can be given up in the middle of a poll, which leaves the next one whole', async () => {
    const { repo, poll } = await large();
    const giveUp = new AbortController();
    const polling = repo.poll({ signal: giveUp.signal });
    setImmediate(() => giveUp.abort());
    await refuses('task_unavailable', polling);
    expect(await poll(repo)).toHaveLength(COUNT);
  });

  test('of which mailboxes were lost while no server ran get them back within some polls', async () => {
    const { repo, poll, open, state, text, path, later } = await large();
    const keys = Array.from({ length: 300 }, (_, index) => `T-${index}`);
    for (const key of keys) {
      await repo.ensureMailboxes({ ticket: key, mailboxes: [{ node: 'a', title: `${key}:a`, description: 'Do.' }] });
      await repo.addComment({ key: `${key}/a`, marker: 'v1', body: 'Done.' });
      await writeFile(path(`${key}/a`), `---\ntitle: ${key}:a\nstatus: To Do\n---\n`);
    }
    const restarted = await open({ stateDir: state });
    later();
    for (let polls = 0; polls < 2; polls += 1) await poll(restarted);
    for (const key of keys) expect(await text(`${key}/a`)).toContain('<!-- v1 -->');
  });
});
