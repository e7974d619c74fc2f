import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sweepRun } from '../../src/process/sweep.js';
import type { ProcessOutcome, StopReason } from '../../src/process/port.js';
import { needs } from '../tools.js';
import { eventually, expectGone, isRunning, marker, pidIn, ps, run, sleeperIn, start, startSleeper, tempFolder } from './harness.js';

/** Long enough never to end by itself within a test. */
const FOREVER = 'sleep 600';
const STUBBORN = `trap "" TERM; while :; do sleep 600; done`;

/**
 * Runs a command with a background process that sleeps for ever and whose number `background` writes into a file. The command goes on to `then`
 * once that process is what it becomes: while it begins, nobody can tell what it is.
 */
async function runBeside(background: (file: string) => string, then: string, options: Parameters<typeof start>[1] = {}): Promise<{ readonly outcome: ProcessOutcome; readonly pid: number; readonly file: string }> {
  const folder = tempFolder();
  const [file, go] = [join(folder, 'pid'), join(folder, 'go')];
  const child = start(`${background(file)} & while [ ! -e ${go} ]; do sleep 0.01; done; ${then}`, options);
  const pid = await sleeperIn(file);
  writeFileSync(go, '');
  return { outcome: await child.outcome, pid, file };
}

describe('every cause', () => {
  it.each<StopReason>(['timeout', 'canceled', 'output_limit', 'outcome_known', 'host_exit'])('%s: stops the tree and keeps what was said', async (reason) => {
    const child = start(`echo said; ${FOREVER}`, { stdout: { onText: () => child.stop(reason) } });
    const outcome = await child.outcome;
    expect(outcome).toMatchObject({ stopped: reason, signal: 'SIGTERM', stdout: { text: 'said\n' }, leftRunning: [], survivors: [] });
    expect(isRunning(child.identity!.pid)).toBe(false);
  });

  it('its own time limit', async () => {
    expect(await run(`echo said; ${FOREVER}`, { timeoutMs: 200 })).toMatchObject({ stopped: 'timeout', signal: 'SIGTERM' });
  });

  it('an AbortSignal', async () => {
    const abort = new AbortController();
    const outcome = run(`echo said; ${FOREVER}`, { signal: abort.signal, stdout: { onText: () => abort.abort() } });
    expect(await outcome).toMatchObject({ stopped: 'canceled', stdout: { text: 'said\n' } });
  });

  it('an AbortSignal from before: nothing is started', async () => {
    const folder = tempFolder();
    const child = start(`touch ${folder}/ran`, { signal: AbortSignal.abort() });
    expect(child.identity).toBeUndefined();
    expect(await child.outcome).toMatchObject({ stopped: 'canceled', stdout: { text: '' } });
    expect(await run(`ls ${folder}`)).toMatchObject({ stdout: { text: '' } });
  });

  it('the first one wins', async () => {
    const child = start(FOREVER);
    child.stop('outcome_known');
    child.stop('timeout');
    expect(await child.outcome).toMatchObject({ stopped: 'outcome_known' });
  });

  it('none after the process ended by itself', async () => {
    const child = start('exit 3');
    const outcome = await child.outcome;
    child.stop('canceled');
    expect(outcome).toMatchObject({ exitCode: 3 });
    expect(outcome).not.toHaveProperty('stopped');
  });
});

describe('the ladder', () => {
  it('leaves time to end in good order', async () => {
    const child = start(`trap 'echo cleaned; exit 7' TERM; echo ready; while :; do sleep 0.02; done`, {
      graceMs: 20_000, stdout: { onText: () => child.stop('timeout') },
    });
    expect(await child.outcome).toMatchObject({ stopped: 'timeout', exitCode: 7, stdout: { text: 'ready\ncleaned\n' } });
  });

  it('ends with KILL what ignores TERM', async () => {
    const child = start(STUBBORN.replace(';', '; echo ready;'), { graceMs: 50, stdout: { onText: () => child.stop('timeout') } });
    expect(await child.outcome).toMatchObject({ stopped: 'timeout', signal: 'SIGKILL' });
  });

  it('reaches a process that is stopped', async () => {
    const child = start('kill -STOP $$; echo continued', { graceMs: 20_000 });
    await eventually(() => ps('stat', child.identity!.pid).startsWith('T'), 'the stop');
    child.stop('timeout');
    expect(await child.outcome).toMatchObject({ stopped: 'timeout', signal: 'SIGTERM', stdout: { text: '' } });
  });

  it('does not end with its leader: a grandchild that ignores TERM', async () => {
    const file = join(tempFolder(), 'pid');
    const child = start(`sh -c 'echo $$ > ${file}; ${STUBBORN}' & wait`, { graceMs: 50 });
    await pidIn(file);
    child.stop('canceled');
    expect(await child.outcome).toMatchObject({ stopped: 'canceled', signal: 'SIGTERM', survivors: [] });
    await expectGone(file);
  });

  it('reaches a child that was forked on the way', async () => {
    const file = join(tempFolder(), 'pid');
    // Its parent notes its number: stopped while it begins, it would not come to do so itself.
    const child = start(`trap '${FOREVER} & echo $! > ${file}; exit 0' TERM; echo ready; while :; do sleep 0.02; done`, {
      graceMs: 10_000, stdout: { onText: () => child.stop('canceled') },
    });
    expect(await child.outcome).toMatchObject({ stopped: 'canceled', survivors: [] });
    await expectGone(file);
  });
});

