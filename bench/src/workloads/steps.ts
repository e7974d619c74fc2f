import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { FlowHandle } from '@relayflows/surface';
import { assertEnded, noops, runtimeFor, shells } from '../flows.js';
import { commitsPerSecond, shellsPerSecond } from '../floors.js';
import type { Workload } from '../workload.js';

/** Steps per second of one run, from the call until its verdict is durable. */
async function stepsPerSecond(folder: string, handle: FlowHandle, steps: number): Promise<number> {
  const dataDir = await mkdtemp(join(folder, 'steps-'));
  const runtime = runtimeFor(dataDir, handle);
  // Opening the journal is part of a cold start, which is measured apart.
  assertEnded(await runtime.run(handle.name, { input: { steps: 1 }, cwd: folder }).result, 'success');
  const started = performance.now();
  const report = await runtime.run(handle.name, { input: { steps }, cwd: folder }).result;
  const seconds = (performance.now() - started) / 1_000;
  await runtime.close();
  assertEnded(report, 'success');
  return steps / seconds;
}

export const noop: Workload = {
  key: 'noop',
  title: '1,000 no-op steps in sequence',
  unit: 'per s',
  floorTitle: 'fsynced commits',
  target: { of: 'ratio', direction: 'at least', limit: 0.5 },
  rounds: 7,
  measure: async (folder) => {
    const before = await commitsPerSecond(folder, 300);
    const value = await stepsPerSecond(folder, noops, 1_000);
    const after = await commitsPerSecond(folder, 300);
    return { value, floor: (before + after) / 2 };
  },
};

export const shell: Workload = {
  key: 'shell',
  title: "200 f.run('true') in sequence",
  unit: 'per s',
  floorTitle: 'bare piped spawns',
  target: { of: 'ratio', direction: 'at least', limit: 0.93 },
  rounds: 5,
  measure: async (folder) => {
    const before = await shellsPerSecond(100);
    const value = await stepsPerSecond(folder, shells, 200);
    const after = await shellsPerSecond(100);
    return { value, floor: (before + after) / 2 };
  },
};
