import { expect, test } from 'vitest';
import { nearest } from '../../src/invocation/nearest.js';

const commands = ['check', 'run', 'runs', 'resume', 'status', 'replay'];

test.each([
  ['rnu', 'run'],
  ['RUN', 'run'],
  ['resmue', 'resume'],
  ['stat', 'status'],
  ['chek', 'check'],
  ['replayy', 'replay'],
  ['frobnicate', undefined],
  ['x', undefined],
  ['', undefined],
])('%s is near %s', (word, expected) => {
  expect(nearest(word, commands)).toBe(expected);
});

test('nothing is near to no candidates', () => {
  expect(nearest('run', [])).toBeUndefined();
});