describe('what left the group', () => {
  needs('setsid').describe('with setsid', () => {
    it('and ignores TERM is gone after a stop', async () => {
      const file = join(tempFolder(), 'pid');
      const child = start(`setsid sh -c 'echo $$ > ${file}; ${STUBBORN}' & wait`, { graceMs: 50 });
      await pidIn(file);
      child.stop('timeout');
      expect(await child.outcome).toMatchObject({ stopped: 'timeout', survivors: [] });
      await expectGone(file);
    });

    it('is gone when its leader dies by a signal', async () => {
      const { outcome, pid, file } = await runBeside((into) => `setsid sh -c 'echo $$ > ${into}; exec ${FOREVER}' >/dev/null 2>&1`, 'kill -9 $$');
      expect(outcome).toMatchObject({ signal: 'SIGKILL', leftRunning: [{ pid }] });
      await expectGone(file);
    });

    it('is gone after a normal end, where the environment is to be swept', async () => {
      const { outcome, pid, file } = await runBeside((into) => `setsid sh -c 'echo $$ > ${into}; exec ${FOREVER}' >/dev/null 2>&1`, 'echo done', { sweep: 'environment' });
      expect(outcome).toMatchObject({ exitCode: 0, stdout: { text: 'done\n' }, survivors: [] });
      expect(outcome.leftRunning.map((each) => each.pid)).toEqual([pid]);
      await expectGone(file);
    });

    it('is left to the end of the run after a normal end, where only the group is probed', async () => {
      const own = marker();
      const { outcome, pid, file } = await runBeside((into) => `setsid sh -c 'echo $$ > ${into}; exec ${FOREVER}' >/dev/null 2>&1`, 'true', { marker: own });
      expect(outcome).toMatchObject({ exitCode: 0, leftRunning: [] });
      expect(isRunning(pid)).toBe(true);
      await sweepRun(own.runId);
      await expectGone(file);
    });
  });

  needs('perl')('by a double fork and a session of its own', async () => {
    const file = join(tempFolder(), 'pid');
    const daemon = `use POSIX; exit 0 if fork; POSIX::setsid(); exit 0 if fork; $SIG{TERM} = "IGNORE"; open(my $f, ">", "${file}"); print $f "$$\\n"; close $f; sleep 600 while 1;`;
    const child = start(`perl -e '${daemon}'; ${FOREVER}`, { graceMs: 50 });
    await pidIn(file);
    child.stop('canceled');
    expect(await child.outcome).toMatchObject({ stopped: 'canceled', survivors: [] });
    await expectGone(file);
  });
});

describe('a background child', () => {
  it('that holds the pipe does not hold the step, and ends with it', async () => {
    const { outcome, pid, file } = await runBeside((into) => `sh -c 'echo $$ > ${into}; exec ${FOREVER}'`, 'echo said', { drainMs: 50 });
    expect(outcome).toMatchObject({ exitCode: 0, stdout: { text: 'said\n' }, leftRunning: [{ pid, command: FOREVER }], survivors: [] });
    await expectGone(file);
  });

  it('that holds nothing is found all the same', async () => {
    const { outcome, pid } = await runBeside((into) => `sh -c 'echo $$ > ${into}; exec ${FOREVER}' >/dev/null 2>&1`, 'echo said');
    expect(outcome).toMatchObject({ exitCode: 0, stdout: { text: 'said\n' }, leftRunning: [{ pid, command: FOREVER }] });
  });

  it('may finish what it says within the time to drain', async () => {
    expect(await run(`(sleep 0.05; echo late) & echo early`, { drainMs: 20_000 })).toMatchObject({ exitCode: 0, stdout: { text: 'early\nlate\n' }, leftRunning: [] });
  });

  needs('setsid')('that holds the pipe from another session ends with the step', async () => {
    const { outcome, pid, file } = await runBeside((into) => `setsid sh -c 'echo $$ > ${into}; exec ${FOREVER}'`, 'echo said', { drainMs: 50 });
    expect(outcome).toMatchObject({ exitCode: 0, stdout: { text: 'said\n' } });
    expect(outcome.leftRunning.map((left) => left.pid)).toContain(pid);
    await expectGone(file);
  });

  it('writes into no later process when pipes are used again', async () => {
    const noisy = `(trap '' TERM; while :; do echo noise; sleep 0.01; done) & sleep 0.05; echo said`;
    const first = await run(noisy, { drainMs: 10, graceMs: 100 });
    expect(first.stdout.text).toContain('said');
    for (let index = 0; index < 40; index += 1) expect((await run('echo quiet')).stdout.text).toBe('quiet\n');
  });
});

it('does not touch other attempts of the same step', async () => {
  const own = marker();
  const other = await startSleeper({ marker: { ...own, attempt: 2 } });
  const child = await startSleeper({ marker: own });
  child.stop('canceled');
  await child.outcome;
  expect(isRunning(other.pid)).toBe(true);
  other.stop('canceled');
  await other.outcome;
});

it('stops many at once', async () => {
  const abort = new AbortController();
  const folder = tempFolder();
  const outcomes = Array.from({ length: 40 }, (_, index) => run(`echo $$ > ${folder}/${index}; ${FOREVER}`, { signal: abort.signal }));
  await eventually(() => Array.from({ length: 40 }, (_, index) => index).every((index) => {
    try {
      return readFileSync(join(folder, String(index)), 'utf8').endsWith('\n');
    } catch {
      return false;
    }
  }));
  abort.abort();
  for (const outcome of await Promise.all(outcomes)) expect(outcome).toMatchObject({ stopped: 'canceled', survivors: [] });
  for (let index = 0; index < 40; index += 1) await expectGone(join(folder, String(index)));
});
