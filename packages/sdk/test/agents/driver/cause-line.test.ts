import { expect, test } from 'vitest';
import { causeLine } from '../../../src/agents/outcome-evidence.js';

test.each([
  ['one line', 'no such model\n', 'no such model'],
  ['the last line', 'first\nsecond\n\n', 'second'],
  ['not a bracket', 'cannot open\n}\n', 'cannot open'],
  ['the error above a stack', 'x.js:3\n  throw new Error("boom")\n        ^\n\nError: boom\n    at f (x.js:3:9)\n    at g (x.js:9:1)\n\nNode.js v20.20.2\n', 'Error: boom'],
  ['the error above an object', "Error: spawn nope ENOENT\n    at f (x.js:1) {\n  errno: -2,\n  code: 'ENOENT'\n}\n\nNode.js v20.20.2", 'Error: spawn nope ENOENT'],
  ['the last line although an error stands before it', 'Error: telemetry failed\nusage limit reached', 'usage limit reached'],
  ['brackets when there is nothing else', '{\n}', '}'],
])('the cause is %s', (_what, text, cause) => {
  expect(causeLine(text)).toBe(cause);
});

test('there is none in nothing', () => {
  expect(causeLine(' \n\n')).toBeUndefined();
});

test('it is short', () => {
  expect(causeLine('x'.repeat(1_000))?.length).toBe(401);
});
