import { flow, type FlowHandle } from '@relayflows/surface';
import { afterEach, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRuntime } from '../../src/run/create-runtime.js';
import { createMemoryJournal } from '../../src/journal/memory.js';
import type { RunEvent } from '../../src/run/events.js';
import { adoptable, bench, runBody, type Bench } from './harness.js';
let on: Bench | undefined;
afterEach(() => { on?.dispose(); on = undefined; });
const SECRET = 'hunter2-hunter2-hunter2';

it('leaks', async () => {
  const subject = flow('subject', async (f) => {
    f.phase(`p ${SECRET}`);
    await f.run(`: ${'x'.repeat(100)} ${SECRET}; exit 3`, { retry: { attempts: 2, backoff: 1 } }).then(undefined, () => undefined);
    await f.run(`echo ${SECRET}`).gate({ type: 'artifact_exists', path: `node_modules/${SECRET}` }).then(undefined, () => undefined);
    await f.human(`Is ${SECRET} ok?`, { to: 'maria' });
    f.done('success');
  });
  on = bench({ subject });
  const events: RunEvent[] = [];
  const runtime = on.runtime({ env: { PATH: process.env['PATH'], DEPLOY_TOKEN: SECRET }, onEvent: (e) => events.push(e) });
  const h = runtime.run(subject, { cwd: on.dir });
  const report = await h.result;
  const bad = events.filter((e) => JSON.stringify(e).includes('hunter2')).map((e) => JSON.stringify(e).slice(0, 600));
  console.log(bad.join('\n'));
  const status = await runtime.status(h.id);
  console.log(status.steps.filter((s) => JSON.stringify(s).includes('hunter2')).map((s) => JSON.stringify(s)).join('\n'));
  expect(JSON.stringify(report)).not.toContain('hunter2');
});

it('await after done', async () => {
  const r = await runBody(async (f) => {
    const s = f.run('true');
    f.done('success');
    await s;
  });
  console.log(r.diagnostics);
}, 3000);

it('child losers', async () => {
  on = bench({});
  const log = () => { try { return readFileSync(join(on!.dir, 'log'), 'utf8'); } catch { return ''; } };
  const grand = flow('grand', async (f) => { for (let i = 0; i < 30; i++) await f.run('echo grand >> log; sleep 0.05'); f.done('success'); });
  const child = flow('child', async (f) => {
    await Promise.race([f.run('echo slow >> log; sleep 5'), f.run('sleep 0.3'), f.sleep('1h')]);
    f.done('success');
  });
  const parent = flow('parent', async (f) => {
    await f.dispatch('child', {});
    await f.human('ok?', { to: 'maria' });
    await f.run('sleep 0.3');
    f.done('success');
  });
  void grand;
  const make = () => createRuntime({ journal: adoptable(createMemoryJournal({ store: on!.store })), dataDir: `${on!.dir}/data`, flows: { parent: { version: '1', flow: parent, children: [child] as FlowHandle[] } } });
  const rt = make();
  const h = rt.run(parent, { cwd: on.dir });
  const rep = await h.result;
  console.log(rep.status, rep.wakeAt, log());
  await rt.answer({ runId: h.id, waitId: 'human-2', answer: true, answeredBy: 'm' });
  const rep2 = await make().resume(h.id).result;
  console.log(rep2.status, log(), rep2.steps.map((s) => `${s.stepId} ${s.state} ${s.attempt}`));
}, 8000);

it('park answer race', async () => {
  const out: string[] = [];
  for (let x = 0; x < 30; x += 1) {
    const subject = flow('subject', async (f) => { await f.human('ok?', { to: 'maria' }); f.done('success'); });
    const b = bench({ subject });
    const rt = createRuntime({ dataDir: join(b.dir, 'data'), flows: { subject: { version: '1', flow: subject } } });
    const h = rt.run(subject, { cwd: b.dir });
    for await (const e of h.events) if (e.type === 'wait.opened') break;
    await new Promise((r) => setTimeout(r, x));
    await rt.answer({ runId: h.id, waitId: 'human-1', answer: true, answeredBy: 'm' });
    const r = await rt.resume(h.id).result;
    out.push(`${x}:${r.status}`);
    await rt.close(); b.dispose();
  }
  console.log(out.join(' '));
}, 20000);

it('cancel parked', async () => {
  const subject = flow('subject', async (f) => { await f.human('ok?', { to: 'maria' }); f.done('success'); });
  on = bench({ subject });
  const rt = on.runtime();
  const h = rt.run(subject, { cwd: on.dir });
  await h.result;
  await rt.cancel(h.id);
  console.log(JSON.stringify((await rt.status(h.id)).report.steps));
});

it('day budget across retries', async () => {
  const r = await runBody(async (f) => { await f.run('sleep 0.2; exit 1', { retry: { attempts: 3, backoff: 1 } }); f.done('success'); }, { header: { budget: { wallclock: '100ms' } } });
  console.log(JSON.stringify(r.diagnostics), r.steps);
});
it('record+retry', async () => {
  let v; const r = await runBody(async (f) => { v = await f.run('echo x >> log; test $(wc -l < log) = 3', { onNonZero: 'record', retry: { attempts: 3, backoff: 1 } }); f.done('success'); });
  console.log(v, r.steps);
});
it('throw in resumed body hides', async () => {
  const mk = (n: number) => flow('subject', async (f) => { if (n > 1) throw new Error('boom'); await f.uuid(); await f.human('ok?', { to: 'maria' }); f.done('success'); });
  const one = mk(1);
  on = bench({ subject: one });
  const h = on.runtime().run(one, { cwd: on.dir }); await h.result;
  const rt = createRuntime({ journal: adoptable(createMemoryJournal({ store: on.store })), dataDir: `${on.dir}/data`, flows: { subject: { version: '1.0.0', flow: mk(2) } } });
  await rt.resume(h.id).result.catch((e: unknown) => console.log(String(e), (e as {hint: string}).hint));
});
