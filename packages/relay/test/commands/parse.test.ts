import { describe, expect, test } from 'vitest';
import { parse, type Refusal } from '../../src/commands/invocation/parse.js';
import { COMMANDS, GROUPS } from '../../src/commands/invocation/table.js';

/** Splits at blanks; `''` is an empty word. */
function words(line: string): string[] {
  return line === '' ? [] : line.split(' ').map((word) => (word === `''` ? '' : word));
}

function understood(line: string): unknown {
  const invocation = parse(words(line));
  if (invocation.kind !== 'command') throw new Error(`not understood: ${JSON.stringify(invocation)}`);
  const { command, values, lists, switches } = invocation;
  return { command, values, ...(Object.keys(lists).length === 0 ? {} : { lists }), ...(switches.size === 0 ? {} : { switches: [...switches] }) };
}

function refused(line: string): Refusal {
  const invocation = parse(words(line));
  if (invocation.kind !== 'refused') throw new Error(`not refused: ${line}`);
  return invocation;
}

describe('what is understood', () => {
  test.each([
    ['init', { command: 'init', values: {} }],
    ['init --force --task-plugin jira --runner-plugin orca --harness-plugin pi', { command: 'init', values: { 'task-plugin': 'jira', 'runner-plugin': 'orca', 'harness-plugin': 'pi' }, switches: ['force'] }],
    ['task auth --site a --email b --token=--odd', { command: 'task auth', values: { site: 'a', email: 'b', token: '--odd' } }],
    ['serve --background --recover --debug', { command: 'serve', values: {}, switches: ['background', 'recover', 'debug'] }],
    ['serve --foreground', { command: 'serve', values: {}, switches: ['foreground'] }],
    ['repo register --name app --path . --set a=1 --set b=2', { command: 'repo register', values: { name: 'app', path: '.', set: 'b=2' }, lists: { set: ['a=1', 'b=2'] } }],
    ['workflow submit --file -', { command: 'workflow submit', values: { file: '-' } }],
    ['workflow graph --file a.yaml --format svg --output a.svg', { command: 'workflow graph', values: { file: 'a.yaml', format: 'svg', output: 'a.svg' } }],
    ['run list --active --json --no-color', { command: 'run list', values: {}, switches: ['active', 'json', 'no-color'] }],
    ['run get --ticket=ABC-12', { command: 'run get', values: { ticket: 'ABC-12' } }],
    ['run get --ticket -1', { command: 'run get', values: { ticket: '-1' } }],
    ['run approve --ticket A --report-id s:m --yes', { command: 'run approve', values: { ticket: 'A', 'report-id': 's:m' }, switches: ['yes'] }],
    ['run cancel --ticket A --reason no', { command: 'run cancel', values: { ticket: 'A', reason: 'no' } }],
    ['report', { command: 'report', values: {} }],
    ['version', { command: 'version', values: {} }],
  ])('%s', (line, expected) => {
    expect(understood(line)).toEqual(expected);
  });

  test.each(['--version', '-v'])('%s asks for the version', (line) => {
    expect(parse([line])).toEqual({ kind: 'version' });
  });

  test.each([
    ['', undefined], ['--help', undefined], ['-h', undefined], ['help', undefined], ['help --all', undefined],
    ['run --help', 'run'], ['help run', 'run'], ['help run get', 'run get'], ['run get --help', 'run get'], ['run get a b --unknown -h', 'run get'], ['serve -h', 'serve'],
  ])('"%s" asks for the help of %s', (line, topic) => {
    expect(parse(words(line))).toEqual(topic === undefined ? { kind: 'help' } : { kind: 'help', topic });
  });
});

test.each([
  'rnu list', 'run lsit', 'run', 'run --ticket A', 'register', 'aprove', 'frobnicate', 'workflow frobnicate', '--jsno run list', 'help frobnicate',
  'run get', 'run get ABC-12', 'run get --tikcet A', 'run get -t A', 'run get --ticket A --ticket B', `run get --ticket ''`, 'run get --ticket', 'run get --ticket --json',
  'run list --active=yes', 'run list extra', 'workflow graph --file a --format png', 'workflow graph --file a --format svgg',
  'init --task-plugin jira', 'init --task-plugin jria --runner-plugin orca --harness-plugin pi', 'init --executor-plugin temporal', 'init --temporal-address x', 'task auth --site a --email b',
  'serve --foreground --background', 'run \u001B[2J',
])('refused: %s', (line) => {
  const { text, hint, command } = refused(line);
  expect({ text, hint, command }).toMatchSnapshot();
});

test('every command is found, and every name once', () => {
  const names = COMMANDS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(GROUPS).toEqual(['task', 'repo', 'workflow', 'run']);
  for (const { name } of COMMANDS) expect(parse([...name.split(' '), '--help'])).toEqual({ kind: 'help', topic: name });
});

test.each(COMMANDS.flatMap(({ examples }) => examples.map(({ args }) => args)))('the example `%s` is understood', (args) => {
  const typed = args.replace(/ <.*$/, '').match(/"[^"]*"|\S+/g) ?? [];
  expect(parse(typed.map((word) => word.replace(/^"(.*)"$/, '$1')))).toMatchObject({ kind: 'command' });
});
