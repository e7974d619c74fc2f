import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { identityOf, isAlive, superviseGuarded, superviseProcess, sweepRun, sweepStep, type StepMarker } from '../../src/process/index.js';
import { markerVariables, ofRun, ofStep } from '../../src/process/marker.js';
import { needs } from '../tools.js';
import { eventually, expectGone, isRunning, PATH, pidIn, sleeperIn, start, tempFolder } from './harness.js';

/** Ids that a host may choose for its runs, each of which is a part of another. */
const IDS = ['T-1', 'my-T-1', 'repo/T-1', 'repo', 'T-1/run-1', 'T-1/run-1/1', 'a;T-1', 'T 1', 'T%201', 'é', "it's", 'T.1', 'Tx1'];
const markerOf = (runId: string): StepMarker => ({ runId, stepId: 'run-1', attempt: 1 });
const scopeOf = (runId: string): string => markerVariables(markerOf(runId), {})['RELAYFLOW_SCOPE'] ?? '';

describe('ids that a host chose', () => {
  it.each(IDS)('%j is told apart from all others in the scope of a process', (id) => {
    expect(markerVariables(markerOf(id), {})['RELAYFLOW_RUN_ID']).toBe(id);
    expect(IDS.filter((other) => ofRun(id)(scopeOf(other)))).toEqual([id]);
    expect(IDS.filter((other) => ofStep(markerOf(id))(scopeOf(other)))).toEqual([id]);
    expect(scopeOf(id)).toMatch(/^[\w.~%-]+\/run-1\/1$/);
  });

  it('name what is swept, and nothing else', async () => {
    const tag = `-${process.pid}`;
    const folder = tempFolder();
    const [near, far] = [join(folder, 'near'), join(folder, 'far')];
    const begin = (file: string, runId: string): ReturnType<typeof start> => start(`echo $$ > ${file}; exec sleep 600`, { marker: markerOf(runId) });
    const children = [begin(near, `repo${tag}/w f/T;1`), begin(far, `repo${tag}`)];
    const pids = await Promise.all([near, far].map((file) => sleeperIn(file)));
    const [identity] = pids.map(identityOf);
    await sweepStep(markerOf(`repo${tag}/w f`));
    await sweepRun(`repo${tag}/w f`);
    expect(pids.map(isRunning)).toEqual([true, true]);
    await sweepRun(`repo${tag}/w f/T;1`);
    await expectGone(near);
    expect(identity === undefined ? undefined : isAlive(identity)).toBe(false);
    expect(isRunning(pids[1] ?? 0)).toBe(true);
    await sweepRun(`repo${tag}`);
    await Promise.all(children.map(({ outcome }) => outcome));
  });
});

needs('setsid').describe('a guard', () => {
  it('stops what carries its scope, and nothing whose scope only ends with it or looks like it', async () => {
    const folder = tempFolder();
    const escaped = join(folder, 'escaped');
    const runId = `T.${process.pid}`;
    const bystanders = [`my-${runId}`, runId.replace('.', 'x')].map((other) => spawn('sleep', ['600'], { detached: true, stdio: 'ignore', env: { PATH, RELAYFLOW_SCOPE: scopeOf(other) } }));
    onTestFinished(() => bystanders.forEach((child) => child.kill('SIGKILL')));
    const script = join(folder, 'host.mjs');
    writeFileSync(script, `
      import { existsSync, readFileSync } from 'node:fs';
      import { superviseGuarded } from ${JSON.stringify(new URL('../../dist/process/index.js', import.meta.url).href)};
      superviseGuarded({ file: 'sh', args: ['-c', 'setsid sh -c "echo \\\\$\\\\$ > ${escaped}; exec sleep 600" & exec sleep 600'], cwd: '/', env: { PATH: process.env.PATH }, marker: ${JSON.stringify(markerOf(runId))}, sweep: 'group' });
      while (!existsSync(${JSON.stringify(escaped)}) || readFileSync(${JSON.stringify(escaped)}, 'utf8') === '') await new Promise((resolve) => setTimeout(resolve, 10));
      process.kill(process.pid, 'SIGKILL');`);
    await start(`exec node ${script}`).outcome;
    const pid = await pidIn(escaped);
    await eventually(() => !isRunning(pid), `the end of process ${pid}`);
    for (const child of bystanders) expect(isRunning(child.pid ?? 0)).toBe(true);
  });
});

describe('what a host may use', () => {
  it('supervises a process, with a guard or without', async () => {
    for (const supervise of [superviseProcess, superviseGuarded]) {
      const child = supervise({ file: 'sh', args: ['-c', 'echo fine'], cwd: '/', env: { PATH }, marker: markerOf(`host/${process.pid}`), sweep: 'group' });
      expect(await child.outcome).toMatchObject({ exitCode: 0, stdout: { text: 'fine\n' } });
    }
  });
});
