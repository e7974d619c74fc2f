import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawned } from '../children/process.js';
import { bareNodeMs } from '../floors.js';
import type { Workload } from '../workload.js';

const FLOWS = fileURLToPath(new URL('../../../packages/cli/bin/flows.js', import.meta.url));

const ONE_STEP = `import { flow } from '@relayflows/surface';

export default flow('one-step', async (f) => {
  await f.uuid();
  f.done('success');
});
`;

async function besideBareNode(process: () => Promise<{ readonly ms: number }>): Promise<{ readonly value: number; readonly floor: number }> {
  const before = await bareNodeMs();
  const { ms } = await process();
  const after = await bareNodeMs();
  return { value: ms, floor: (before + after) / 2 };
}

export const coldRun: Workload = {
  key: 'coldRun',
  title: 'flows run with one no-op step, in a new folder',
  unit: 'ms',
  floorTitle: 'node -e 0',
  target: { of: 'ratio', direction: 'at most', limit: 2.5 },
  rounds: 15,
  measure: async (folder) => {
    const cwd = await mkdtemp(join(folder, 'cold-'));
    await writeFile(join(cwd, 'one-step.flow.ts'), ONE_STEP);
    return besideBareNode(() => spawned([FLOWS, 'run', 'one-step.flow.ts', '--input', '{}'], { cwd }));
  },
};

export const coldVersion: Workload = {
  key: 'coldVersion',
  title: 'flows --version',
  unit: 'ms',
  floorTitle: 'node -e 0',
  target: { of: 'ratio', direction: 'at most', limit: 1.3 },
  rounds: 15,
  measure: async () => besideBareNode(() => spawned([FLOWS, '--version'])),
};
