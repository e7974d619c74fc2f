import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PARTS, tellStep, type EndedStep } from '../../src/demo/story.js';

const step = (members: Partial<EndedStep>): EndedStep => ({ title: '', ok: true, stdout: '', stderr: '', message: '', error: '', ...members });

describe('what a spectator is told of a step', () => {
  test.each<[string, Partial<EndedStep>, ReturnType<typeof tellStep>]>([
    ['a branch', { title: 'Names a branch for the work', stdout: `${'a'.repeat(40)}\n`, stderr: 'relayflow: the work goes to the branch relayflow/4-x\n' }, { stage: 'prepare', text: 'the branch relayflow/4-x grows from commit aaaaaaa', good: true }],
    ['an agent', { label: 'implementer', title: 'implementer: Resolve', message: 'Done.\nMore.' }, { stage: 'implement', text: 'implementer: Done.', good: true }],
    ['an agent that failed', { label: 'fixer', title: '', ok: false, error: 'It ended with 1.' }, { stage: 'fix', text: 'fixer: It ended with 1.', good: false }],
    ['checks that pass', { title: 'Runs the check script of the repository', stdout: 'pass\n' }, { stage: 'check', text: 'the checks pass', good: true }],
    ['checks that fail', { title: 'Runs the check script of the repository', stdout: 'fail\n' }, { stage: 'check', text: 'the checks fail', good: false }],
    ['a base that fails', { title: 'Runs the check script on the base commit', stdout: 'fail\n' }, { stage: 'check', text: 'on the base commit: the checks fail', good: false }],
    ['a push', { title: 'Pushes the branch to origin', stdout: 'pushed\n' }, { stage: 'publish', text: 'pushed to origin, and read back from there', good: true }],
    ['a push that failed', { title: 'Pushes the branch to origin', stdout: 'failed\n' }, { stage: 'publish', text: 'the push failed', good: false }],
    ['a change', { title: 'Opens the change request', stdout: 'https://forge.example/1\n' }, { stage: 'publish', text: 'the change request is open', good: true }],
    ['no change', { title: 'Opens the change request', stdout: 'failed\n' }, { stage: 'publish', text: 'no change request could be opened', good: false }],
    ['a part that could not run', { title: 'Pushes the branch to origin', ok: false, error: 'It ended.' }, { stage: 'publish', text: 'Pushes the branch to origin: It ended.', good: false }],
    ['a part that only moves on', { title: 'Whether there is something to publish', stdout: 'publish\n' }, undefined],
    ['a step of no part', { title: 'test -s "$FILE"' }, undefined],
    ['what would repaint a terminal', { label: 'planner', message: 'a\u001B[2Jb' }, { stage: 'plan', text: 'planner: ab', good: true }],
  ])('%s', (_, members, told) => expect(tellStep(step(members))).toEqual(told));
});

test('each part that is told of is one of the newest published flow', () => {
  const folder = new URL('../../../../published/flows/software-garden/', import.meta.url);
  const { version } = JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8')) as { readonly version: number };
  const source = readFileSync(new URL(`v${version}.flow.ts`, folder), 'utf8');
  // A part is a text that begins with a comment; the verdict of a review is a command of one line.
  const titles = [...source.matchAll(/ = (?:String\.raw)?`\n# (.*)$/gm), ...source.matchAll(/'(if \[ -s review\.md \].*)'/g)].map(([, title = '']) => title);
  const told = titles.map((title) => PARTS.find(({ begins }) => begins.test(title))).filter((part) => part !== undefined);
  expect(told.map(({ begins }) => String(begins)).sort()).toEqual(PARTS.map(({ begins }) => String(begins)).sort());
});
