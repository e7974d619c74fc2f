import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { branchOfTicket } from '../../../src/runner/orca/base-branch.js';
import { commandLine, quote } from '../../../src/runner/orca/command-line.js';
import { holdsText, screenOf, showsWord } from '../../../src/runner/orca/composer.js';
import { orcaExecutable } from '../../../src/runner/orca/executable.js';
import { tabsOf } from '../../../src/runner/orca/layouts.js';

test.each([
  [{ ORCA_CLI_COMMAND: '/opt/orca', ORCA_DEV_REPO_ROOT: '/src' }, 'linux', '/opt/orca'],
  [{ ORCA_CLI_COMMAND: '', ORCA_DEV_REPO_ROOT: '/src' }, 'linux', 'orca-dev'],
  [{ ORCA_DEV_REPO_ROOT: '' }, 'linux', 'orca-ide'],
  [{}, 'linux', 'orca-ide'],
  [{}, 'darwin', 'orca'],
  [{}, 'win32', 'orca'],
] as const)('with %j on %s the command is %s (pitfall 3)', (env, platform, command) => {
  expect(orcaExecutable(env, platform)).toBe(command);
});

describe('the branch that belongs to a ticket', () => {
  test.each([
    [['main', 'RUN-12', 'RUN-1'], 'RUN-1'],
    [['RUN-12', 'xRUN-1', 'RUN-1x', 'RUN-1.2', 'RUN-1-2'], undefined],
    [['main', 'origin/feature/RUN-1-fix-login'], 'origin/feature/RUN-1-fix-login'],
    [['fix-RUN-1-login', 'tess/RUN-1', 'RUN-1'], 'RUN-1'],
    [['fix-RUN-1-login', 'tess/RUN-1'], 'tess/RUN-1'],
    [['RUN-12-and-RUN-1'], 'RUN-12-and-RUN-1'],
    [[], undefined],
  ])('of %j is %j', (branches, found) => {
    expect(branchOfTicket(branches, 'RUN-1')).toBe(found);
  });

  test('whatever is in its key', () => {
    expect(branchOfTicket(['bd-a3f8.1', 'bd-a3f8x1'], 'bd-a3f8.1')).toBe('bd-a3f8.1');
    expect(branchOfTicket(['aa'], 'a*')).toBeUndefined();
  });
});

describe('the line typed into a shell', () => {
  test('takes the place of the shell, with sorted variables', () => {
    expect(commandLine({ file: 'pi', args: ['-p', 'it\'s'], env: { B: '2', A: '' } })).toBe('exec env A=\'\' B=\'2\' \'pi\' \'-p\' \'it\'\\\'\'s\'');
  });

  test.each(['', '\'', '\'\'', '"$HOME" `id` $(id) \\', 'a\nb\n', '\ttab', 'bell\u0007escape\u001b[2Jdelete\u007f', '\u0085next line', '!history', '日本 😀', '%s \\n', '~', '*'])('carries %j through a shell', (text) => {
    const typed = quote(text);
    expect(execFileSync('sh', ['-c', `printf '%s.' ${typed}`], { encoding: 'utf8' })).toBe(`${text}.`);
    // What a terminal would take for a key is not among what is typed.
    expect(typed).not.toMatch(/(?!\n)\p{Cc}/u);
  });

  test('leaves out NUL, and refuses names that are none and lines that are too long, without saying what is in them', () => {
    expect(quote('a\0b')).toBe('\'ab\'');
    for (const command of [{ file: 'x', args: [], env: { 'A;id': 'secret' } }, { file: 'x', args: ['secret'.repeat(30_000)], env: {} }]) {
      expect(() => commandLine(command)).toThrow(/^(?:(?!secret)[^])*$/);
    }
  });
});

