import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { example, Practice } from './practice.js';

const run = (name: string, input: unknown): string[] => ['run', example(name), '--input', JSON.stringify(input)];

it('01 greets', async () => {
  const practice = await Practice.create();
  expect(await practice.report(run('01-hello.flow.ts', {}))).toMatchObject({
    ok: true, exitStatus: 0, completionReason: 'success', completionDetail: 'Hello, world!', completedSteps: 1,
  });
  expect(await practice.report(run('01-hello.flow.ts', { name: 'Ada "$(id)"' }))).toMatchObject({ completionDetail: 'Hello, Ada "$(id)"!' });
});

it('02 finds a repository clean, or says what is wrong with it', async () => {
  const practice = await Practice.create();
  expect(await practice.report(run('02-check-repository.flow.ts', {}))).toMatchObject({
    exitStatus: 0, completionReason: 'success', completionDetail: 'clean, and the tests pass',
  });
  expect(await practice.report(run('02-check-repository.flow.ts', { command: 'touch left-over; exit 3' }))).toMatchObject({
    exitStatus: 3, completionReason: 'needs_human', completionDetail: 'the tests failed with status 3',
  });
  expect(await practice.report(run('02-check-repository.flow.ts', { command: 'true' }))).toMatchObject({
    completionReason: 'needs_human', completionDetail: 'there are uncommitted changes',
  });
});

it('03 runs its branches and puts their results together', async () => {
  const practice = await Practice.create();
  expect(await practice.report(run('03-parallel-branches.flow.ts', {}))).toMatchObject({
    exitStatus: 0, completionDetail: '3 files by 1 author(s), 0 day(s) old', completedSteps: 4,
  });
});

it.each([
  ['yes', 0, 'success', 'tagged as v1.0.0', 'v1.0.0'],
  ['no', 0, 'declined', 'v1.0.0 was not approved', ''],
])('04 parks, and goes on with the answer %s', async (answer, exitStatus, completionReason, completionDetail, tags) => {
  const practice = await Practice.create();
  const parked = await practice.report(run('04-human-gate.flow.ts', { tag: 'v1.0.0' }));
  expect(parked).toMatchObject({ exitStatus: 3, status: 'parked', humanWait: { waitId: 'human-2', to: 'maintainer' } });
  expect(parked.humanWait?.question).toContain('Greet the world');
  expect(await practice.git('tag')).toBe('');

  const end = await practice.report(['answer', parked.runId, 'human-2', answer, '--by', 'ada']);
  expect(end).toMatchObject({ exitStatus, completionReason, completionDetail });
  expect(await practice.git('tag')).toBe(tags);
});

it('05 lets the agent write, and checks the file', async () => {
  const practice = await Practice.create();
  expect(await practice.report(run('05-agent-with-gate.flow.ts', {}))).toMatchObject({
    exitStatus: 0, completionReason: 'success', completionDetail: 'I wrote OVERVIEW.md. Files: OVERVIEW.md',
  });
  expect(await readFile(join(practice.work, 'OVERVIEW.md'), 'utf8')).toContain('This repository greets people.');
});

it('06 dispatches a child per file', async () => {
  const practice = await Practice.create();
  expect(await practice.report(run('06-child-flow.flow.ts', {}))).toMatchObject({
    exitStatus: 0, completionDetail: 'greet.mjs: 7 words; greet.test.mjs: 12 words; package.json: 14 words',
  });
});

it('the child of 06 is a flow of its own', async () => {
  const practice = await Practice.create();
  expect(await practice.report(run('06-count-words.flow.ts', { file: 'greet.mjs' }))).toMatchObject({ exitStatus: 0, completionDetail: 'greet.mjs: 7 words' });
});
