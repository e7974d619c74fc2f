import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { prepareDataDir } from '../../src/journal/data-dir.js';
import { temporaryFolder } from './child.js';

test('makes the folder and hides it from git, and does so twice without harm', async () => {
  const folder = join(await temporaryFolder(), 'a', 'b');
  prepareDataDir(folder);
  prepareDataDir(folder);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect(await readdir(folder)).toEqual(['.gitignore']);
});

test('hides an existing folder that holds nothing but what the runtime puts there', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'runs'));
  await writeFile(join(folder, 'journal.sqlite3-wal'), '');
  prepareDataDir(folder);
  expect(await readFile(join(folder, '.gitignore'), 'utf8')).toBe('*\n');
});

test('leaves a folder visible that holds other things', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'package.json'), '{}');
  prepareDataDir(folder);
  expect(await readdir(folder)).toEqual(['package.json']);
});

test('says why the folder cannot be made', async () => {
  const file = join(await temporaryFolder(), 'file');
  await writeFile(file, '');
  expect(() => prepareDataDir(join(file, 'data'))).toThrow(expect.objectContaining({ code: expect.stringMatching(/^(ENOTDIR|EEXIST)$/) as string }));
});

test.runIf(process.platform === 'linux')('returns where a folder denies to exist right after it was found', async () => {
  // A child: the call that this guards against never returns, and takes all memory.
  const script = `import { prepareDataDir } from ${JSON.stringify(new URL('../../dist/journal/data-dir.js', import.meta.url).href)};
    try { prepareDataDir('/proc/relayflows/data'); } catch (error) { console.log(error.code); }`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--max-old-space-size=64', '--input-type=module', '-e', script], { timeout: 120_000, killSignal: 'SIGKILL' });
  expect(stdout).toBe('ENOENT\n');
});
