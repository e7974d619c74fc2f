import { describe, expect, it } from 'vitest';
import { shortened, shownCall, shownPath } from '../../../src/agents/driver/shown.js';

describe('what people are shown of an agent', () => {
  it.each([
    ['/repo/a.txt', 'a.txt'],
    ['/repo/sub/../b.txt', 'b.txt'],
    ['a.txt', 'a.txt'],
    ['./a.txt', 'a.txt'],
    // A name that only begins like the way up.
    ['/repo/..a.txt', '..a.txt'],
    ['/repo', '/repo'],
    ['/elsewhere/a.txt', '/elsewhere/a.txt'],
    ['../a.txt', '../a.txt'],
    ['/repository/a.txt', '/repository/a.txt'],
  ])('the file %s is %s', (file, shown) => {
    expect(shownPath('/repo', file)).toBe(shown);
  });

  it.each([
    [{ file_path: '/repo/a.txt', content: 'long' }, 'a.txt'],
    [{ filePath: '/repo/a.txt' }, 'a.txt'],
    [{ command: 'cat /repo/a.txt', file_path: '/repo/b.txt' }, 'cat /repo/a.txt'],
    [{ command: 7, pattern: '/repo/*.ts' }, '/repo/*.ts'],
    [{ other: 1 }, '{"other":1}'],
    [{}, '{}'],
  ])('the call %j is %s', (input, shown) => {
    expect(shownCall(input, { cwd: '/repo', telling: ['command', 'file_path', 'filePath', 'pattern'] })).toBe(shown);
  });

  it('a long text is cut', () => {
    expect(shortened('x'.repeat(200))).toBe('x'.repeat(200));
    expect(shortened('x'.repeat(201))).toBe(`${'x'.repeat(200)}…`);
  });
});
