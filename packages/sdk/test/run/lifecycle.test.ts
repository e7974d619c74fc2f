import { describe, expect, it } from 'vitest';
import type { Ctx, FlowBody } from '@relayflows/surface';
import { runBody } from './harness.js';

const code = (report: Awaited<ReturnType<typeof runBody>>): string | undefined => report.diagnostics.find(({ severity }) => severity === 'error')?.code;

describe('verdicts', () => {
  const table: readonly (readonly [string, FlowBody, { reason: string; status: string; ok: boolean; code?: string }])[] = [
    ['success', async (f) => { await f.uuid(); f.done('success'); }, { reason: 'success', status: 'completed', ok: true }],
    ['declined', async (f) => f.done('declined'), { reason: 'declined', status: 'completed', ok: true }],
    ['needs_human', async (f) => f.done('needs_human', { detail: 'look at it' }), { reason: 'needs_human', status: 'completed', ok: false }],
    ['step_failed by the author', async (f) => f.done('step_failed'), { reason: 'step_failed', status: 'failed', ok: false }],
    ['never done', async (f) => { await f.uuid(); }, { reason: 'step_failed', status: 'failed', ok: false, code: 'missing_completion' }],
    ['never done and a step never awaited', async (f) => { f.uuid(); }, { reason: 'step_failed', status: 'failed', ok: false, code: 'missing_completion' }],
    ['a step never awaited', async (f) => { f.uuid(); f.done('success'); }, { reason: 'step_failed', status: 'failed', ok: false, code: 'unawaited_step' }],
    ['done twice', async (f) => { f.done('success'); f.done('success'); }, { reason: 'step_failed', status: 'failed', ok: false, code: 'duplicate_completion' }],
    ['a step after done, caught', async (f) => { f.done('success'); try { await f.uuid(); } catch { /* it must not help */ } }, { reason: 'step_failed', status: 'failed', ok: false, code: 'operation_after_completion' }],
    ['a step created before done and awaited after', async (f) => { const step = f.uuid(); f.done('success'); await step; }, { reason: 'step_failed', status: 'failed', ok: false, code: 'unawaited_step' }],
    ['a throw', async () => { throw new Error('no'); }, { reason: 'step_failed', status: 'failed', ok: false, code: 'body_failed' }],
    ['a failing step', async (f) => { await f.run('exit 3'); f.done('success'); }, { reason: 'step_failed', status: 'failed', ok: false, code: 'step_failed' }],
    ['a failing step, caught', async (f) => { try { await f.run('exit 3'); } catch { /* clean up */ } f.done('success'); }, { reason: 'step_failed', status: 'failed', ok: false, code: 'step_failed' }],
    ['a failing step wins over a later throw', async (f) => { try { await f.run('exit 3'); } catch { throw new Error('later'); } }, { reason: 'step_failed', status: 'failed', ok: false, code: 'step_failed' }],
    ['a verdict only a runtime gives', async (f) => f.done('canceled'), { reason: 'step_failed', status: 'failed', ok: false, code: 'unsupported_completion' }],
    ['a detail that is no text', async (f) => f.done('success', { detail: 5 as never }), { reason: 'step_failed', status: 'failed', ok: false, code: 'unsupported_completion' }],
    ['a callback still running', async (f) => { void f.uuid().then(() => new Promise((resolve) => setTimeout(resolve, 60_000).unref())); await f.uuid(); f.done('success'); }, { reason: 'step_failed', status: 'failed', ok: false, code: 'unsettled_derived_work' }],
    ['a callback that throws', async (f) => { void f.uuid().then(() => { throw new Error('in the callback'); }); await f.uuid(); f.done('success'); }, { reason: 'step_failed', status: 'failed', ok: false, code: 'operation_callback_failed' }],
    ['a callback that throws, handled', async (f) => { const work = f.uuid().then(() => { throw new Error('in the callback'); }); await f.uuid(); await Promise.resolve(work).catch(() => undefined); f.done('success'); }, { reason: 'success', status: 'completed', ok: true }],
    ['a chain that is awaited', async (f) => { const length = await f.uuid().then((text) => text.length); if (length === 36) f.done('success'); }, { reason: 'success', status: 'completed', ok: true }],
    ['no-await but started by all', async (f) => { await Promise.all([f.uuid(), f.uuid()]); f.done('success'); }, { reason: 'success', status: 'completed', ok: true }],
    ['an unsupported verb', async (f) => { f.on({} as never, {} as never); f.done('success'); }, { reason: 'step_failed', status: 'failed', ok: false, code: 'unsupported_verb' }],
  ];
  it.each(table)('%s', async (_name, body, expected) => {
    const report = await runBody(body);
    expect({ reason: report.completionReason, status: report.status, ok: report.ok, ...(code(report) === undefined ? {} : { code: code(report) }) }).toEqual(expected);
  });

  it('says what was thrown, whatever it is', async () => {
    const report = await runBody(async () => {
      // oxlint-disable-next-line no-throw-literal, only-throw-error -- what an author may do by mistake
      throw { status: 404 };
    });
    expect(report.diagnostics[0]).toMatchObject({ code: 'body_failed', message: 'The body threw { status: 404 }.' });
  });

  it('keeps the detail', async () => {
    expect((await runBody(async (f) => f.done('needs_human', { detail: '  look at it  ' }))).completionDetail).toBe('look at it');
  });
});

