import { flow } from '@relayflows/surface';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/ports/clock.js';
import { bench, type Bench } from './harness.js';

let on: Bench;
afterEach(() => on.dispose());

/** Steps that say where they are, so that a test can act at the right moment. */
const slow = flow('slow', async (f) => {
  await f.run('echo one >> log');
  await f.run('echo two >> log; while [ ! -e go ]; do sleep 0.02; done; echo three >> log');
  f.done('success');
});

async function reached(text: string): Promise<void> {
  const file = join(on.dir, 'log');
  while (!existsSync(file) || !readFileSync(file, 'utf8').includes(text)) await new Promise((resolve) => setTimeout(resolve, 10));
}
const log = (): string[] => readFileSync(join(on.dir, 'log'), 'utf8').trim().split('\n');

describe('stopping', () => {
  it('an interrupted run is resumed where it was', async () => {
    on = bench({ slow });
    const handle = on.runtime().run(slow, { cwd: on.dir });
    await reached('two');
    await handle.interrupt();
    expect(await handle.result).toMatchObject({ status: 'interrupted', ok: false });
    writeFileSync(join(on.dir, 'go'), '');
    expect(await on.runtime().resume(handle.id).result).toMatchObject({ completionReason: 'success', completedSteps: 2 });
    expect(log()).toEqual(['one', 'two', 'two', 'three']);
  });

  it('a canceled run ends for good', async () => {
    on = bench({ slow });
    const controller = new AbortController();
    const runtime = on.runtime();
    const handle = runtime.run(slow, { cwd: on.dir, signal: controller.signal });
    await reached('two');
    controller.abort();
    expect(await handle.result).toMatchObject({ status: 'canceled', completionReason: 'canceled', ok: false });
    expect(await runtime.resume(handle.id).result).toMatchObject({ status: 'canceled' });
    await expect(runtime.cancel(handle.id)).rejects.toMatchObject({ code: 'run_finished' });
    expect(log()).toEqual(['one', 'two']);
  });

  it('a parked run can be canceled', async () => {
    const asks = flow('asks', async (f) => {
      await f.human('Go on?', { to: 'maria' });
      f.done('success');
    });
    on = bench({ asks });
    const { id, result } = on.runtime().run(asks, { cwd: on.dir });
    await result;
    const other = on.runtime();
    await other.cancel(id);
    expect((await other.status(id)).run).toMatchObject({ status: 'canceled', completion: { reason: 'canceled' } });
    expect((await other.status(id)).report).toMatchObject({ humanWaits: [], steps: [{ stepId: 'human-1', state: 'canceled' }] });
  });

  it('a run that sleeps here and is canceled by another process ends here as well', async () => {
    const naps = flow('naps', async (f) => {
      await f.sleep('1d');
      f.done('success');
    });
    on = bench({ naps });
    const handle = on.runtime().run(naps, { cwd: on.dir });
    for await (const event of handle.events) if (event.type === 'run.parked') break;
    await on.runtime().cancel(handle.id);
    expect(await handle.result).toMatchObject({ status: 'canceled' });
  });

  it('a refused run says so in `created` and `result`', async () => {
    on = bench({});
    const handle = on.runtime().run(slow, { cwd: on.dir });
    await expect(handle.created).rejects.toMatchObject({ code: 'run_not_registered' });
    await expect(handle.result).rejects.toMatchObject({ code: 'run_not_registered', exitCode: 2 });
    await expect(on.runtime().run(slow, { cwd: join(on.dir, 'nowhere') }).result).rejects.toMatchObject({ code: 'run_not_registered' });
  });

  it('refuses a directory that is not there, and input that is not JSON, before anything is recorded', async () => {
    on = bench({ slow });
    const runtime = on.runtime();
    await expect(runtime.run(slow, { cwd: join(on.dir, 'nowhere') }).result).rejects.toMatchObject({ code: 'cwd_invalid' });
    await expect(runtime.run(slow, { cwd: on.dir, input: 5n }).result).rejects.toMatchObject({ code: 'input_invalid' });
    expect(await runtime.list()).toEqual([]);
    await expect(runtime.resume('nothing').result).rejects.toMatchObject({ code: 'run_not_found' });
  });
});

