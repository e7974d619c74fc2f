import { spawn } from 'node:child_process';
import { appendFile, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { markersIn } from '../../../src/task/conformance/scenario.js';
import { opened, type Opened } from './opened.js';

const SCRIPT = fileURLToPath(new URL('children/files-child.mjs', import.meta.url));

interface End {
  readonly signal: NodeJS.Signals | null;
  readonly exitCode: number | null;
  readonly acknowledged: readonly { readonly key: string; readonly marker: string }[];
  readonly stderr: string;
}

async function child(what: 'comment' | 'attempt', stage: Opened, options: object): Promise<End> {
  const running = spawn(process.execPath, [SCRIPT, what, stage.repo.path, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void running.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  running.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  running.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return await new Promise((resolve, reject) => {
    running.on('error', reject).on('close', (exitCode, signal) => resolve({ exitCode, signal, stderr, acknowledged: stdout.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as { key: string; marker: string }) }));
  });
}

test('processes that write at once lose no comment, no label, and nothing of a person', async () => {
  const stage = await opened();
  const tickets = [await stage.makeTicket({ title: 'First' }), await stage.makeTicket({ title: 'Second' })];
  const names = ['a', 'b', 'c', 'd'];
  const children = names.map(async (name) => await child('comment', stage, { name, tickets, count: 25 }));
  const ends = await Promise.all(children);
  for (const end of ends) expect(end).toMatchObject({ exitCode: 0, stderr: '' });
  for (const key of tickets) {
    const seen = await stage.look(key);
    expect([...markersIn(seen)].sort()).toEqual(names.flatMap((name) => Array.from({ length: 25 }, (_, index) => `${name}-${index}:summary`)).sort());
    expect([...seen.labels].sort()).toEqual(names.map((name) => `by-${name}`));
    expect(seen.description).toBe(`${seen.title} is to be done.`);
  }
  expect((await readdir(stage.directory)).filter((name) => name.startsWith('.'))).toEqual([]);
});

test('a person who appends with every save is heard beside two processes', async () => {
  const stage = await opened();
  const key = await stage.makeTicket({ title: 'First' });
  await stage.comment(key, 'Begins.');
  const children = ['a', 'b'].map(async (name) => await child('comment', stage, { name, tickets: [key], count: 20 }));
  let working = true;
  const done = Promise.all(children).finally(() => (working = false));
  const inode = async (): Promise<number> => (await stat(stage.path(key))).ino;
  // Opens by name, writes, closes: the shell's `>>`. Again only once one of the two came to write: a person who saves without end is not what this is about.
  for (let index = 0; working; index += 1) {
    const before = await readFile(stage.path(key), 'utf8');
    await appendFile(stage.path(key), `\n### Somebody\n\nNote ${index}.\n`);
    expect(before.startsWith('---\n')).toBe(true);
    const saved = await inode();
    while (working && (await inode()) === saved) await new Promise((resolve) => setTimeout(resolve, 2));
  }
  for (const end of await done) expect(end).toMatchObject({ exitCode: 0, stderr: '' });
  expect([...markersIn(await stage.look(key))].sort()).toEqual(['a', 'b'].flatMap((name) => Array.from({ length: 20 }, (_, index) => `${name}-${index}:summary`)).sort());
});

test.each([['before', 10], ['after', 10]] as const)('a process that is killed %s a write, at every one of them, leaves whole files, and the next one goes on', async (place, most) => {
  const stage = await opened();
  const undisturbed = await stage.makeTicket({ title: 'Same' });
  expect(await child('attempt', stage, { name: 'a', tickets: [undisturbed] })).toMatchObject({ exitCode: 0 });
  const expected = JSON.stringify(await stage.look(undisturbed)).replaceAll(undisturbed, 'KEY');
  const key = await stage.makeTicket({ title: 'Same' });
  let kills = 0;
  for (; kills < most; kills += 1) {
    const end = await child('attempt', stage, { name: 'a', tickets: [key], killAt: { place, write: 1 + (kills % 3) } });
    if (end.signal === null) break;
    expect(end.signal).toBe('SIGKILL');
    await stage.look(key);
  }
  const last = await child('attempt', stage, { name: 'a', tickets: [key] });
  expect(last).toMatchObject({ exitCode: 0, stderr: '' });
  expect(kills).toBeGreaterThan(1);
  expect(JSON.stringify(await stage.look(key)).replaceAll(key, 'KEY')).toBe(expected);
  for (const folder of [stage.directory, join(stage.directory, key)]) expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([]);
});