describe('steps', () => {
  it('start when they are awaited, one after the other', async () => {
    const report = await runBody(async (f) => {
      const first = f.run('date +%s%N');
      const second = f.run('date +%s%N');
      const b = await second;
      const a = await first;
      if (BigInt(b) < BigInt(a)) f.done('success');
    });
    expect(report.completionReason).toBe('success');
  });

  it('are frozen thenables without catch and finally, and take one gate', async () => {
    let seen: unknown;
    await runBody(async (f) => {
      const step = f.uuid();
      let second: unknown;
      step.gate(() => true);
      try {
        step.gate(() => true);
      } catch (error) {
        second = (error as { code?: string }).code;
      }
      seen = { frozen: Object.isFrozen(step), promise: (step as unknown) instanceof Promise, catch: 'catch' in step, second };
      await step;
      f.done('success');
    });
    expect(seen).toEqual({ frozen: true, promise: false, catch: false, second: 'unsupported_gate' });
  });

  it('are numbered by one counter over all verbs', async () => {
    const report = await runBody(async (f) => {
      await f.uuid();
      await f.run('true');
      await f.now();
      f.done('success');
    });
    expect(report.steps.map(({ stepId }) => stepId)).toEqual(['uuid-1', 'run-2', 'now-3']);
  });

  it('reject with a code, and the report names the exit status and the output', async () => {
    let seen: unknown;
    const report = await runBody(async (f: Ctx) => {
      try {
        await f.run('echo out; echo err >&2; exit 7');
      } catch (error) {
        seen = { message: (error as Error).message.startsWith('step_failed: '), code: (error as { code?: string }).code, reason: (error as { completionReason?: string }).completionReason };
        throw error;
      }
    });
    expect(seen).toEqual({ message: true, code: 'step_failed', reason: 'retries_exhausted' });
    expect(report.diagnostics[0]).toMatchObject({ code: 'step_failed', stepId: 'run-1', stepType: 'run', exitCode: 7, stdoutTail: 'out\n', stderrTail: 'err\n', attempt: 1 });
  });

  it('that lose a race are stopped when the body ends', async () => {
    const report = await runBody(async (f) => {
      await Promise.race([f.run('sleep 100'), f.run('true')]);
      f.done('success');
    });
    expect(report.completionReason).toBe('success');
    expect(report.steps.map(({ state }) => state)).toEqual(['canceled', 'succeeded']);
    expect(report.diagnostics.map(({ code: warning }) => warning)).toEqual(['step_abandoned']);
  });
});
