import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { example, Practice } from './practice.js';

const FLOW = example('08-ticket-to-branch.flow.ts');
const BRANCH = 'ticket/t-7-greet-people-by-name';
const STEPS = 7;

const ticket = (over: object): string => JSON.stringify({ id: 'T-9', title: 'Greet people by name', body: '', ...over });

async function expectPublishedOnce(practice: Practice): Promise<void> {
  expect(await practice.git('rev-list', '--count', `main..${BRANCH}`)).toBe('1');
  expect(await practice.git('for-each-ref', '--format=%(refname:short)', 'refs/heads')).toBe(`main\n${BRANCH}`);
  expect(await practice.git('ls-remote', '--heads', 'origin')).toBe(
    `${await practice.git('rev-parse', 'main')}\trefs/heads/main\n${await practice.git('rev-parse', BRANCH)}\trefs/heads/${BRANCH}`,
  );
  expect(await practice.git('log', '-1', '--format=%B', BRANCH)).toBe('Greet people by name\n\nTicket: T-7');
  expect(await practice.git('diff', '--stat', '--name-only', `main..${BRANCH}`)).toBe('greet.mjs\ngreet.test.mjs');
  expect(await practice.git('status', '--porcelain')).toBe('');
}

it('turns a ticket into one commit on one pushed branch', async () => {
  const practice = await Practice.create();
  const end = await practice.report(['run', FLOW, '--input', example('ticket.json')]);
  expect(end).toMatchObject({
    ok: false, exitStatus: 3, completionReason: 'needs_human', completionDetail: `${BRANCH} is ready for review. The tests pass.`, completedSteps: STEPS,
  });
  expect(end.stderr).toMatch(/relayflow phase: implementing[^]*relayflow phase: checking[^]*relayflow phase: publishing/);
  await expectPublishedOnce(practice);
});

it('publishes failing work too, and says so', async () => {
  const practice = await Practice.create();
  const end = await practice.report(['run', FLOW, '--input', ticket({ title: 'Say goodbye in French' })]);
  expect(end).toMatchObject({ exitStatus: 3, completionReason: 'needs_human' });
  expect(end.completionDetail).toMatch(/^ticket\/t-9-say-goodbye-in-french is ready for review\. The tests fail:\n[^]*'Au revoir !'/);
  expect(await practice.git('ls-remote', '--heads', 'origin')).toContain('refs/heads/ticket/t-9-say-goodbye-in-french');
});

it('pushes nothing when the agent changed nothing, and passes its question on', async () => {
  const practice = await Practice.create();
  expect(await practice.report(['run', FLOW, '--input', ticket({ title: 'Make it better' })])).toMatchObject({
    exitStatus: 3, completionReason: 'needs_human',
    completionDetail: 'Nothing was changed. The agent says: Which part should be better: the greeting or its tests? I changed nothing.',
  });
  expect(await practice.git('ls-remote', '--heads', 'origin')).not.toContain('ticket/');
});

it('asks for a title', async () => {
  const practice = await Practice.create();
  expect(await practice.report(['run', FLOW, '--input', ticket({ title: ' ' })])).toMatchObject({
    exitStatus: 3, completionReason: 'needs_human', completionDetail: 'Ticket T-9 has no title.', completedSteps: 0,
  });
});

it('keeps what a ticket says out of the shell', async () => {
  const practice = await Practice.create();
  const title = 'Greet people by name"; touch owned; $(touch owned) `touch owned` \'--force';
  expect(await practice.report(['run', FLOW, '--input', ticket({ title })])).toMatchObject({ completionReason: 'needs_human' });
  expect(await practice.git('log', '-1', '--format=%s', 'HEAD')).toBe(title);
  expect(await practice.git('diff', '--name-only', 'main..HEAD')).toBe('greet.mjs\ngreet.test.mjs');
});

it('leaves uncommitted changes of somebody else alone', async () => {
  const practice = await Practice.create();
  await writeFile(join(practice.work, 'draft.txt'), 'mine');
  const end = await practice.report(['run', FLOW, '--input', example('ticket.json')]);
  expect(end).toMatchObject({ exitStatus: 1, completionReason: 'step_failed' });
  expect(end.diagnostics[0]).toMatchObject({ code: 'step_failed', stderrTail: expect.stringContaining('There are uncommitted changes') as string });
  expect(await practice.git('branch', '--show-current')).toBe('main');
  expect(await readFile(join(practice.work, 'draft.txt'), 'utf8')).toBe('mine');
});

it('does not move a branch that somebody else moved', async () => {
  const practice = await Practice.create();
  await practice.git('push', '--quiet', 'origin', `main:refs/heads/${BRANCH}`);
  await practice.git('-C', practice.origin, 'update-ref', `refs/heads/${BRANCH}`, await foreignCommit(practice));
  const end = await practice.report(['run', FLOW, '--input', example('ticket.json')]);
  expect(end).toMatchObject({ exitStatus: 1, completionReason: 'step_failed' });
  expect(await practice.git('-C', practice.origin, 'log', '-1', '--format=%s', BRANCH)).toBe('Foreign');
});

async function foreignCommit(practice: Practice): Promise<string> {
  const tree = await practice.git('-C', practice.origin, 'rev-parse', 'main^{tree}');
  return practice.git('-C', practice.origin, '-c', 'user.name=Other', '-c', 'user.email=other@example.com', 'commit-tree', tree, '-m', 'Foreign');
}

describe('killed and resumed, it publishes once', () => {
  // Inside a step its effect may be done in part; after it, it is done and nobody knows.
  const everyStep = ['executor.effect.inside', 'executor.effect.after'].flatMap((point) => Array.from({ length: STEPS }, (_, index) => `${point}#${index + 1}`));

  it.each([...everyStep, 'executor.finish.before', 'executor.finish.after'])('at %s', async (point) => {
    const practice = await Practice.create();
    const runId = await practice.killedAt(point, ['run', FLOW, '--input', example('ticket.json')]);
    expect(await practice.report(['resume', runId])).toMatchObject({
      exitStatus: 3, completionReason: 'needs_human', completionDetail: `${BRANCH} is ready for review. The tests pass.`, completedSteps: STEPS,
    });
    await expectPublishedOnce(practice);
  });
});
