import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { namesIn, pitfallsIn, testNames } from './test-names.js';

/** What was found wrong in a system of this kind before, numbered. All of them concern what we have. */
const ALL = Array.from({ length: 54 }, (_, index) => index + 1);

const names = testNames();
const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

test('every pitfall has a test that is named after it', () => {
  const tested = new Set(names.flatMap(({ name }) => pitfallsIn(name)));
  expect(ALL.filter((number) => !tested.has(number))).toEqual([]);
  expect([...tested].filter((number) => !ALL.includes(number))).toEqual([]);
});

/** Rows of the first table: the number, and the tests that it names. */
const rows = [...readme.matchAll(/^\| (\d+) \| [^|]+ \| ([^|]+) \|$/gm)].map(([, number, tests]) => ({
  number: Number(number),
  tests: [...(tests ?? '').matchAll(/`([^`]+)` "([^"]+)"/g)].map(([, file, words]) => ({ file: file ?? '', words: words ?? '' })),
}));

test('the table in README.md has every pitfall', () => {
  expect(rows.map(({ number }) => number)).toEqual(ALL);
});

test.each(rows.map((row) => [row.number, row.tests] as const))('the tests that README.md names for %i are about it', (number, tests) => {
  expect(tests).not.toEqual([]);
  for (const { file, words } of tests) {
    const meant = names.filter((test) => test.file.endsWith(`/test/${file}`) && test.name.includes(words)).flatMap(({ name }) => pitfallsIn(name));
    expect(meant, `${file} ${words}`).toContain(number);
  }
});

test('names are read whole: groups, rows, and every way to write a number', () => {
  const code = 'describe(\'pitfall\', () => { it(\'24: a\', () => {}); it.each([[\'b (pitfall 7)\']])(\'%s (pitfalls 5, 10 and 12)\', () => { f(\'pitfall 9\'); }); }); other(\'pitfall 8\');';
  expect(namesIn(code)).toEqual(['pitfall 24: a', 'pitfall %s (pitfalls 5, 10 and 12) b (pitfall 7)']);
  expect(namesIn(code).flatMap(pitfallsIn)).toEqual([24, 5, 10, 12, 7]);
});
