/** Flows as their authors wrote them for this surface run unchanged, and again the same after kill -9. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compatFlow, Practice } from './practice.js';

interface Expected {
  readonly input?: unknown;
  readonly steps: number;
  readonly detail: string;
}

const FLOWS: Readonly<Record<string, Expected>> = {
  'hand-written-scheduler': { steps: 7, detail: 'fetch=1 lint=2 compile=3 unit=4 docs=5 package=6 | ordered' },
  'work-queue': { steps: 15, detail: '15 items: 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15' },
  'then-chains': { steps: 13, detail: '1abc 2abc 3abc xyz later' },
  'combinators': { steps: 9, detail: 'fast first-good ok ok expected 4' },
  'try-finally': { steps: 7, detail: 'inner.lock+outer.lock status 7 0' },
  'async-generators': { steps: 8, detail: '20,22,24,40,42,44' },
  'gates': { input: { word: 'relay' }, steps: 8, detail: 'the word is relay, 42' },
  'extended-context': { input: { version: '3.0' }, steps: 1, detail: 'v3.0 silently' },
  'side-promises': { steps: 5, detail: 'early shared number 36' },
};

const runArguments = (name: string, input: unknown = {}): string[] => ['run', compatFlow(name), '--input', JSON.stringify(input)];

describe.each(Object.entries(FLOWS))('%s', (name, { input, steps, detail }) => {
  const expected = { ok: true, exitStatus: 0, completionReason: 'success', completionDetail: detail, completedSteps: steps, diagnostics: [] };

  it('runs', async () => {
    const practice = await Practice.create();
    expect(await practice.report(runArguments(name, input))).toMatchObject(expected);
  });

  it('ends the same when it is killed half-way and resumed', async () => {
    const practice = await Practice.create();
    const runId = await practice.killedAt(`executor.effect.after#${Math.ceil(steps / 2)}`, runArguments(name, input));
    expect(await practice.report(['resume', runId])).toMatchObject(expected);
  });
});

it('caught-failure cleans up, and fails with the cause', async () => {
  const practice = await Practice.create();
  const end = await practice.report(runArguments('caught-failure'));
  expect(end).toMatchObject({ ok: false, exitStatus: 1, completionReason: 'step_failed' });
  expect(end.diagnostics[0]).toMatchObject({ code: 'step_failed', stepId: 'run-1', exitCode: 9, stderrTail: expect.stringContaining('reason') as string });
  expect(await readFile(join(practice.work, 'caught.txt'), 'utf8')).toBe('step_failed true');
});

it('failing-subprocess-gate names the command, the status and the output', async () => {
  const practice = await Practice.create();
  const end = await practice.report(runArguments('failing-subprocess-gate'));
  expect(end).toMatchObject({ ok: false, exitStatus: 1, completionReason: 'step_failed' });
  expect(end.diagnostics[0]).toMatchObject({ code: 'gate_failed', completionReason: 'verification_failed', exitCode: 5 });
  expect(JSON.stringify(end.diagnostics[0])).toContain('missing artefact');
});

it('needs-input prints its question and its phases unchanged, and parks for a person', async () => {
  const practice = await Practice.create();
  const issue = { source: 'github', title: 'Fix it', body: '', labels: ['Factory'] };
  const end = await practice.report(runArguments('needs-input', { issue }));
  expect(end).toMatchObject({ exitStatus: 3, completionReason: 'needs_human', completionDetail: 'asked: Fix it' });
  expect(end.stderr.split('\n')).toEqual(expect.arrayContaining([
    'relayflow phase: implementing',
    'relayflow needs-input-source: needs-input.md',
    'relayflow needs-input: Which file does the ticket mean?',
    'relayflow needs-input: I found two.',
  ]));
  expect(await practice.report(runArguments('needs-input', { issue: { ...issue, labels: [] } }))).toMatchObject({ exitStatus: 0, completionReason: 'declined' });
});