describe('tabs', () => {
  const pane = (handle: string): unknown => ({ handle, connected: true, title: 'vim' });

  test('have one pane or a tree of them, in groups or not; titles of panes are not theirs (pitfall 4)', () => {
    const result = {
      terminals: [{ handle: 'no', title: 'no' }],
      visualLayouts: [
        { root: { tabs: [{ tabId: '1', title: 'RUN-1:a', panes: pane('h1') }] } },
        { root: { type: 'split', children: [{ tabs: [{ title: 'RUN-1:b', panes: { type: 'split', first: { type: 'terminal', leafId: 'l', ...pane('h2') as object }, second: { children: [pane('h3'), { handle: 'h4', connected: false }] } } }] }] } },
      ],
    };
    expect(tabsOf(result)).toEqual([
      { title: 'RUN-1:a', panes: ['h1'] },
      { title: 'RUN-1:b', panes: ['h2', 'h3', 'h4'] },
    ]);
  });

  test.each([undefined, null, 'x', {}, { visualLayouts: {} }, { terminals: [] }])('%j has no layouts', (result) => {
    expect(tabsOf(result)).toBeUndefined();
  });

  test('may be none, or odd', () => {
    expect(tabsOf({ visualLayouts: [] })).toEqual([]);
    expect(tabsOf({ visualLayouts: [{ root: null }, 'x', { root: { tabs: [{ panes: pane('h') }, { title: 'empty' }] } }] })).toEqual([{ title: 'empty', panes: [] }]);
  });
});

describe('what stands where text is typed in', () => {
  const screen = (...lines: readonly string[]): string => lines.join('\n');
  const footer = ['╰────────────╯', '  ? for shortcuts'];

  test.each<[string, string, string, boolean]>([
    ['the text in a box', screen('Done.', '╭────────────╮', '│ > Read your mailbox │', ...footer), 'Read your mailbox', true],
    ['the text, entered, above an empty box', screen('> Read your mailbox', '', '╭────────────╮', '│ >              │', ...footer), 'Read your mailbox', false],
    ['the text over two lines of a box', screen('╭────╮', '│ > Read your mail │', '│   box, RUN-1     │', ...footer), 'Read your mailbox, RUN-1', true],
    ['the end of a long text', screen('│ word word word word   │', '│ and then review it all │', ...footer), `${'word '.repeat(500)}and then review it all`, true],
    ['a long text that was pasted', screen('│ > [Pasted text #1 +20 lines] │', ...footer), 'x\ny '.repeat(400), true],
    ['a pasted text, entered', screen('> [Pasted text #1 +20 lines]', '● Thinking…', '│ > │', ...footer), 'x y '.repeat(400), false],
    ['the text far above', screen('> Go on', 'a', 'b', 'c', 'd', 'e', 'f'), 'Go on', false],
    ['the text twice, the second not entered', screen('> Go on', 'ok', '│ > Go on │', ...footer), 'Go on', true],
    ['colours and a cursor', screen('\u001b[2m│\u001b[0m > \u001b[1mGo\u001b[7m \u001b[0mon\u001b[K', '\u001b]0;title\u0007'), 'Go on', true],
    ['a shell that waits', screen('$ Go on', 'sh: Go: not found', '$ '), 'Go on', false],
    ['something else', screen('│ > Try "fix the bug" │', ...footer), 'Go on', false],
    ['nothing', '', 'Go on', false],
    ['an empty text', screen('│ > │'), ' ', false],
  ])('%s', (_, shown, text, holds) => {
    expect(holdsText(shown, text)).toBe(holds);
  });

  test('is read from any of the shapes in which Orca may answer', () => {
    for (const result of [{ text: 'a\nb' }, { screen: 'a\nb' }, { lines: ['a', 'b'] }, { lines: [{ text: 'a' }, { text: 'b' }] }, { terminal: { handle: 'h', output: 'a\nb' } }, { read: { lines: ['a', 'b'] } }, { screen: { text: 'a\nb' } }]) {
      expect(screenOf(result)).toBe('a\nb');
    }
    for (const result of [undefined, null, 'x', {}, { terminal: { handle: 'h' } }, { text: 3 }]) expect(screenOf(result)).toBeUndefined();
  });
});

test.each([
  ['in the middle of what was said', '> Read it (relay-flow-0a1b2c)\n\n  I am reading.\n\n❯ ', true],
  ['over the end of a line, in a frame', '│ Read it (relay-fl │\n│ ow-0a1b2c)        │', true],
  ['in colors', '\u001B[1mRead it\u001B[0m (relay-\u001B[2mflow-0a1b2c)\u001B[0m', true],
  ['nowhere', '> Read it (relay-flow-0a1b2d)\n❯ ', false],
  ['on an empty screen', '', false],
])('a word is seen %s', (_where, shown, seen) => {
  expect(showsWord(shown, 'relay-flow-0a1b2c')).toBe(seen);
});
