import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { childProgram, spawned } from '../children/process.js';
import { bareNodeMiB, commitsPerSecond } from '../floors.js';
import type { Workload } from '../workload.js';
import type { FanoutFigures } from '../children/fanout.js';

/** In a process of its own, so that the memory is that of the runs alone. */
async function figures(folder: string): Promise<FanoutFigures> {
  const dataDir = await mkdtemp(join(folder, 'fanout-'));
  return JSON.parse((await spawned([childProgram('fanout'), dataDir])).output) as FanoutFigures;
}

export const fanout: Workload = {
  key: 'fanout',
  title: '500 runs of 5 no-op steps at once',
  unit: 'per s',
  floorTitle: 'fsynced commits',
  target: { of: 'ratio', direction: 'at least', limit: 1 },
  rounds: 5,
  measure: async (folder) => {
    const before = await commitsPerSecond(folder, 300);
    const { stepsPerSecond } = await figures(folder);
    const after = await commitsPerSecond(folder, 300);
    return { value: stepsPerSecond, floor: (before + after) / 2 };
  },
};

export const rssMiB: Workload = {
  key: 'rssMiB',
  title: 'peak memory of these 500 runs',
  unit: 'MiB',
  floorTitle: 'peak of node -e 0',
  target: { of: 'value', direction: 'at most', limit: 110 },
  rounds: 3,
  measure: async (folder) => ({ value: (await figures(folder)).peakMiB, floor: await bareNodeMiB() }),
};
