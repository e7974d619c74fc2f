/**
 * `long-run <data-dir>` records a run of 10,000 no-op steps that then waits for an answer, and prints its id. `long-run <data-dir> <run-id>` resumes it
 * up to that question and prints how many steps per second reached the body.
 */
import { flow } from '@relayflows/surface';
import { assertEnded, runtimeFor } from '../flows.js';

const [dataDir = '', runId] = process.argv.slice(2);
const STEPS = 10_000;

let seconds = 0;
const long = flow('long', async (f) => {
  const started = performance.now();
  for (let step = 0; step < STEPS; step += 1) await f.uuid();
  seconds = (performance.now() - started) / 1_000;
  await f.human('Go on?', { to: 'nobody' });
  f.done('success');
});

const runtime = runtimeFor(dataDir, long);
const handle = runId === undefined ? runtime.run('long', { input: {}, cwd: dataDir }) : runtime.resume(runId);
assertEnded(await handle.result, 'needs_human');
await runtime.close();
process.stdout.write(runId === undefined ? handle.id : String(STEPS / seconds));
