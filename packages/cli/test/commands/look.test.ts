import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRuntime, sealFlow } from '@relayflows/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, document } from '../in-process.js';
import { flowSource, Workplace } from '../workplace.js';

/** The first command ends once the body has what the second one said. */
const threeIn = (folder: string): string => `
  const { writeFileSync } = await import('node:fs');
  const [slow] = await Promise.all([f.run('until [ -e go ]; do sleep 0.05; done; echo slow'), f.run('echo out; echo err >&2').then(() => writeFileSync(${JSON.stringify(join(folder, 'go'))}, ''))]);
  await f.run('false', { onNonZero: 'record' });
  f.done('success', { detail: slow });`;

describe('a run that has ended', () => {
  let [folder, id] = ['', ''];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flows-cli-'));
    await writeFile(join(folder, 'three.flow.ts'), flowSource('three', threeIn(folder)));
    const runtime = createRuntime({ dataDir: join(folder, '.relayflowd') });
    const run = runtime.run(await sealFlow(join(folder, 'three.flow.ts')), { input: { ticket: 1 }, cwd: folder });
    await run.result;
    id = run.id;
    await runtime.close();
  });
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  test('status', async () => {
    expect(await document(folder, ['status', 'last'])).toMatchObject({
      v: 1, exit: 0, ok: true, command: 'status', runId: id, status: 'completed', completionReason: 'success', steps: [{ stepId: 'run-1' }, { stepId: 'run-2' }, { stepId: 'run-3' }],
    });
    const { stdout, status } = await call(folder, ['status', id.slice(0, -3)]);
    expect(status).toBe(0);
    expect(stdout).toMatch(new RegExp(`^RUN ${id} completed \\(3 steps\\) completionReason: success\n`));
    expect(stdout).toMatch(/^run-1 +succeeded +\S+ +until \[ -e go \]; do sleep 0\.05; done; echo slow$/m);
  });

  test('status --tail', async () => {
    expect(await document(folder, ['status', id, '--tail', '1'])).toMatchObject({ steps: [{ stepId: 'run-3' }] });
    expect(await document(folder, ['status', id, '--tail', '0'])).toMatchObject({ steps: [] });
    expect((await call(folder, ['status', id, '--tail', '2'])).stdout).toMatch(/1 earlier step not shown: --tail 3\nstep +state/);
  });

  test('status of the run that the environment names', async () => {
    expect(await document('/', ['status'], { RELAYFLOW_RUN_ID: id, RELAYFLOW_DATA_DIR: join(folder, '.relayflowd') })).toMatchObject({ runId: id });
    expect(await document(folder, ['status'])).toMatchObject({ exit: 2, diagnostics: [{ code: 'run_unknown' }] });
  });

  test('runs', async () => {
    expect(await document(folder, ['runs'])).toMatchObject({ v: 1, ok: true, runs: [{ runId: id, flowName: 'three', status: 'completed', completionReason: 'success' }] });
    expect(await document(folder, ['runs', '--status', 'failed'])).toMatchObject({ runs: [] });
    expect((await call(folder, ['runs'])).stdout).toMatch(/^run +flow +status +reason +started\n\S+ +three +completed +success +just now\n$/);
  });

  test('replay', async () => {
    expect(await document(folder, ['replay', id])).toMatchObject({
      input: { ticket: 1 }, open: [], delivered: [{ stepId: 'run-2', position: 1, value: 'out\n' }, { stepId: 'run-1', position: 2, value: 'slow\n' }, { stepId: 'run-3', position: 3, value: { ok: false, exitCode: 1 } }],
    });
    expect((await call(folder, ['replay', id])).stdout).toContain('input {"ticket":1}\n\n   1   run-2  echo out; echo err >&2');
  });

  test('replay --at', async () => {
    expect(await document(folder, ['replay', id, '--at', 'run-2'])).toMatchObject({ at: 'run-2', delivered: [], step: { value: 'out\n' }, open: [{ stepId: 'run-1' }] });
    expect((await call(folder, ['replay', id, '--at', 'run-1'])).stdout).toMatch(/run-2[^]*Now run-1 arrives:\n[^]*"slow\\n"/);
    expect(await document(folder, ['replay', id, '--at', 'rnu-1'])).toMatchObject({ exit: 2, diagnostics: [{ code: 'step_not_found', hint: 'Did you mean `run-1`?' }] });
  });

  test('logs', async () => {
    expect(await call(folder, ['logs', id])).toMatchObject({ status: 0, stdout: '==> run-1 stdout <==\nslow\n\n==> run-2 stdout <==\nout\n\n==> run-2 stderr <==\nerr\n' });
    expect(await call(folder, ['logs', id, 'run-2'])).toMatchObject({ stdout: 'out\n', stderr: 'err\n' });
    expect(await call(folder, ['logs', id, 'run-3'])).toMatchObject({ status: 0, stdout: '', stderr: expect.stringContaining('has printed nothing') as string });
    expect(await call(folder, ['logs', id, 'run-2', '--attempt', '9'])).toMatchObject({ status: 0, stdout: '' });
    expect(await call(folder, ['logs', id, 'run-9'])).toMatchObject({ status: 2, stderr: expect.stringContaining('step_not_found') as string });
    expect(await call(folder, ['logs', id, '--attempt', '1'])).toMatchObject({ status: 2 });
    expect(await call(folder, ['logs', id, '--follow'])).toMatchObject({ status: 0, stdout: 'run-1 | slow\nrun-2 | out\nrun-2 | err\n' });
  });

  test('an id that fits nothing', async () => {
    for (const command of ['status', 'logs', 'replay', 'cancel']) expect(await call(folder, [command, 'zzz'])).toMatchObject({ status: 2, stderr: expect.stringContaining('[run_not_found]') as string });
  });
});

