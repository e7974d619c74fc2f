/** The repository that the demo works on: a till that prints receipts. It needs nothing but Node. */
const lines = (...text: readonly string[]): string => `${text.join('\n')}\n`;

const price = (cents: string): string => lines(
  '/** An amount in cents as people read it: 1250 is 12.50. */',
  'export function formatPrice(cents) {',
  `  return \`\${Math.floor(cents / 100)}.\${${cents}}\`;`,
  '}',
);

const CHECK = 'node --test --test-reporter=spec';

/** How the bug is written, and how its first repair is. */
export const BUG = 'cents % 100';
export const REPAIR = `String(cents % 100).padStart(2, '0')`;

export const PROJECT: Readonly<Record<string, string>> = {
  'README.md': lines('# till', '', `Prints receipts. \`${CHECK}\` checks it.`),
  'package.json': lines('{', '  "name": "till",', '  "private": true,', '  "type": "module",', `  "scripts": { "test": "${CHECK}" }`, '}'),
  'lib/price.js': price(BUG),
  'lib/receipt.js': lines(
    `import { formatPrice } from './price.js';`,
    '',
    '/** The lines of a receipt; the total comes last. */',
    'export function receipt(items) {',
    '  const total = items.reduce((sum, { cents }) => sum + cents, 0);',
    `  return [...items, { name: 'total', cents: total }].map(({ name, cents }) => \`\${name} \${formatPrice(cents)}\`);`,
    '}',
  ),
  'lib/cash.js': lines('/** What somebody gets back who pays the total in cash. */', 'export function change(total, paid) {', '  return paid - total;', '}'),
  'test/price.test.js': lines(
    `import assert from 'node:assert/strict';`,
    `import { test } from 'node:test';`,
    `import { formatPrice } from '../lib/price.js';`,
    '',
    `test('has two decimals', () => {`,
    `  assert.equal(formatPrice(1250), '12.50');`,
    '});',
    '',
    `test('keeps the zero before a few cents', () => {`,
    `  assert.equal(formatPrice(1005), '10.05');`,
    '});',
  ),
  'test/receipt.test.js': lines(
    `import assert from 'node:assert/strict';`,
    `import { test } from 'node:test';`,
    `import { receipt } from '../lib/receipt.js';`,
    '',
    `test('ends with the total', () => {`,
    `  assert.deepEqual(receipt([{ name: 'tea', cents: 250 }, { name: 'cake', cents: 475 }]), ['tea 2.50', 'cake 4.75', 'total 7.25']);`,
    '});',
  ),
  '.github/workflows/check.yml': lines(
    'name: check',
    'on: [push, pull_request]',
    'jobs:',
    '  test:',
    '    runs-on: ubuntu-latest',
    '    steps:',
    '      - uses: actions/checkout@v5',
    '      - uses: actions/setup-node@v6',
    `      - run: ${CHECK}`,
  ),
};

/** The same without the bug. */
export const MENDED: Readonly<Record<string, string>> = { ...PROJECT, 'lib/price.js': price(REPAIR) };
