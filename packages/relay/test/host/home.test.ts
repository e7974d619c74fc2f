import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homeOf } from '../../src/host/home.js';
import { homeExists, prepareHome } from '../../src/host/prepare-home.js';
import { replaceFile } from '../../src/host/private-file.js';
import { madeHome, scratch, unmadeHome } from '../scratch.js';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

test('the default is a folder in the home of the user', () => {
  expect(homeOf({ HOME: '/home/ann' })).toMatchObject({ root: '/home/ann/.relay-flow', socket: '/home/ann/.relay-flow/server.sock', database: '/home/ann/.relay-flow/state.db' });
  expect(homeOf({ HOME: '/home/ann', RELAY_FLOW_HOME: '' }).root).toBe('/home/ann/.relay-flow');
  expect(homeOf({ HOME: '/home/ann', RELAY_FLOW_HOME: '/srv//relay/' }).root).toBe('/srv/relay');
});

test.each([
  ['relative/home', 'RELAY_FLOW_HOME is not an absolute path: relative/home'],
  [`/${'x'.repeat(91)}`, 'The path of the home is too long: its socket would have an address of 104 bytes, and 103 are possible.'],
  [`/${'ü'.repeat(46)}`, 'its socket would have an address of 105 bytes'],
])('%s cannot be one', (path, why) => {
  expect(() => homeOf({ RELAY_FLOW_HOME: path })).toThrow(expect.objectContaining({ code: 'home_unusable', message: expect.stringContaining(why) as string }) as Error);
});

test('the longest path that a socket allows is allowed', () => {
  expect(Buffer.byteLength(homeOf({ RELAY_FLOW_HOME: `/${'x'.repeat(90)}` }).socket)).toBe(103);
});

test('folders are made for their owner alone', () => {
  const home = unmadeHome();
  expect(homeExists(home)).toBe(false);
  expect(prepareHome(home)).toEqual([]);
  expect([home.root, home.workflows, home.logs].map(modeOf)).toEqual(['700', '700', '700']);
  expect(homeExists(home)).toBe(true);
});

test('modes that let others in are corrected, and that is said', () => {
  const home = madeHome();
  writeFileSync(home.credentials, 'jira: {}\n', { mode: 0o644 });
  writeFileSync(home.config, '', { mode: 0o600 });
  chmodSync(home.root, 0o755);
  expect(prepareHome(home)).toEqual([`${home.root} could be read by others and was closed to them.`, `${home.credentials} could be read by others and was closed to them.`]);
  expect([home.root, home.credentials].map(modeOf)).toEqual(['700', '600']);
});

test('what is no folder, or no file, is refused', () => {
  const file = join(scratch(), 'file');
  writeFileSync(file, '');
  const under = homeOf({ RELAY_FLOW_HOME: file });
  expect(() => homeExists(under)).toThrow(`${file} is not a folder.`);
  expect(() => prepareHome(under)).toThrow(`${file} is not a folder.`);
  expect(() => prepareHome(homeOf({ RELAY_FLOW_HOME: join(file, 'home') }))).toThrow('cannot be');
  const home = madeHome();
  mkdirSync(home.config);
  expect(() => prepareHome(home)).toThrow(`${home.config} is not a file.`);
});

test('a file is replaced as a whole, with the mode it needs, and nothing is left beside it', () => {
  const home = madeHome();
  replaceFile(home.config, 'one\n');
  replaceFile(home.config, 'two\n');
  expect(modeOf(home.config)).toBe('600');
  expect(() => replaceFile(join(home.root, 'no/such/file'), 'x')).toThrow(expect.objectContaining({ code: 'home_unusable' }) as Error);
});

test('a home is made with the folders above it, for the owner only', () => {
  const home = homeOf({ RELAY_FLOW_HOME: join(scratch(), 'a', 'b') });
  expect(prepareHome(home)).toEqual([]);
  expect([home.root, join(home.root, '..'), home.logs].map(modeOf)).toEqual(['700', '700', '700']);
});

test.runIf(process.platform === 'linux')('where nothing can be made, though its place is there, it says so and comes back', () => {
  for (const path of ['/proc/relay', '/proc/relay/deep']) expect(() => prepareHome(homeOf({ RELAY_FLOW_HOME: path }))).toThrow('/proc/relay cannot be made: ENOENT.');
});
