import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { needs } from '../tools.js';
import { eventually, expectGone, isRunning, pidIn, start, tempFolder } from './harness.js';

const module_ = (name: string): string => JSON.stringify(new URL(`../../dist/process/${name}.js`, import.meta.url).href);

/** No other process on this machine belongs to it. */
const RUN = `host-exit-${process.pid}`;

interface HostOptions {
  /** How it starts the step. */
  readonly supervise?: 'run' | 'guarded';
}

/** A host in a process of its own, with a step that ignores TERM and a grandchild of it in a session of its own. */
function host(then: string, { supervise = 'run' }: HostOptions = {}): { child: ReturnType<typeof start>; files: readonly [string, string] } {
  const folder = tempFolder();
  const files = [join(folder, 'member'), join(folder, 'escaped')] as const;
  const script = join(folder, 'host.mjs');
  const stubborn = (file: string): string => `trap '' TERM; echo $$ > ${file}; while :; do sleep 600; done`;
  writeFileSync(script, `
    import { existsSync, readFileSync } from 'node:fs';
    import { systemShell } from ${module_('shell')};
    import { killAllNow } from ${module_('live')};
    import { guarded } from ${module_('host-guard')};
    import { superviseProcess } from ${module_('supervise')};
    const begin = { run: (request) => systemShell.run(request), guarded: ({ command, ...request }) => guarded(superviseProcess)({ ...request, file: 'sh', args: ['-c', command] }) };
    const step = begin.${supervise}({ command: 'sh ${join(folder, 'step.sh')}', cwd: '/', env: { PATH: process.env.PATH }, marker: { runId: '${RUN}', stepId: 'run-1', attempt: 1 }, sweep: 'group', graceMs: 60000 });
    while (!${JSON.stringify(files)}.every((file) => existsSync(file) && readFileSync(file, 'utf8') !== '')) await new Promise((resolve) => setTimeout(resolve, 10));
    ${then}`);
  writeFileSync(join(folder, 'step.sh'), `setsid sh -c "${stubborn(files[1]).replaceAll('$', '\\$')}" &\n${stubborn(files[0])}\n`);
  return { child: start(`exec node ${script}`), files };
}

needs('setsid').describe('when the host goes', () => {
  it.each([
    ['by itself', 'process.exit(5);', 5],
    ['by an uncaught error', `throw new Error('a bug');`, 1],
    ['because a person insists', 'step.stop("canceled"); killAllNow(); process.kill(process.pid, "SIGINT");', undefined],
  ])('%s, nothing is left', async (_, then, exitCode) => {
    const { child, files } = host(then);
    const outcome = await child.outcome;
    expect(outcome.exitCode).toBe(exitCode);
    for (const pid of await Promise.all(files.map(pidIn))) await eventually(() => !isRunning(pid), `the end of process ${pid}`);
    await expectGone(...files);
  });

  it('by kill -9, the sweep of the run finds everything', async () => {
    const { child, files } = host('process.kill(process.pid, "SIGKILL");');
    await child.outcome;
    for (const file of files) expect(isRunning(await pidIn(file))).toBe(true);
    const { sweepRun } = await import('../../src/process/sweep.js');
    const { stopped, survivors } = await sweepRun(RUN, { graceMs: 50 });
    expect(stopped.length).toBeGreaterThanOrEqual(2);
    expect(survivors).toEqual([]);
    await expectGone(...files);
  });
});

needs('setsid').describe('a step with a guard', () => {
  it('is gone with all of its tree when its host is killed', async () => {
    const { child, files } = host('process.kill(process.pid, "SIGKILL");', { supervise: 'guarded' });
    expect(await child.outcome).toMatchObject({ signal: 'SIGKILL' });
    for (const pid of await Promise.all(files.map(pidIn))) await eventually(() => !isRunning(pid), `the end of process ${pid}`);
    await expectGone(...files);
  });

  it('leaves no guard behind when it ends, and does not keep its host', async () => {
    const folder = tempFolder();
    const script = join(folder, 'host.mjs');
    writeFileSync(script, `
      import { guarded } from ${module_('host-guard')};
      import { superviseProcess } from ${module_('supervise')};
      const { outcome } = guarded(superviseProcess)({ file: 'sh', args: ['-c', 'echo fine'], cwd: '/', env: { PATH: process.env.PATH }, marker: { runId: '${RUN}', stepId: ${JSON.stringify(folder)}, attempt: 1 }, sweep: 'environment' });
      process.stdout.write((await outcome).stdout.text);`);
    expect(await start(`exec node ${script}`).outcome).toMatchObject({ exitCode: 0, stdout: { text: 'fine\n' }, leftRunning: [] });
  });

  it('that cannot be started has none', async () => {
    const { guarded } = await import('../../src/process/host-guard.js');
    const { superviseProcess } = await import('../../src/process/supervise.js');
    const outcome = await guarded(superviseProcess)({ file: '/nowhere', args: [], cwd: '/', env: {}, marker: { runId: RUN, stepId: 'none', attempt: 1 }, sweep: 'group' }).outcome;
    expect(outcome.spawnError?.code).toBe('ENOENT');
  });
});

describe('killAllNow', () => {
  it('makes the steps end with a reason', async () => {
    const { killAllNow } = await import('../../src/process/live.js');
    const children = [start('exec sleep 600'), start('exec sleep 600')];
    killAllNow();
    for (const child of children) expect(await child.outcome).toMatchObject({ stopped: 'host_exit', survivors: [] });
    killAllNow();
  });
});
