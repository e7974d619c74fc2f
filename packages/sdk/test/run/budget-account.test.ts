import { flow } from '@relayflows/surface';
import { afterEach, describe, expect, it } from 'vitest';
import { bench, runBody, type Bench } from './harness.js';

let on: Bench | undefined;
afterEach(() => {
  on?.dispose();
  on = undefined;
});

describe('a wallclock budget', () => {
  it('refuses the next step once it is crossed, and no verdict overrides that', async () => {
    const report = await runBody(async (f) => {
      await f.run('sleep 0.2');
      try {
        await f.run('true');
      } catch {
        // Cleaning up is allowed; success is not.
      }
      f.done('success');
    }, { header: { budget: { wallclock: '100ms' } } });
    expect(report).toMatchObject({ status: 'failed', completionReason: 'budget_exceeded', ok: false });
    expect(report.diagnostics[0]).toMatchObject({ code: 'budget_exceeded', stepId: 'run-2' });
    expect(report.diagnostics[0]?.message).toMatch(/run-2 .*100ms/);
  });

  it('lets the step that crosses it finish', async () => {
    const report = await runBody(async (f) => {
      await f.run('sleep 0.2');
      f.done('success');
    }, { header: { budget: { wallclock: '100ms' } } });
    expect(report.completionReason).toBe('success');
    expect(report.spend.wallclock).toBeGreaterThanOrEqual(200);
  });

  it('sums the durations of steps that run side by side, and charges no wait', async () => {
    const report = await runBody(async (f) => {
      await Promise.all([f.run('sleep 0.2'), f.run('sleep 0.2'), f.run('sleep 0.2'), f.sleep(300)]);
      f.done('success');
    });
    expect(report.spend.wallclock).toBeGreaterThanOrEqual(600);
    expect(report.steps.find(({ kind }) => kind === 'sleep')?.spend).toBeUndefined();
  });

  it('counts the command of a gate', async () => {
    const report = await runBody(async (f) => {
      await f.uuid().gate({ type: 'subprocess_gate', command: 'sleep 0.2' });
      await f.run('true');
      f.done('success');
    }, { header: { budget: { wallclock: '100ms' } } });
    expect(report).toMatchObject({ completionReason: 'budget_exceeded', diagnostics: [{ stepId: 'run-2' }] });
    expect(report.steps[0]?.spend?.wallclock).toBeGreaterThanOrEqual(200);
  });

  it('survives a resume', async () => {
    const subject = flow('subject', { budget: { wallclock: '100ms' } }, async (f) => {
      await f.run('sleep 0.2');
      await f.human('Go on?', { to: 'maria' });
      await f.run('true');
      f.done('success');
    });
    on = bench({ subject });
    const { id, result } = on.runtime().run(subject, { cwd: on.dir });
    await result;
    const runtime = on.runtime();
    await runtime.answer({ runId: id, waitId: 'human-2', answer: true, answeredBy: 'maria' });
    expect(await runtime.resume(id).result).toMatchObject({ completionReason: 'budget_exceeded' });
  });

  it('whose syntax is wrong is refused before anything is recorded', async () => {
    await expect(runBody(async (f) => f.done('success'), { header: { budget: '5 dollars' } })).rejects.toMatchObject({ code: 'budget_syntax_invalid', exitCode: 2 });
  });
});
