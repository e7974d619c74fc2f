import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { hasBuiltInSqlite } from '../../src/journal/sqlite/driver.js';
import { temporaryFolder } from './child.js';

test.each([
  ['20.19.0', false],
  ['22.12.0', false],
  ['22.15.1', false],
  ['22.16.0', true],
  ['23.10.0', false],
  ['23.11.0', true],
  ['24.0.0', true],
  ['26.1.0-nightly', true],
])('Node %s brings an engine that will do: %s', (version, expected) => {
  expect(hasBuiltInSqlite(version)).toBe(expected);
});

test('opening a journal prints nothing and loads one engine', async () => {
  const path = join(await temporaryFolder(), 'journal.sqlite3');
  const open = fileURLToPath(new URL('../../dist/journal/sqlite/open.js', import.meta.url));
  const script = `
    const { openSqliteJournal } = await import(${JSON.stringify(open)});
    await (await openSqliteJournal({ path: ${JSON.stringify(path)} })).close();
    const native = process.report.getReport().sharedObjects.some((file) => file.includes('@libsql'));
    console.log(native ? 'libsql' : 'built in');`;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  expect({ stdout, stderr }).toEqual({ stdout: hasBuiltInSqlite(process.versions.node) ? 'built in\n' : 'libsql\n', stderr: '' });
});

test('loading the engine leaves the process as it was', async () => {
  const driver = fileURLToPath(new URL('../../dist/journal/sqlite/driver.js', import.meta.url));
  const script = `
    const { emitWarning } = process;
    await (await import(${JSON.stringify(driver)})).loadSqlite();
    console.log(process.emitWarning === emitWarning);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  expect(stdout).toBe('true\n');
});
