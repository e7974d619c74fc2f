import { expect, it } from 'vitest';
import { nearest } from '../../src/flow/nearest.js';

it.each([
  ['modles', ['cli', 'models', 'mcp'], 'models'],
  ['MODELS', ['models'], 'models'],
  ['clii', ['cli', 'mcp'], 'cli'],
  ['plugin', ['plugins', 'deploy'], 'plugins'],
  ['telemetry', ['cli', 'models', 'deploy'], undefined],
  ['x', ['y'], undefined],
  ['', ['a'], undefined],
  ['same', ['some', 'same'], 'same'],
  ['anything', [], undefined],
])('%j among %j is %j', (word, candidates, expected) => {
  expect(nearest(word, candidates)).toBe(expected);
});
