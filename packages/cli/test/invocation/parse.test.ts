import { describe, expect, test } from 'vitest';
import { parseInvocation, type Invocation } from '../../src/invocation/parse.js';

function understood(line: string): unknown {
  const invocation = parseInvocation(words(line));
  if (invocation.kind !== 'command') throw new Error(`not understood: ${JSON.stringify(invocation)}`);
  return { command: invocation.command, values: invocation.values, switches: [...invocation.switches] };
}

function refused(line: string): Extract<Invocation, { kind: 'refused' }> {
  const invocation = parseInvocation(words(line));
  if (invocation.kind !== 'refused') throw new Error(`not refused: ${line}`);
  return invocation;
}

/** Splits at blanks; `''` is an empty word. */
function words(line: string): string[] {
  return line === '' ? [] : line.split(' ').map((word) => (word === `''` ? '' : word));
}

describe('what is understood', () => {
  test.each([
    ['run a.flow.ts --input {}', { command: 'run', values: { flow: 'a.flow.ts', input: '{}' }, switches: [] }],
    ['run --input {} a.flow.ts', { command: 'run', values: { flow: 'a.flow.ts', input: '{}' }, switches: [] }],
    ['run --input={} a.flow.ts --json', { command: 'run', values: { flow: 'a.flow.ts', input: '{}' }, switches: ['json'] }],
    ['run a.flow.ts --input -5', { command: 'run', values: { flow: 'a.flow.ts', input: '-5' }, switches: [] }],
    ['run a.flow.ts --input=--json', { command: 'run', values: { flow: 'a.flow.ts', input: '--json' }, switches: [] }],
    ['run --input {} -- -odd.flow.ts', { command: 'run', values: { flow: '-odd.flow.ts', input: '{}' }, switches: [] }],
    ['run a.flow.ts --local-agent --verbose', { command: 'run', values: { flow: 'a.flow.ts' }, switches: ['local-agent', 'verbose'] }],
    ['run a.flow.ts --agent-capacity 32', { command: 'run', values: { flow: 'a.flow.ts', 'agent-capacity': '32' }, switches: [] }],
    ['resume last --step agent-2 --rerun', { command: 'resume', values: { 'run-id': 'last', step: 'agent-2' }, switches: ['rerun'] }],
    ['answer 01k human-1 no --by alex', { command: 'answer', values: { 'run-id': '01k', 'wait-id': 'human-1', answer: 'no', by: 'alex' }, switches: [] }],
    ['status', { command: 'status', values: {}, switches: [] }],
    ['status --tail 0', { command: 'status', values: { tail: '0' }, switches: [] }],
    ['logs last run-1 --follow', { command: 'logs', values: { 'run-id': 'last', step: 'run-1' }, switches: ['follow'] }],
    ['new', { command: 'new', values: {}, switches: [] }],
  ])('%s', (line, expected) => {
    expect(understood(line)).toEqual(expected);
  });

  test.each(['--version', '-v', '-V'])('%s asks for the version', (line) => {
    expect(parseInvocation([line])).toEqual({ kind: 'version' });
  });

  test.each(['', '--help', '-h', 'help', 'help --all'])('"%s" asks for the help of the program', (line) => {
    expect(parseInvocation(words(line))).toEqual({ kind: 'help' });
  });

  test.each(['run --help', 'run -h', 'run a b c --unknown --help', 'help run'])('"%s" asks for the help of run, whatever else is wrong', (line) => {
    expect(parseInvocation(words(line))).toMatchObject({ kind: 'help', command: { name: 'run' } });
  });

  test('what follows -- is never a flag', () => {
    expect(parseInvocation(['run', '--input', '{}', '--', '--help'])).toMatchObject({ kind: 'command', values: { flow: '--help' } });
  });
});

describe('what is refused', () => {
  test.each([
    'rnu a.flow.ts',
    'a.flow.ts',
    'frobnicate',
    '--josn runs',
    '--hlep',
    'help rnu',
    'run',
    `run ''`,
    'run a.flow.ts b.flow.ts',
    'run a.flow.ts --inptu {}',
    'run a.flow.ts -i {}',
    'run a.flow.ts --json --json',
    'run a.flow.ts --input {} --input {}',
    'run a.flow.ts --json=yes',
    'run a.flow.ts --input',
    'run a.flow.ts --input --json',
    'run a.flow.ts --input=',
    'run a.flow.ts --json --json-events',
    'run a.flow.ts --agent-capacity 33',
    'run a.flow.ts --agent-capacity two',
    'run a.flow.ts --detach',
    'run a.flow.ts --reuse-from x',
    'answer 01k human-1 maybe',
    'answer 01k human-1 yse',
    'runs --status parkd',
    'runs last',
    'logs',
  ])('%s', (line) => {
    const { text, hint, command } = refused(line);
    expect({ text, hint, command }).toMatchSnapshot();
  });
});
