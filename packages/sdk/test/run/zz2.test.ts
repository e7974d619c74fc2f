import { flow, type FlowHandle } from '@relayflows/surface';
import { afterEach, expect, it } from 'vitest';
import { createRuntime } from '../../src/run/create-runtime.js';
import { createMemoryJournal } from '../../src/journal/memory.js';
import { adoptable, bench, type Bench } from './harness.js';
let on: Bench | undefined;
afterEach(() => { on?.dispose(); on = undefined; });
it('child race loser at end', async () => {
  on = bench({});
  const child = flow('child', async (f) => { await f.run('sleep 5'); f.done('success'); });
  const parent = flow('parent', async (f) => { await Promise.race([f.dispatch('child', {}), f.run('sleep 0.1')]); f.done('success'); });
  const rt = createRuntime({ journal: adoptable(createMemoryJournal({ store: on!.store })), dataDir: `${on!.dir}/data`, flows: { parent: { version: '1', flow: parent, children: [child] as FlowHandle[] } } });
  console.log((await rt.run(parent, { cwd: on.dir }).result).status);
}, 4000);
it('child sleeping parks', async () => {
  on = bench({});
  const child = flow('child', async (f) => { await f.sleep(300); f.done('success'); });
  const parent = flow('parent', async (f) => { await f.dispatch('child', {}); f.done('success'); });
  const rt = createRuntime({ parkAfterMs: 10, journal: adoptable(createMemoryJournal({ store: on!.store })), dataDir: `${on!.dir}/data`, flows: { parent: { version: '1', flow: parent, children: [child] as FlowHandle[] } } });
  console.log((await rt.run(parent, { cwd: on.dir }).result).status);
}, 4000);
it('cancel in child', async () => {
  on = bench({});
  const child = flow('child', async (f) => { await f.run('sleep 3'); f.done('success'); });
  const parent = flow('parent', async (f) => { await f.dispatch('child', {}); f.done('success'); });
  const rt = createRuntime({ parkAfterMs: 10, journal: adoptable(createMemoryJournal({ store: on!.store })), dataDir: `${on!.dir}/data`, flows: { parent: { version: '1', flow: parent, children: [child] as FlowHandle[] } } });
  const h = rt.run(parent, { cwd: on.dir });
  await new Promise((r) => setTimeout(r, 300));
  await h.cancel();
  console.log((await h.result).status);
}, 4000);
