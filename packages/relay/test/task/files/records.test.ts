import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type * as FileSystem from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Records } from '../../../src/task/files/records/records.js';
import { NOTHING, type Written } from '../../../src/task/files/records/written.js';

/** Called between the moment at which a file was read and the one at which its reader hears of it. */
let afterRead: (() => Promise<void>) | undefined;

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof FileSystem>();
  const readFile = async (...args: Parameters<typeof real.readFile>) => {
    const content = await real.readFile(...args);
    const act = afterRead;
    afterRead = undefined;
    await act?.();
    return content;
  };
  return { ...real, readFile };
});

const labeled = (label: string, mailboxes: Written['mailboxes'] = {}): Written => ({ ...NOTHING, labels: [label], mailboxes });

async function recorded(written: Written): Promise<{ readonly records: Records; readonly path: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'relay-records-'));
  onTestFinished(async () => {
    afterRead = undefined;
    await rm(directory, { recursive: true, force: true });
  });
  const path = join(directory, 'K-1.json');
  await writeFile(path, JSON.stringify(written));
  return { records: new Records(directory), path };
}

test('a record that was read while it was replaced does not take the place of the new one', async () => {
  const { records } = await recorded(labeled('wf:old'));
  afterRead = async () => await records.update('K-1', async () => await Promise.resolve(labeled('wf:new', { build: { comments: [], title: 'K-1:build', description: 'Do it.' } })));
  expect((await records.get('K-1'))?.labels).toEqual(['wf:old']);
  expect((await records.get('K-1'))?.labels).toEqual(['wf:new']);
  expect(await records.mailboxes('K-1')).toEqual(['build']);
});

test('a record that was read while its ticket was forgotten does not come back', async () => {
  const { records } = await recorded(labeled('wf:old'));
  afterRead = async () => await records.forget('K-1');
  expect((await records.get('K-1'))?.labels).toEqual(['wf:old']);
  expect([await records.get('K-1'), await records.keys()]).toEqual([undefined, []]);
});

test('a record that is remembered is not read again', async () => {
  const { records, path } = await recorded(labeled('wf:old'));
  expect((await records.get('K-1'))?.labels).toEqual(['wf:old']);
  await rm(path);
  expect((await records.get('K-1'))?.labels).toEqual(['wf:old']);
});
