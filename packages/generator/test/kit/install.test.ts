import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { contents, emptyFolder, fillIn, KIT, makeRepository, NAMES, preflight, writeKit, type Ended } from './folder.js';

/** A kit beside a repository. */
function beside(name = 'repo'): { readonly kit: string; readonly repository: string } {
  const folder = emptyFolder();
  const kit = join(folder, 'kit');
  writeKit(kit);
  return { kit, repository: makeRepository(join(folder, name)) };
}

const install = ({ kit, repository }: ReturnType<typeof beside>, hook?: string): Ended => preflight(kit, ['--install', repository], hook === undefined ? {} : { hook });
const whole = Object.fromEntries(KIT.map(({ name, text }) => [name, text]));

test.each(['repo', 'it\'s a repository with "blanks" and ü', '-dash'])('moves itself into %s, and is gone from where it was', (name) => {
  const place = beside(name);
  expect(install(place)).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining(`The kit is in ${place.repository}.`) as string });
  expect(existsSync(place.kit)).toBe(false);
  expect(contents(place.repository)).toEqual({ ...whole, 'code.txt': 'code\n' });
});

test('says what to type next as a shell reads it', () => {
  const place = beside('it\'s a "repository"');
  const next = /^ {2}cd .*$/m.exec(install(place).stdout)?.[0] ?? '';
  expect(execFileSync('sh', ['-c', `${next} && pwd`], { encoding: 'utf8' })).toBe(`${place.repository}\n`);
});

test('moves into a folder of a repository, with the ticket that was filled in', () => {
  const place = beside();
  fillIn(place.kit);
  const folder = join(place.repository, 'packages/app');
  mkdirSync(folder, { recursive: true });
  expect(install({ ...place, repository: folder })).toMatchObject({ status: 0 });
  expect(contents(folder)).toMatchObject({ 'flow-input.json': expect.stringContaining('Fix the thing') as string });
});

test('leaves what else lies in its folder', () => {
  const place = beside();
  writeFileSync(join(place.kit, 'notes.txt'), 'mine');
  expect(install(place)).toMatchObject({ status: 0 });
  expect(contents(place.kit)).toEqual({ 'notes.txt': 'mine' });
});

describe('nothing is overwritten', () => {
  test.each(NAMES)('%s of somebody else stops the move before it begins', (name) => {
    const place = beside();
    writeFileSync(join(place.repository, name), 'mine');
    expect(install(place)).toMatchObject({ status: 2, stderr: expect.stringContaining(`${name} is in ${place.repository} already, with another content. Nothing was moved.`) as string });
    expect(contents(place.repository)).toEqual({ 'code.txt': 'code\n', [name]: 'mine' });
    expect(contents(place.kit)).toEqual(whole);
  });

  test('neither is a folder of such a name', () => {
    const place = beside();
    mkdirSync(join(place.repository, 'START-HERE.txt'));
    expect(install(place)).toMatchObject({ status: 2 });
    expect(contents(place.kit)).toEqual(whole);
  });

  test('a file that appears meanwhile stays, and what had been moved is taken back', () => {
    const place = beside();
    const file = JSON.stringify(join(place.repository, 'START-HERE.txt'));
    expect(install(place, onCall('linkSync', 3, `fs.writeFileSync(${file}, 'mine')`))).toMatchObject({ status: 2, stderr: expect.stringContaining('taken back') as string });
    expect(contents(place.repository)).toEqual({ 'code.txt': 'code\n', 'START-HERE.txt': 'mine' });
    expect(contents(place.kit)).toEqual(whole);
  });
});

test.each<[string, (place: ReturnType<typeof beside>) => string, string]>([
  ['a folder that does not exist', ({ repository }) => join(repository, 'absent'), 'There is no folder'],
  ['a file', ({ repository }) => join(repository, 'code.txt'), 'There is no folder'],
  ['a folder outside of any repository', () => emptyFolder(), 'is not inside a git repository'],
  ['its own folder', ({ kit }) => kit, 'lies there already'],
])('refuses %s', (_, target, says) => {
  const place = beside();
  expect(preflight(place.kit, ['--install', target(place)])).toMatchObject({ status: 2, stderr: expect.stringContaining(says) as string });
  expect(contents(place.kit)).toEqual(whole);
});

test('a kit that is not complete is not moved', () => {
  const place = beside();
  rmSync(join(place.kit, 'START-HERE.txt'));
  expect(install(place)).toMatchObject({ status: 2, stderr: expect.stringContaining('START-HERE.txt is missing from the kit. Nothing was moved.') as string });
  expect(contents(place.repository)).toEqual({ 'code.txt': 'code\n' });
});

/** Code that does something at the n-th call of a function of `node:fs`, before the call. */
function onCall(name: string, nth: number, code: string): string {
  return `import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module'; let calls = 0; const real = fs.${name}; fs.${name} = (...args) => { if (++calls === ${nth}) { ${code} } return real(...args); }; syncBuiltinESMExports();`;
}

const KILL = `process.kill(process.pid, 'SIGKILL');`;

describe('a move that is killed', () => {
  // Four copies, four links, and rmSync: twice for each copy, then once for each old file.
  const points = [...[1, 2, 3, 4].flatMap((nth) => [['copyFileSync', nth], ['linkSync', nth]] as const), ...Array.from({ length: 12 }, (_, at) => ['rmSync', at + 1] as const)];

  test.each(points)('at the %s number %i is completed by doing it again', (name, nth) => {
    const place = beside();
    expect(install(place, onCall(name, nth, KILL))).toMatchObject({ signal: 'SIGKILL' });
    // Every file is whole, here or there, and what has taken its name there is whole as well.
    for (const [file, text] of Object.entries(contents(place.repository))) if (NAMES.includes(file)) expect(text).toBe(whole[file]);
    expect(Object.keys({ ...contents(place.kit), ...contents(place.repository) })).toEqual(expect.arrayContaining(NAMES));
    expect(install(place)).toMatchObject({ status: 0 });
    expect(contents(place.repository)).toEqual({ ...whole, 'code.txt': 'code\n' });
    expect(existsSync(place.kit)).toBe(false);
  });
});

test.each([1, 2, 3, 4])('a move that fails at file %i is undone', (nth) => {
  const place = beside();
  const full = `const error = new Error('ENOSPC: no space left on device'); error.code = 'ENOSPC'; throw error;`;
  expect(install(place, onCall('copyFileSync', nth, full))).toMatchObject({ status: 2, stderr: expect.stringContaining('no space left on device. What had been moved was taken back.') as string });
  expect(contents(place.repository)).toEqual({ 'code.txt': 'code\n' });
  expect(contents(place.kit)).toEqual(whole);
});

test('a file system without hard links is used by copies', () => {
  const place = beside();
  const none = `const error = new Error('EPERM: operation not permitted'); error.code = 'EPERM'; throw error;`;
  expect(install(place, onCall('linkSync', 1, `fs.linkSync = () => { ${none} }; syncBuiltinESMExports(); ${none}`))).toMatchObject({ status: 0 });
  expect(contents(place.repository)).toEqual({ ...whole, 'code.txt': 'code\n' });
});
