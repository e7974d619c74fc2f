import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { childProgram, spawned } from '../children/process.js';
import { bareNodeMs, commitsPerSecond } from '../floors.js';
import type { Workload } from '../workload.js';

export const resume: Workload = {
  key: 'resume',
  title: 'kill -9 at step 1,500 of 2,000, restart to first fresh step',
  unit: 'ms',
  floorTitle: 'node -e 0',
  target: { of: 'ratio', direction: 'at most', limit: 3 },
  rounds: 7,
  measure: async (folder) => {
    const dataDir = await mkdtemp(join(folder, 'resume-'));
    const program = childProgram('interrupted');
    await spawned([program, dataDir], { killedBy: 'SIGKILL' });
    const runId = await readFile(join(dataDir, 'run-id'), 'utf8');
    const before = await bareNodeMs();
    const { firstByteMs } = await spawned([program, dataDir, runId]);
    const after = await bareNodeMs();
    return { value: firstByteMs, floor: (before + after) / 2 };
  },
};

let recorded: Promise<{ readonly dataDir: string; readonly runId: string }> | undefined;

/** Recorded once: resuming a run that waits for an answer leaves it as it was. */
async function recordLongRun(folder: string): Promise<{ readonly dataDir: string; readonly runId: string }> {
  const dataDir = await mkdtemp(join(folder, 'replay-'));
  return { dataDir, runId: (await spawned([childProgram('long-run'), dataDir])).output };
}

export const replay: Workload = {
  key: 'replay',
  title: 'steps handed back while resuming a 10,000-step run',
  unit: 'per s',
  floorTitle: 'fsynced commits',
  target: { of: 'value', direction: 'at least', limit: 50_000 },
  rounds: 5,
  measure: async (folder) => {
    recorded ??= recordLongRun(folder);
    const { dataDir, runId } = await recorded;
    const { output } = await spawned([childProgram('long-run'), dataDir, runId]);
    return { value: Number(output), floor: await commitsPerSecond(folder, 300) };
  },
};
