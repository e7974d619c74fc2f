import { expect, test } from 'vitest';
import { table } from '../../src/text/table.js';
import { pad, truncate, widthOf } from '../../src/text/width.js';

const head = [{ title: 'step' }, { title: 'what', flexible: true as const }, { title: 'time', align: 'right' as const }, { title: 'cost' }];

test('aligns by display width and leaves empty columns out', () => {
  expect(table(head, [['run-1', '日本語 🎉', '3.2s', ''], ['run-10', 'npm test', '850ms', '']])).toEqual([
    'step    what        time',
    'run-1   日本語 🎉   3.2s',
    'run-10  npm test   850ms',
  ]);
});

test.each([80, 40, 30, 20, 10, 1])('never exceeds %d columns', (columns) => {
  for (const line of table(head, [['run-1', '日本語 is a very long title that gives way', '3.2s', '$0.04']], columns)) expect(widthOf(line)).toBeLessThanOrEqual(columns);
});

test.each([
  ['short', 10, 'short'],
  ['exactly ten', 11, 'exactly ten'],
  ['something long', 5, 'some…'],
  ['日本語', 5, '日本…'],
  ['日本語', 4, '日…'],
  ['👨‍👩‍👧 family', 3, '👨‍👩‍👧…'],
  ['x', 0, ''],
])('%s in %d columns is %s', (text, columns, expected) => {
  expect(truncate(text, columns)).toBe(expected);
});

test('padding counts columns, not characters', () => {
  expect(pad('日本', 6)).toBe('日本  ');
  expect(pad('long', 2)).toBe('long');
});
