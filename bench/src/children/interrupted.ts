/**
 * `interrupted <data-dir>` runs 2,000 no-op steps and kills itself at step 1,500, with the run's id in a file. `interrupted <data-dir> <run-id>`
 * resumes that run and prints a byte as soon as its first fresh step is done.
 */
import { writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createRuntime } from '@relayflows/sdk';
import { flow } from '@relayflows/surface';

const [dataDir = '', runId] = process.argv.slice(2);
const STEPS = 2_000;
const KILLED_AT = 1_500;

const interrupted = flow('interrupted', async (f) => {
  for (let step = 1; step <= STEPS; step += 1) {
    await f.uuid();
    if (step === KILLED_AT && runId === undefined) process.kill(process.pid, 'SIGKILL');
    if (step === KILLED_AT + 1) {
      writeSync(1, '.');
      process.exit(0);
    }
  }
  f.done('success');
});

const runtime = createRuntime({ dataDir, flows: { interrupted: { version: '1.0.0', flow: interrupted } } });
const handle = runId === undefined ? runtime.run('interrupted', { input: {}, cwd: dataDir }) : runtime.resume(runId);
if (runId === undefined) writeFileSync(join(dataDir, 'run-id'), handle.id);
await handle.result;
