import { expect, test } from 'vitest';
import { Recent } from '../src/recent.js';

test('keeps what was used last, up to its size, and nothing that is larger than all may be', () => {
  const recent = new Recent<string>(3);
  recent.put('a', 'A');
  recent.put('b', 'B', 2);
  expect(recent.get('a')).toBe('A');
  recent.put('c', 'C');
  expect([recent.get('a'), recent.get('b'), recent.get('c')]).toEqual(['A', undefined, 'C']);
  recent.put('d', 'D', 4);
  recent.put('a', 'again', 2);
  expect([recent.get('a'), recent.get('c'), recent.get('d')]).toEqual(['again', 'C', undefined]);
  recent.drop('a');
  recent.put('e', 'E', 2);
  expect([recent.get('a'), recent.get('c'), recent.get('e')]).toEqual([undefined, 'C', 'E']);
});
