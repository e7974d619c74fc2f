import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { begin, completedStep, NOW } from '../../src/journal/conformance/scenario.js';
import { openSqliteJournal } from '../../src/journal/sqlite/open.js';
import { temporaryFolder } from './child.js';

test('a thousand steps that return a short text take less than 130 KiB', async () => {
  const path = join(await temporaryFolder(), 'journal.sqlite3');
  const journal = await openSqliteJournal({ path });
  const empty = (await stat(path)).size;
  const claim = await begin(journal);
  for (let batch = 0; batch < 20; batch += 1) {
    await journal.completed({
      records: Array.from({ length: 50 }, (_, index) => {
        const seq = batch * 50 + index + 1;
        return completedStep(claim, seq, { kind: 'uuid', stepId: `uuid-${seq}`, endedAt: NOW + seq, outcome: { ok: true, value: randomUUID() }, position: seq, created: seq });
      }),
    });
  }
  await journal.close();
  expect((await stat(path)).size - empty).toBeLessThan(130 * 1024);
  expect(empty).toBeLessThan(64 * 1024);
});
