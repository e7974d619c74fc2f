import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorPages } from '../../../../scripts/gates/errors.mjs';
import { RELAY_ERROR_CODES, type RelayErrorCode } from '../../src/errors/codes.js';

const pages = errorPages(readFileSync(new URL('../../../../docs/relay-errors.md', import.meta.url), 'utf8'));

test('docs/relay-errors.md has an entry for every code, once, and for no other', () => {
  expect(pages.map(({ code }) => code).toSorted()).toEqual(Object.keys(RELAY_ERROR_CODES).toSorted());
});

test.each(pages.map((page) => [page.code, page] as const))('%s has its meaning, its kind, a cause and what to do', (code, { text }) => {
  const { meaning, kind } = RELAY_ERROR_CODES[code as RelayErrorCode];
  expect(text.trimStart().split('\n')[0]).toBe(`${meaning} Kind \`${kind}\`.`);
  for (const part of ['**Cause.**', '**What to do.**']) expect(text).toMatch(new RegExp(`^${part.replaceAll('*', '\\*')} [A-Z\`].*\\.$`, 'm'));
});
