import { flow, type Ctx } from '@relayflows/surface';
import { afterEach, describe, expect, it } from 'vitest';
import { createRuntime } from '../../src/run/create-runtime.js';
import { createMemoryJournal } from '../../src/journal/memory.js';
import { adoptable, bench, type Bench } from './harness.js';

let on: Bench;
afterEach(() => on.dispose());

const child = flow<{ fail?: boolean }>('child', async (f, input) => {
  await f.run('echo child >> log');
  if (input.fail === true) await f.run('exit 5');
  f.done('success', { detail: 'from the child' });
});

function start(parent: ReturnType<typeof flow>, children: readonly ReturnType<typeof flow>[] = [child]) {
  on = bench({});
  const make = () => createRuntime({ journal: adoptable(createMemoryJournal({ store: on.store })), dataDir: `${on.dir}/data`, flows: { parent: { version: '1', flow: parent, children } } });
  return { make, handle: make().run(parent, { cwd: on.dir }) };
}

describe('f.dispatch', () => {
  it('runs a child as steps of the same run', async () => {
    let got: unknown;
    const { handle } = start(flow('parent', async (f) => {
      await f.uuid();
      got = await f.dispatch('child', {});
      f.done('success');
    }));
    const report = await handle.result;
    expect(got).toEqual({ name: 'child', completionReason: 'success', completionDetail: 'from the child' });
    expect(report.steps.map(({ stepId }) => stepId)).toEqual(['uuid-1', 'dispatch-2', 'dispatch-2--run-1']);
  });

  it('rejects for any other verdict, with the cause', async () => {
    const { handle } = start(flow('parent', async (f) => {
      await f.dispatch('child', { fail: true });
      f.done('success');
    }));
    expect((await handle.result).diagnostics[0]).toMatchObject({ code: 'step_failed', stepId: 'dispatch-1--run-2', exitCode: 5 });
  });

  it('is replayed with its own steps when the run is resumed', async () => {
    const { handle, make } = start(flow('parent', async (f) => {
      const [one, two] = await Promise.all([f.dispatch('child', {}), f.dispatch('child', {})]);
      const yes = await f.human('Merge?', { to: 'maria' });
      f.done(yes && one.completionDetail === two.completionDetail ? 'success' : 'step_failed');
    }));
    await handle.result;
    const runtime = make();
    await runtime.answer({ runId: handle.id, waitId: 'human-3', answer: true, answeredBy: 'maria' });
    const types: string[] = [];
    const resumed = runtime.resume(handle.id);
    for await (const event of resumed.events) types.push(event.type);
    expect(await resumed.result).toMatchObject({ completionReason: 'success' });
    expect(types).not.toContain('step.started');
  });

  it.each([
    ['an unknown name', (f: Ctx) => f.dispatch('nobody', {}), 'dispatch_unknown'],
    ['a blank name', (f: Ctx) => f.dispatch(' ', {}), 'dispatch_invalid'],
    ['input that is not JSON', (f: Ctx) => f.dispatch('child', 5n), 'dispatch_invalid'],
  ])('refuses %s at the call', async (_name, call, code) => {
    const { handle } = start(flow('parent', async (f) => {
      await call(f);
      f.done('success');
    }));
    expect((await handle.result).diagnostics[0]).toMatchObject({ code });
  });

  it('does not let a child ask a person', async () => {
    const asks = flow('asks', async (f) => {
      await f.human('Go on?', { to: 'maria' });
      f.done('success');
    });
    const { handle } = start(flow('parent', async (f) => {
      await f.dispatch('asks', {});
      f.done('success');
    }), [asks]);
    expect((await handle.result).diagnostics[0]).toMatchObject({ code: 'unsupported_verb' });
  });
});
