import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeNew } from '../../src/files/write-new.js';

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'flows-files-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const all = (folder: string): string[] => readdirSync(folder, { recursive: true }).map(String).sort();

test('writes all, and makes their folders', () => {
  const folder = emptyFolder();
  writeNew([{ path: join(folder, 'a'), text: 'A' }, { path: join(folder, 'b/c/d'), text: 'D' }]);
  expect(all(folder)).toEqual(['a', 'b', 'b/c', 'b/c/d']);
  expect(readFileSync(join(folder, 'b/c/d'), 'utf8')).toBe('D');
});

test('names everything that is in the way, and writes nothing', () => {
  const folder = emptyFolder();
  writeFileSync(join(folder, 'b'), 'mine');
  symlinkSync('nowhere', join(folder, 'c'));
  const files = ['a', 'b', 'c'].map((name) => ({ path: join(folder, name), text: name }));
  expect(() => writeNew(files)).toThrow(expect.objectContaining({ code: 'file_exists', text: expect.stringMatching(/\/b\n.*\/c$/) as string }) as Error);
  expect(all(folder)).toEqual(['b', 'c']);
});

test.each([
  ['a file where a folder has to be', 'file/x', 'file_unwritable'],
  ['a file where a folder has to be made', 'file/x/y', 'file_unwritable'],
  ['a name that is too long', 'x'.repeat(300), 'file_unwritable'],
])('%s: what was written before is taken back, with its folders', (_, name, code) => {
  const folder = emptyFolder();
  writeFileSync(join(folder, 'file'), 'mine');
  expect(() => writeNew([{ path: join(folder, 'new/folder/a'), text: 'A' }, { path: join(folder, name), text: 'x' }])).toThrow(expect.objectContaining({ code, exitCode: 2 }) as Error);
  expect(all(folder)).toEqual(['file']);
  expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('mine');
});

test('the same file twice is refused as a file that appears meanwhile is', () => {
  const folder = emptyFolder();
  expect(() => writeNew([{ path: join(folder, 'a'), text: '1' }, { path: join(folder, 'a'), text: '2' }])).toThrow(expect.objectContaining({ code: 'file_exists' }) as Error);
});
