import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readGarden } from '../../src/demo/garden.js';

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'flows-garden-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const SOURCE = 'export default 1;\n';
const sha256 = createHash('sha256').update(SOURCE).digest('hex');
const KNOWN = JSON.stringify({ version: 3, sha256 });

test('what was published is read with its digest', () => {
  expect(readGarden(folderWith({ 'software-garden.flow.ts': SOURCE, 'software-garden.json': KNOWN }))).toEqual({ version: 3, sha256, bytes: SOURCE.length, source: SOURCE });
});

test.each<[string, Record<string, string>]>([
  ['edited', { 'software-garden.flow.ts': `${SOURCE} `, 'software-garden.json': KNOWN }],
  ['cut short', { 'software-garden.flow.ts': SOURCE.slice(0, -1), 'software-garden.json': KNOWN }],
  ['missing', { 'software-garden.json': KNOWN }],
  ['without a digest', { 'software-garden.flow.ts': SOURCE, 'software-garden.json': '{}' }],
  ['without what is known of it', { 'software-garden.flow.ts': SOURCE }],
])('a flow that is %s is refused', (_, files) => {
  expect(() => readGarden(folderWith(files))).toThrow(expect.objectContaining({ code: 'source_mismatch', exitCode: 2 }) as Error);
});
