/** Publishes a file's text in a folder as the script does, and prints the plan. Third argument: the point at which it kills itself, or `hold` to stop while it holds the folder. */
import { readFileSync } from 'node:fs';
import { processes } from '../../../../scripts/published/processes.mjs';
import { planPublish, type PublishPlan } from '../../src/publish/plan.js';
import { publish } from '../../src/publish/publish.js';
import { edition } from '../publish/edition.js';

const [folder = '', file = '', at = ''] = process.argv.slice(2);

function reached(point: string): void {
  process.stdout.write(`${JSON.stringify({ point })}\n`);
  if (point === at) process.kill(process.pid, 'SIGKILL');
  // Nothing but a signal ends this.
  if (at === 'hold') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

const plan = await publish<PublishPlan, ReturnType<typeof processes.self>>({ folder, edition: edition(readFileSync(file, 'utf8')), plan: planPublish, processes, reached });
process.stdout.write(`${JSON.stringify({ plan })}\n`);
