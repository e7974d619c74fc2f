import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/invocation/commands.js';
import { commandHelp, programHelp } from '../../src/invocation/help.js';
import { parseInvocation } from '../../src/invocation/parse.js';
import { colorsFor, NO_COLORS } from '../../src/text/colors.js';

const style = { colors: NO_COLORS, program: 'flows' };

test('the help of the program', () => {
  expect(programHelp(style)).toMatchSnapshot();
});

test.each(COMMANDS.map((command) => [command.name, command] as const))('the help of %s', (_, command) => {
  expect(commandHelp(command, style)).toMatchSnapshot();
});

test('fits a terminal of 100 columns', () => {
  for (const line of [programHelp(style), ...COMMANDS.map((command) => commandHelp(command, style))].join('\n').split('\n')) expect(line.length).toBeLessThanOrEqual(100);
});

test.each(COMMANDS.flatMap(({ examples }) => examples.map(({ args }) => args)))('the example `%s` is understood', (args) => {
  const words = args.replace(/ [12]?>.*$/, '').match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  expect(parseInvocation(words.map((word) => word.replace(/^(['"])(.*)\1$/, '$2')))).toMatchObject({ kind: 'command' });
});

test('someone who came through npx is shown what to type', () => {
  expect(programHelp({ ...style, program: 'npx @relayflows/cli' })).toContain('npx @relayflows/cli new hello');
});

test.each([
  [true, {}, true],
  [false, {}, false],
  [true, { TERM: 'dumb' }, false],
  [true, { NO_COLOR: '1' }, false],
  [true, { NO_COLOR: '' }, true],
  [false, { FORCE_COLOR: '1' }, true],
  [true, { FORCE_COLOR: '0' }, false],
  [true, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
])('on a terminal: %s, with %o, color is %s', (isTerminal, env, colored) => {
  expect(colorsFor(isTerminal, env).red('x') !== 'x').toBe(colored);
});
