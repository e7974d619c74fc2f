import { expect, test } from 'vitest';
import { helpLines } from '../../src/commands/invocation/help.js';
import { COMMANDS, GROUPS } from '../../src/commands/invocation/table.js';
import { paintFor, PLAIN } from '../../src/commands/text/paint.js';
import { call } from './in-process.js';

const topics = [undefined, ...GROUPS, ...COMMANDS.map(({ name }) => name)];

test.each(topics)('the help of %s', (topic) => {
  expect(helpLines(topic, PLAIN).join('\n')).toMatchSnapshot();
});

test('fits a terminal of 100 columns', () => {
  for (const line of topics.flatMap((topic) => helpLines(topic, PLAIN))) expect(line.length).toBeLessThanOrEqual(100);
});

test('help succeeds and is on standard output', async () => {
  expect(await call(['run', 'get', '--help'])).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('relay-flow run get --ticket <key>') as string });
});

test.each(['--version', '-v', 'version'])('%s is data too', async (word) => {
  expect(JSON.parse((await call([word, '--json'])).stdout)).toEqual({ ok: true, data: { version: expect.any(String) as string, node: process.versions.node } });
});

test.each([
  [true, {}, false, true],
  [false, {}, false, false],
  [true, { TERM: 'dumb' }, false, false],
  [true, { NO_COLOR: '1' }, false, false],
  [true, {}, true, false],
  [false, { FORCE_COLOR: '1' }, false, true],
  [false, { FORCE_COLOR: '1' }, true, false],
  [true, { FORCE_COLOR: '0' }, false, false],
])('on a terminal: %s, with %o and --no-color: %s, there is color: %s', (isTerminal, env, noColor, colored) => {
  expect(paintFor({ isTerminal, env, noColor }).red('x') !== 'x').toBe(colored);
});
