import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownIdentity } from '../../src/process/identity.js';
import { superviseProcess } from '../../src/process/supervise.js';
import { sweepGroup, sweepRun, sweepStep } from '../../src/process/sweep.js';
import { needs } from '../tools.js';
import { eventually, expectGone, isRunning, marker, PATH, pidIn, sleeperIn, start, startSleeper, tempFolder } from './harness.js';

describe('by the marker', () => {
  it('a step matches run, step and attempt', async () => {
    const own = marker();
    const others = await Promise.all([{ ...own, attempt: 2 }, { ...own, stepId: 'run-11' }, marker()].map((each) => startSleeper({ marker: each })));
    const child = await startSleeper({ marker: own });
    const { stopped, survivors } = await sweepStep(own);
    expect(stopped).toEqual([{ pid: child.pid, command: 'sleep 600' }]);
    expect(survivors).toEqual([]);
    expect(await child.outcome).toMatchObject({ signal: 'SIGTERM' });
    for (const other of others) {
      expect(isRunning(other.pid)).toBe(true);
      other.stop('canceled');
      await other.outcome;
    }
  });

  it('a run matches all its steps and attempts', async () => {
    const own = marker();
    const children = await Promise.all([own, { ...own, stepId: 'dispatch-5--run-1' }, { ...own, attempt: 7 }].map((each) => startSleeper({ marker: each })));
    const stranger = await startSleeper();
    const { stopped } = await sweepRun(own.runId);
    expect(new Set(stopped.map(({ pid }) => pid))).toEqual(new Set(children.map(({ pid }) => pid)));
    expect(isRunning(stranger.pid)).toBe(true);
    stranger.stop('canceled');
    await Promise.all([...children, stranger].map((child) => child.outcome));
  });

  it('finds nothing where nothing is', async () => {
    expect(await sweepRun('no-such-run')).toEqual({ stopped: [], survivors: [] });
  });

  it('ends with KILL what ignores TERM', async () => {
    const own = marker();
    let ready = false;
    const child = start('trap "" TERM; echo ready; while :; do sleep 600; done', { marker: own, stdout: { onText: () => (ready = true) } });
    await eventually(() => ready, 'the trap');
    await sweepRun(own.runId, { graceMs: 50 });
    expect(await child.outcome).toMatchObject({ signal: 'SIGKILL' });
    expect(isRunning(child.identity!.pid)).toBe(false);
  });

  needs('setsid')('reaches a flow that a step of this flow started, and what left its group', async () => {
    const [outer, inner] = [marker(), marker()];
    const file = join(tempFolder(), 'pid');
    // What the runtime of the inner flow does: the environment it was given, its own marker added behind.
    const script = join(tempFolder(), 'inner.mjs');
    writeFileSync(script, `
      import { systemShell } from ${JSON.stringify(new URL('../../dist/process/shell.js', import.meta.url).href)};
      await systemShell.run({ command: "setsid sh -c 'echo $$ > ${file}; exec sleep 600' & wait", cwd: '/', env: process.env, marker: ${JSON.stringify(inner)}, sweep: 'group' }).outcome;`);
    const child = start(`node ${script}`, { marker: outer, graceMs: 200 });
    await sleeperIn(file);
    child.stop('canceled');
    expect(await child.outcome).toMatchObject({ stopped: 'canceled', survivors: [] });
    await expectGone(file);
  });

  it('touches neither the process that sweeps nor its ancestors', async () => {
    const own = marker();
    const folder = tempFolder();
    const [file, go, script] = [join(folder, 'pid'), join(folder, 'go'), join(folder, 'sweeping.mjs')];
    writeFileSync(script, `
      import { sweepGroup, sweepRun, sweepStep } from ${JSON.stringify(new URL('../../dist/process/sweep.js', import.meta.url).href)};
      import { identityOf } from ${JSON.stringify(new URL('../../dist/process/identity.js', import.meta.url).href)};
      const group = Number(process.argv[2]);
      const results = [await sweepRun(${JSON.stringify(own.runId)}), await sweepStep(${JSON.stringify(own)}), await sweepGroup(identityOf(group))];
      process.stdout.write(JSON.stringify(results.map(({ stopped }) => stopped.length)));`);
    // The shell and the one around it are ancestors in the very group that is swept; the sleeping one is not.
    const child = start(`sh -c 'echo $$ > ${file}; exec sleep 600' & while [ ! -e ${go} ]; do sleep 0.01; done; sh -c 'node ${script} '$$'; echo " survived"'; echo end`, { marker: own });
    await sleeperIn(file);
    writeFileSync(go, '');
    expect(await child.outcome).toMatchObject({ exitCode: 0, stdout: { text: '[1,0,0] survived\nend\n' } });
    await expectGone(file);
  });
});

