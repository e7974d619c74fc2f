import { expect, test } from 'vitest';
import { nearest } from '../../src/host/nearest.js';

test.each([
  ['lsit', ['list', 'get'], 'list'],
  ['LIST', ['list', 'get'], 'list'],
  ['reg', ['register', 'remove'], 'register'],
  ['aprove', ['approve', 'reject'], 'approve'],
  ['x', ['list', 'get'], undefined],
  ['zebra', ['list', 'get'], undefined],
  ['', ['list'], undefined],
  ['list', [], undefined],
])('%s among %j: %s', (word, known, meant) => {
  expect(nearest(word, known)).toBe(meant);
});
