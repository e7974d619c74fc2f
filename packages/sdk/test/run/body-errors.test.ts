import { flow, type Ctx } from '@relayflows/surface';
import { execa } from 'execa';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sealFlow } from '../../src/flow/seal.js';
import { createMemoryJournal } from '../../src/journal/memory.js';
import { createRuntime } from '../../src/run/create-runtime.js';
import { bench } from './harness.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'relayflows-body-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it("a throw in a body is reported at the author's file and line", async () => {
  const path = join(dir, 'throws.flow.ts');
  writeFileSync(path, ["import { flow } from '@relayflows/surface';", '', 'interface Input { name: string }', '', "export default flow<Input>('throws', async (f) => {", '  await f.uuid();', "  throw new Error('here');", '});', ''].join('\n'));
  const runtime = createRuntime({ dataDir: join(dir, 'data'), journal: createMemoryJournal() });
  const handle = runtime.run(await sealFlow(path), { cwd: dir });
  const report = await handle.result;
  const { run } = await runtime.status(handle.id);
  await runtime.close();
  expect(report.diagnostics[0]).toMatchObject({ code: 'body_failed', message: 'Error: here' });
  expect(run.completion?.error?.evidence).toMatchObject({ path, line: 7 });
  expect(JSON.stringify(run.completion?.error?.evidence)).not.toContain('modules/');
});

it('a body that throws before it has its history again is left as it was, and what it threw is told', async () => {
  let broken = false;
  const subject = flow('subject', async (f) => {
    if (broken) throw new Error('the file is gone');
    await f.uuid();
    await f.human('Go on?', { to: 'maria' });
    f.done('success');
  });
  const on = bench({ subject });
  const { id, result } = on.runtime().run(subject, { cwd: on.dir });
  await result;
  broken = true;
  const runtime = on.runtime();
  await expect(runtime.resume(id).result).rejects.toMatchObject({ code: 'replay_mismatch', text: expect.stringContaining('body_failed: Error: the file is gone') as unknown });
  expect((await runtime.status(id)).run.status).toBe('parked');
  on.dispose();
});

it.each([['before its verdict', ''], ['after its verdict', "f.done('success');"]])('a body that waits for nothing %s ends its run, in a process that exists for it', async (_when, before) => {
  const script = join(dir, 'host.mjs');
  const sdk = import.meta.resolve('@relayflows/sdk');
  const surface = import.meta.resolve('@relayflows/surface');
  writeFileSync(script, `import { createRuntime } from ${JSON.stringify(sdk)};
import { flow } from ${JSON.stringify(surface)};
const subject = flow('subject', async (f) => {
  await f.uuid();
  ${before}
  await new Promise(() => {});
});
const runtime = createRuntime({ ownsProcess: true, flows: { subject: { version: '1', flow: subject } } });
const { result } = runtime.run(subject);
void result.then(async ({ status, diagnostics }) => {
  console.log(JSON.stringify({ status, code: diagnostics[0]?.code }));
  await runtime.close();
});
`);
  const { stdout } = await execa(process.execPath, [script], { cwd: dir });
  expect(JSON.parse(stdout)).toEqual({ status: 'failed', code: 'body_failed' });
});

it.each([
  ['a verb', (f: Ctx) => f.run('')],
  ['a gate', (f: Ctx) => f.uuid().gate({ type: 'word_count_bounds' })],
  ['a member', async (f: Ctx) => f.memory],
])('a refusal by %s that a body leaves unhandled fails its own run, whatever else the process does', async (_name, refused) => {
  const careless = flow('careless', async (f) => {
    void (async () => {
      await refused(f);
    })();
    await f.run('sleep 0.1');
    f.done('success');
  });
  const other = flow('other', async (f) => {
    await f.run('sleep 0.2');
    f.done('success');
  });
  const on = bench({ careless, other });
  const runtime = on.runtime();
  const reports = await Promise.all([runtime.run(careless, { cwd: on.dir }).result, runtime.run(other, { cwd: on.dir }).result]);
  await runtime.close();
  on.dispose();
  expect(reports.map(({ completionReason }) => completionReason)).toEqual(['step_failed', 'success']);
  expect(reports[0]?.diagnostics[0]).toMatchObject({ code: 'operation_callback_failed' });
});