describe('repeating', () => {
  it('tries a failing command again, doubling the pause, in one step', async () => {
    const flaky = flow('flaky', async (f) => {
      await f.run('echo try >> log; test $(wc -l < log) -ge 3', { retry: { attempts: 5, backoff: 10 } });
      f.done('success');
    });
    on = bench({ flaky });
    const delays: number[] = [];
    const report = await on.runtime({ onEvent: (event) => { if (event.type === 'step.retrying') delays.push(event.delayMs); } }).run(flaky, { cwd: on.dir }).result;
    expect(report).toMatchObject({ completionReason: 'success', steps: [{ stepId: 'run-1', attempt: 3 }] });
    expect(delays).toEqual([10, 20]);
  });

  it("tries again with onNonZero: 'record' as well, and records the last", async () => {
    const seen: unknown[] = [];
    const retrying = flow('retrying', async (f) => {
      const options = { onNonZero: 'record', retry: { attempts: 3, backoff: 1 } } as const;
      seen.push((await f.run('echo a >> log; test $(grep -c a log) = 2', options)).exitCode);
      seen.push((await f.run('echo b >> log; exit $(grep -c b log)', options)).exitCode);
      f.done('success');
    });
    on = bench({ retrying });
    const report = await on.runtime().run(retrying, { cwd: on.dir }).result;
    expect(report).toMatchObject({ completionReason: 'success', steps: [{ attempt: 2 }, { attempt: 3 }] });
    expect(seen).toEqual([0, 3]);
  });

  it('fails with the last failure once the attempts are used up', async () => {
    const broken = flow('broken', async (f) => {
      await f.run('exit 4', { retry: { attempts: 2, backoff: 1 } });
      f.done('success');
    });
    on = bench({ broken });
    const report = await on.runtime().run(broken, { cwd: on.dir }).result;
    expect(report.diagnostics[0]).toMatchObject({ code: 'step_failed', completionReason: 'retries_exhausted', exitCode: 4, attempt: 2 });
  });

  it('a resumed run whose body changed is left as it was, and both sides are shown', async () => {
    let command = 'echo before';
    const changing = flow('changing', async (f) => {
      await f.run(command);
      await f.human('Go on?', { to: 'maria' });
      f.done('success');
    });
    on = bench({ changing });
    const { id, result } = on.runtime().run(changing, { cwd: on.dir });
    await result;
    command = 'echo after';
    const runtime = on.runtime();
    await expect(runtime.resume(id).result).rejects.toMatchObject({
      code: 'replay_mismatch', exitCode: 2,
      text: expect.stringMatching(/recorded: run-1 .*echo before[\s\S]*now: +run-1 .*echo after/),
    });
    expect((await runtime.status(id)).run.status).toBe('parked');
    command = 'echo before';
    await runtime.answer({ runId: id, waitId: 'human-2', answer: true, answeredBy: 'maria' });
    expect(await on.runtime().resume(id).result).toMatchObject({ completionReason: 'success' });
  });

  it('a recorded step that the body no longer creates is named instead of waited for', async () => {
    let skip = false;
    const shrinking = flow('shrinking', async (f) => {
      await f.run('echo one');
      if (skip) await new Promise(() => undefined);
      await f.run('echo two');
      await f.human('Go on?', { to: 'maria' });
      f.done('success');
    });
    on = bench({ shrinking });
    const { id, result } = on.runtime().run(shrinking, { cwd: on.dir });
    await result;
    skip = true;
    await expect(on.runtime({ replayStallMs: 100 }).resume(id).result).rejects.toMatchObject({ code: 'replay_mismatch', stepId: 'run-2' });
  });
});

describe('a step in flight when the process died', () => {
  const crashing = (onCrash: 'rerun' | 'fail' | 'park') => flow('crashing', async (f) => {
    await f.run('echo ran >> log; test -e go || sleep 60', { onCrash });
    f.done('success');
  });
  const crash = async (subject: ReturnType<typeof crashing>): Promise<string> => {
    on = bench({ crashing: subject });
    const handle = on.runtime().run(subject, { cwd: on.dir });
    await reached('ran');
    // A dead process writes nothing any more; the run is stopped in good order here, which leaves the same rows.
    await handle.interrupt();
    writeFileSync(join(on.dir, 'go'), '');
    return handle.id;
  };

  it('is run again by default', async () => {
    const id = await crash(crashing('rerun'));
    expect(await on.runtime().resume(id).result).toMatchObject({ completionReason: 'success', steps: [{ attempt: 2 }] });
    expect(log()).toEqual(['ran', 'ran']);
  });

  it('does not last as long as nobody resumed it', async () => {
    const id = await crash(crashing('rerun'));
    const day = 24 * 60 * 60_000;
    const report = await on.runtime({ clock: { ...systemClock, now: () => Date.now() + day } }).resume(id).result;
    expect(report.steps[0]?.durationMs).toBeLessThan(day / 2);
  });

  it("fails with onCrash: 'fail'", async () => {
    const id = await crash(crashing('fail'));
    const report = await on.runtime().resume(id).result;
    expect(report.diagnostics[0]).toMatchObject({ code: 'crashed', completionReason: 'crashed' });
    expect(log()).toEqual(['ran']);
  });

  it("waits for a decision with onCrash: 'park'", async () => {
    const id = await crash(crashing('park'));
    expect(await on.runtime().resume(id).result).toMatchObject({ status: 'parked', parkedStep: 'run-1', parkCause: 'needs_human' });
    expect(log()).toEqual(['ran']);
    await expect(on.runtime().resume(id, { release: { stepId: 'run-9', decision: 'rerun' } }).result).rejects.toMatchObject({ code: 'invalid_invocation', evidence: { open: ['run-1'] } });
    expect((await on.runtime().status(id)).run).toMatchObject({ status: 'parked', humanInfluenced: false });
    expect(await on.runtime().resume(id, { release: { stepId: 'run-1', decision: 'rerun' } }).result).toMatchObject({ completionReason: 'success' });
    expect(log()).toEqual(['ran', 'ran']);
  });
});

describe('many at once', () => {
  it('500 runs of 5 steps in one process', async () => {
    const five = flow<{ n: number }>('five', async (f, { n }) => {
      await f.uuid();
      await Promise.all([f.uuid(), f.now()]);
      await f.uuid();
      await f.sleep(n % 7);
      f.done('success');
    });
    on = bench({ five });
    const runtime = on.runtime();
    const reports = await Promise.all(Array.from({ length: 500 }, (_, n) => runtime.run(five, { cwd: on.dir, input: { n } }).result));
    expect(new Set(reports.map(({ completionReason }) => completionReason))).toEqual(new Set(['success']));
    expect(new Set(reports.map(({ runId }) => runId)).size).toBe(500);
    expect(reports.every(({ completedSteps }) => completedSteps === 5)).toBe(true);
  });
});
