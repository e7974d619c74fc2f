import { describe, expect, it } from 'vitest';
import { outputMatches, sessionOf, snippetsOf } from '../../../../scripts/docs/snippets.mjs';

describe('snippetsOf', () => {
  it('reads language, mark, place and content, of indented fences too', () => {
    const markdown = ['text', '```ts hello.flow.ts', 'const a = 1;', '```', '- item', '  ```sh', '  true', '  ```'].join('\n');
    expect(snippetsOf('a.md', markdown)).toEqual([
      { file: 'a.md', line: 2, language: 'ts', mark: 'hello.flow.ts', code: 'const a = 1;' },
      { file: 'a.md', line: 6, language: 'sh', mark: '', code: 'true' },
    ]);
  });
});

describe('sessionOf', () => {
  it('pairs commands with what they print', () => {
    expect(sessionOf('$ flows run a  # exit 3\nRUN …\n\n$ true')).toEqual([
      { offset: 1, command: 'flows run a', exit: 3, expected: ['RUN …', ''] },
      { offset: 4, command: 'true', exit: 0, expected: [] },
    ]);
  });
});

describe('outputMatches', () => {
  it.each([
    [['a … c'], 'a b c\n'],
    [['first', '…', 'last'], 'first\nx\ny\nlast'],
    [['first', '…', 'last'], 'first\nlast'],
    [['…', 'last'], 'last'],
    [['(a+)'], '(a+)  '],
    [[], 'anything'],
  ])('%j shows %j', (expected, output) => expect(outputMatches(expected, output)).toBe(true));

  it.each([
    [['a'], 'a\nb'],
    [['a'], 'ba'],
    [['a … c'], 'a b\nc'],
    [['first', '…', 'last'], 'first\nlast\nmore'],
  ])('%j does not show %j', (expected, output) => expect(outputMatches(expected, output)).toBe(false));
});