test.runIf(process.getuid?.() === 0).each([['status', 'last'], ['runs']])('runs that are hidden from the user are not reported as absent: %s', async (...args) => {
  const place = await Workplace.create();
  await mkdir(join(place.folder, '.relayflowd'), { mode: 0o700 });
  await chmod(place.folder, 0o755);
  const { status, stdout } = await place.flows([...args, '--json'], { uid: 65_534 });
  expect(status).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ ok: false, diagnostics: [{ code: 'journal_unavailable' }] });
});

test.runIf(process.getuid?.() === 0)('looking works where nothing may be written, and changing is refused there', async () => {
  const place = await Workplace.create({ quick: `await f.run('true'); f.done('success');` });
  await place.flows(['run', 'quick.flow.ts', '--input', '{}']);
  await place.shell('chmod -R a+rX . && chmod -R a-w .').ended;
  const reader = { uid: 65_534 };
  expect(await place.flows(['runs'], reader)).toMatchObject({ status: 0, stdout: expect.stringContaining('quick') as string });
  for (const command of ['status', 'logs', 'replay']) expect(await place.flows([command, 'last'], reader)).toMatchObject({ status: 0 });
  expect(await place.document(['cancel', 'last'], reader)).toMatchObject({ exit: 2, diagnostics: [{ code: 'journal_unavailable' }] });
});

test('looking creates nothing', async () => {
  const { folder, files } = await Workplace.create();
  expect(await call(folder, ['runs'])).toMatchObject({ status: 0, stdout: '' });
  expect(await document(folder, ['runs'])).toMatchObject({ ok: true, runs: [] });
  for (const command of ['status', 'logs', 'replay', 'cancel']) expect(await call(folder, [command, 'last'])).toMatchObject({ status: 2 });
  expect(await files()).toEqual([]);
});

test('logs --follow shows output while the run goes on, and ends with it', async () => {
  const place = await Workplace.create({ talks: `await f.run('echo first; until [ -e go ]; do sleep 0.05; done; echo second'); f.done('success');` });
  const run = place.start(['run', 'talks.flow.ts', '--input', '{}']);
  await run.printed(/run-1 started/);
  const logs = place.start(['logs', 'last', '--follow']);
  await logs.printed(/run-1 \| first/);
  await place.write('go', '');
  expect(await logs.ended).toMatchObject({ status: 0, stdout: 'run-1 | first\nrun-1 | second\n', stderr: expect.stringMatching(/is completed\n$/) as string });
  await run.ended;
});