describe('by the group that was recorded', () => {
  const orphanGroup = async (env: string): Promise<{ leader: NonNullable<ReturnType<typeof start>['identity']>; file: string; runId: string }> => {
    const file = join(tempFolder(), 'pid');
    const own = marker();
    // A leader that is gone and a member that lives on, as after the death of a host: started by a shell that nobody supervises.
    const script = join(tempFolder(), 'orphan.mjs');
    writeFileSync(script, `
      import { spawn } from 'node:child_process';
      import { identityOf } from ${JSON.stringify(new URL('../../dist/process/identity.js', import.meta.url).href)};
      const leader = spawn('/bin/sh', ['-c', "${env} sh -c 'echo $$ > ${file}; exec sleep 600' & while [ ! -s ${file} ]; do sleep 0.01; done"], {
        detached: true, stdio: 'ignore', env: { PATH: process.env.PATH, RELAYFLOW_SCOPE: '${own.runId}/run-1/1' } });
      const identity = identityOf(leader.pid);
      leader.on('exit', () => process.stdout.write(JSON.stringify(identity)));`);
    const child = superviseProcess({ file: process.execPath, args: [script], cwd: '/', env: { PATH }, marker: marker(), sweep: 'group' });
    const { stdout } = await child.outcome;
    await sleeperIn(file);
    return { leader: JSON.parse(stdout.text) as NonNullable<ReturnType<typeof start>['identity']>, file, runId: own.runId };
  };

  it('stops a group whose leader lives', async () => {
    const file = join(tempFolder(), 'pid');
    const child = start(`sh -c 'echo $$ > ${file}; exec sleep 600' & wait`);
    await sleeperIn(file);
    const { stopped } = await sweepGroup(child.identity!);
    expect(stopped.length).toBe(2);
    await child.outcome;
    await expectGone(file);
  });

  it('stops a group whose leader is gone, when somebody in it carries the marker', async () => {
    const { leader, file, runId } = await orphanGroup('');
    expect(await sweepGroup(leader, { runId: 'another' })).toEqual({ stopped: [], survivors: [] });
    expect((await sweepGroup(leader, { runId })).stopped).toEqual([{ pid: await pidIn(file), command: 'sleep 600' }]);
    await expectGone(file);
  });

  it('leaves a group alone whose leader is gone and in which nobody carries a marker', async () => {
    const { leader, file } = await orphanGroup(`env -i PATH=$PATH`);
    expect(await sweepGroup(leader)).toEqual({ stopped: [], survivors: [] });
    const pid = await pidIn(file);
    expect(isRunning(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });

  it.each([
    ['a number used again', { startTime: '1' }],
    ['another boot', { bootId: 'another' }],
  ])('leaves %s alone', async (_, change) => {
    const child = await startSleeper();
    expect(await sweepGroup({ ...child.identity!, ...change })).toEqual({ stopped: [], survivors: [] });
    expect(isRunning(child.pid)).toBe(true);
    child.stop('canceled');
    await child.outcome;
  });

  it('finds nothing where the group is gone', async () => {
    const child = start('true');
    const identity = child.identity!;
    await child.outcome;
    expect(await sweepGroup(identity)).toEqual({ stopped: [], survivors: [] });
    expect(await sweepGroup({ ...ownIdentity(), pid: 0 })).toEqual({ stopped: [], survivors: [] });
  });
});
