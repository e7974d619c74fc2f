import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { loadSealed } from '../../src/flow/load.js';
import { sealFlow } from '../../src/flow/seal.js';
import { simulate, type Script } from '../../src/testing/index.js';

const FLOW = `
import { flow } from '@relayflows/surface';

export default flow('talker', { budget: { wallclock: '1d' } }, async (f) => {
  console.log('begins');
  await Promise.all(['one', 'two'].map(async (cwd) => {
    await f.agent('builder', { task: 'Build it.', cwd, timeout: '1h', permissions: { fileGlobs: ['src/**'] } });
    await f.run('make', { cwd }).gate({ type: 'artifact_exists', path: 'out.js' });
  }));
  console.error('asks');
  const merge = await f.human('Merge?', { to: '@alex' });
  await f.llm\`A word on \${String(merge)}\`;
  f.done('success');
});
`;

const SCRIPT = `{
  agent: ({ attempt }) => (attempt === 1 ? { crash: true, takes: '1m' } : { message: 'Built.', artifacts: ['src/a.ts'], takes: '10m' }),
  run: () => ({ artifacts: ['out.js'], takes: '1m' }),
  human: () => ({ answer: true, takes: '2h' }),
  llm: () => 'fine',
}`;

function folder(): string {
  // Below the package, so that the flow finds what it imports.
  const made = mkdtempSync(fileURLToPath(new URL('../../dist/simulated-', import.meta.url)));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

test('where nothing may be written and nothing started, a simulation runs, and leaves nothing', async () => {
  const place = folder();
  writeFileSync(join(place, 'main.mjs'), `${FLOW.replace('export default', 'const talker =').replaceAll(/console.*/g, '')}
    import { simulate } from '@relayflows/sdk/testing';
    const { verdict, crashes } = await simulate(talker, ${SCRIPT});
    process.stdout.write(JSON.stringify({ verdict, crashes }));
  `);
  const before = readdirSync(tmpdir()).filter((name) => name.startsWith('relayflows-llm-simulation'));
  const permission = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission';
  const { stdout } = await promisify(execFile)(process.execPath, [permission, '--allow-fs-read=*', '--conditions=development', '--no-warnings', join(place, 'main.mjs')], { cwd: place });
  expect(JSON.parse(stdout)).toEqual({ verdict: { status: 'completed', completionReason: 'success' }, crashes: 1 });
  expect(readdirSync(place)).toEqual(['main.mjs']);
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith('relayflows-llm-simulation'))).toEqual(before);
});

test('a flow from a file: sealed or loaded, with its flows.json and what it prints', async () => {
  const place = folder();
  writeFileSync(join(place, 'talker.flow.ts'), FLOW);
  writeFileSync(join(place, 'flows.json'), '{ "cli": "codex" }');
  const script: Script = { agent: () => ({ message: 'Built.', takes: '10m' }), run: () => ({ artifacts: ['out.js'] }), human: () => true, llm: () => 'fine' };
  const sealed = await sealFlow(join(place, 'talker.flow.ts'));
  const [first, second] = await Promise.all([simulate(sealed, script), simulate(await loadSealed(sealed), script)]);
  expect(first.calls.flatMap((call) => (call.kind === 'agent' ? [call.cli] : []))).toEqual(['codex', 'codex']);
  // Beside each other, each has its own.
  for (const { printed, verdict } of [first, second]) expect({ printed, verdict }).toEqual({ printed: 'begins\nasks\n', verdict: { status: 'completed', completionReason: 'success' } });
});

/** What a module prints that begins with these lines, run by Node alone: no test framework hears its rejections first. */
async function printed(body: string): Promise<unknown> {
  const place = folder();
  writeFileSync(join(place, 'main.mjs'), `
    import { flow } from '@relayflows/surface';
    import { simulate } from '@relayflows/sdk/testing';
    ${body}
  `);
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=development', join(place, 'main.mjs')], { cwd: place });
  return JSON.parse(stdout);
}

test('a body that waits for what never happens is the verdict where the process has nothing else to do', async () => {
  expect(await printed(`
    const { verdict } = await simulate(flow('stuck', async (f) => { await f.run('make'); await new Promise(() => undefined); }), { run: () => '' });
    console.log(JSON.stringify(verdict.cause.code));
  `)).toBe('body_failed');
});

test('a rejection that a flow leaves unhandled is its own, beside others', async () => {
  expect(await printed(`
    const careless = flow('careless', async (f, fail) => {
      await f.run('make');
      if (fail) Promise.reject(new Error('dropped'));
      await f.sleep('1m');
      f.done('success');
    });
    const all = await Promise.all([false, true, false, false].map((input) => simulate(careless, { input, run: () => '' })));
    console.log(JSON.stringify(all.map(({ verdict }) => verdict.cause?.code ?? verdict.completionReason)));
  `)).toEqual(['success', 'operation_callback_failed', 'success', 'success']);
});

test('a rejection that a script leaves unhandled is not that of its flow', async () => {
  expect(await printed(`
    const heard = [];
    process.on('unhandledRejection', (reason) => heard.push(reason.message));
    const { verdict } = await simulate(flow('fine', async (f) => { await f.run('make'); await f.sleep('1m'); f.done('success'); }), { run: () => { Promise.reject(new Error('of the script')); return ''; } });
    console.log(JSON.stringify([heard, verdict.completionReason]));
  `)).toEqual([['of the script'], 'success']);
});

test('what hundreds of simulations leave behind in the process: nothing', async () => {
  expect(await printed(`
    const counts = () => ['unhandledRejection', 'beforeExit', 'exit', 'SIGTERM', 'warning'].map((name) => process.listenerCount(name));
    const warnings = [];
    process.on('warning', ({ name }) => warnings.push(name));
    const before = counts();
    const one = flow('one', async (f) => { await f.run('make'); f.done((await f.human('Merge?', { to: 'alex' })) ? 'success' : 'declined'); });
    const all = await Promise.all(Array.from({ length: 200 }, () => simulate(one, { run: () => ({ takes: '1m' }), human: () => ({ answer: true, takes: '1h' }), crashAfter: 'each' })));
    console.log(JSON.stringify([all.every(({ verdict }) => verdict.completionReason === 'success'), counts().join() === before.join(), warnings]));
  `)).toEqual([true, true, []]);
});
