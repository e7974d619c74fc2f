import { flow, type Ctx } from '@relayflows/surface';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createRuntime } from '../../src/run/create-runtime.js';
import { sealFlow } from '../../src/flow/seal.js';
import { createMemoryJournal } from '../../src/journal/memory.js';
import { adoptable, bench, type Bench } from './harness.js';

let on: Bench;
afterEach(() => on.dispose());

const child = flow<{ fail?: boolean }>('child', async (f, input) => {
  await f.run('echo child >> log');
  if (input.fail === true) await f.run('exit 5');
  f.done('success', { detail: 'from the child' });
});

function start(parent: ReturnType<typeof flow>, children: readonly ReturnType<typeof flow>[] = [child], options: { readonly parkAfterMs?: number } = {}) {
  on = bench({});
  const make = () => createRuntime({ ...options, journal: adoptable(createMemoryJournal({ store: on.store })), dataDir: `${on.dir}/data`, flows: { parent: { version: '1', flow: parent, children } } });
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

const slow = flow('slow', async (f) => {
  await f.run('echo slow >> log; sleep 100');
  f.done('success');
});

const log = (): string => (existsSync(join(on.dir, 'log')) ? readFileSync(join(on.dir, 'log'), 'utf8') : '');

async function reached(text: string): Promise<void> {
  while (!log().includes(text)) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('a child that is still going on', () => {
  const waitsForSlow = flow('parent', async (f) => {
    await f.dispatch('slow', {});
    f.done('success');
  });

  it('does not keep a run from being canceled', async () => {
    const { handle } = start(waitsForSlow, [slow]);
    await reached('slow');
    await handle.cancel();
    expect(await handle.result).toMatchObject({ status: 'canceled', steps: [{ state: 'canceled' }] });
  });

  it('does not keep a run from being interrupted, and goes on when it is resumed', async () => {
    const { handle, make } = start(waitsForSlow, [slow]);
    await reached('slow');
    await handle.interrupt();
    expect(await handle.result).toMatchObject({ status: 'interrupted' });
    const again = make().resume(handle.id);
    await reached('slow\nslow');
    await again.cancel();
  });

  it('ends with the parent that no longer waits for it', async () => {
    const { handle } = start(flow('parent', async (f) => {
      await Promise.race([f.dispatch('slow', {}), f.run('while ! grep -q slow log; do sleep 0.01; done')]);
      f.done('success');
    }), [slow]);
    expect(await handle.result).toMatchObject({ completionReason: 'success' });
  });

  it('parks with its run', async () => {
    const naps = flow('naps', async (f) => {
      await f.sleep(300);
      f.done('success');
    });
    const { handle } = start(flow('parent', async (f) => {
      await f.dispatch('naps', {});
      f.done('success');
    }), [naps], { parkAfterMs: 1 });
    const types: string[] = [];
    for await (const { type } of handle.events) types.push(type);
    expect(await handle.result).toMatchObject({ completionReason: 'success' });
    expect(types).toContain('run.parked');
  });
});

it('what a child leaves going on ends with it, and a resumed run does not begin it again', async () => {
  const racing = flow('racing', async (f) => {
    await Promise.race([f.run('echo loser >> log; sleep 100'), f.sleep('1d'), f.run('while ! grep -q loser log; do sleep 0.01; done')]);
    f.done('success');
  });
  const { handle, make } = start(flow('parent', async (f) => {
    await f.dispatch('racing', {});
    await f.human('Go on?', { to: 'maria' });
    await f.run('sleep 0.1');
    f.done('success');
  }), [racing]);
  const parked = await handle.result;
  expect(parked.parkedStep).toBe('human-2');
  expect(parked).not.toHaveProperty('wakeAt');
  const runtime = make();
  await runtime.answer({ runId: handle.id, waitId: 'human-2', answer: true, answeredBy: 'maria' });
  const report = await runtime.resume(handle.id).result;
  expect(report.completionReason).toBe('success');
  expect(report.steps.filter(({ state }) => state === 'canceled').map(({ stepId }) => stepId)).toEqual(['dispatch-1--run-1', 'dispatch-1--sleep-2']);
  expect(log()).toBe('loser\n');
});

it("a child's own children end with it", async () => {
  on = bench({});
  const file = (name: string, header: string, lines: readonly string[]): string => {
    const path = join(on.dir, `${name}.flow.ts`);
    writeFileSync(path, ["import { flow } from '@relayflows/surface';", `export default flow('${name}', ${header}async (f) => {`, ...lines, '});', ''].join('\n'));
    return path;
  };
  file('grandchild', '', ["await f.run('echo grandchild >> log; sleep 100');", "f.done('success');"]);
  file('child', "{ use: ['./grandchild.flow.ts'] }, ", ["await Promise.race([f.dispatch('grandchild', {}), f.run('while ! grep -q grandchild log; do sleep 0.01; done')]);", "f.done('success');"]);
  const path = file('parent', "{ use: ['./child.flow.ts'] }, ", ["await f.dispatch('child', {});", "await f.human('Go on?', { to: 'maria' });", "f.done('success');"]);
  const runtime = createRuntime({ journal: createMemoryJournal({ store: on.store }), dataDir: join(on.dir, 'data') });
  const report = await runtime.run(await sealFlow(path), { cwd: on.dir }).result;
  await runtime.close();
  // It parks only because nothing is going on any more.
  expect(report).toMatchObject({ status: 'parked', parkedStep: 'human-2' });
  expect(report.steps.find(({ stepId }) => stepId === 'dispatch-1--dispatch-1--run-1')?.state).toBe('canceled');
});
