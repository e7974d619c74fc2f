import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { functionsOf, functionsUsedBy } from '../../src/shell/library.js';
import * as commands from '../../src/shell/commands.js';
import { shellLibrary, shellPart, shellPartBody } from '../../src/shell/parts.js';

const PARTS = readdirSync(new URL('../../shell/', import.meta.url)).filter((name) => name !== 'lib.sh').map((name) => name.replace(/\.sh$/, ''));

test.each(PARTS)('%s says first what it does, and fits into a flow', (name) => {
  const body = shellPartBody(name);
  expect(body).toMatch(/^# [A-Z]/);
  expect(body).toMatch(/\nreply \S.*$/);
  const escaped = body.replaceAll(/[\\`]|\$\{/g, '\\$&');
  expect(escaped.split('\n').filter((line) => line.length > 120)).toEqual([]);
});

test('every part has its constant', () => {
  expect(Object.values(commands).sort()).toEqual(PARTS.map((name) => shellPart(name)).sort());
});

test('a library is functions with their comments, in order', () => {
  const library = '# Of the file.\n\n# First.\none() {\n\ttwo\n}\n\ntwo() {\n\t:\n} 2>/dev/null\n\nthree() {\n\techo one-way /two\n}\n';
  const functions = functionsOf(library);
  expect(functions.map(({ name }) => name)).toEqual(['one', 'two', 'three']);
  expect(functions[0]?.source).toBe('# First.\none() {\n\ttwo\n}');
  expect(functionsUsedBy('one', functions).map(({ name }) => name)).toEqual(['one', 'two']);
  expect(functionsUsedBy('# one\nthree', functions).map(({ name }) => name)).toEqual(['three']);
  expect(() => functionsOf('echo loose\n')).toThrow(/holds more than functions and comments: echo loose/);
});

test('every function of the library is used by a part', () => {
  const library = shellLibrary();
  const used = functionsUsedBy(PARTS.map((name) => shellPartBody(name)).join('\n'), library);
  expect(library.filter((one) => !used.includes(one)).map(({ name }) => name)).toEqual([]);
});
