import { expect, test } from 'vitest';
import type { Io } from '../../src/io.js';
import { styleFor } from '../../src/report/style.js';

const io = (env: Io['env'] = {}): Io => {
  const output = { isTerminal: false, columns: 80, rows: 24, gone: new AbortController().signal, failure: undefined, write: () => undefined, flushed: () => Promise.resolve() };
  return { env, cwd: '/w', stdout: output, stderr: output, inputIsTerminal: false, now: () => 0 };
};

test.each([
  [{}, 'resume 01', 'flows resume 01'],
  [{ 'data-dir': '../runs' }, 'resume 01', 'flows resume 01 --data-dir ../runs'],
  [{ 'data-dir': `it's here` }, 'answer 01 human-1 yes', `flows answer 01 human-1 yes --data-dir 'it'\\''s here'`],
  [{ cwd: 'sub' }, 'logs 01 run-1', 'flows logs 01 run-1 --data-dir sub/.relayflowd'],
  [{ 'data-dir': 'd' }, 'run --help', 'flows run --help'],
  [{ 'data-dir': 'd' }, 'resume --help', 'flows resume --help'],
])('with %o a user is told to type %s as %s', (values, args, typed) => {
  expect(styleFor(io(), values).command(args)).toBe(typed);
});

test.each([
  [{ npm_command: 'exec', npm_lifecycle_event: 'npx' }, 'npx @relayflows/cli runs'],
  [{ npm_command: 'run-script', npm_lifecycle_event: 'start' }, 'flows runs'],
])('under %o', (env, typed) => {
  expect(styleFor(io(env)).command('runs')).toBe(typed);
});
