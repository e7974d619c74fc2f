import { assertEnded, noops, runtimeFor } from '../flows.js';

export interface FanoutFigures {
  readonly stepsPerSecond: number;
  readonly peakMiB: number;
}

const RUNS = 500;
const STEPS = 5;

const dataDir = process.argv[2] ?? '';
const runtime = runtimeFor(dataDir, noops);
assertEnded(await runtime.run('noops', { input: { steps: 1 }, cwd: dataDir }).result, 'success');

const started = performance.now();
const results: Promise<unknown>[] = [];
for (let index = 0; index < RUNS; index += 1) results.push(runtime.run('noops', { input: { steps: STEPS }, cwd: dataDir }).result.then((report) => assertEnded(report, 'success')));
await Promise.all(results);
const seconds = (performance.now() - started) / 1_000;
await runtime.close();

const figures: FanoutFigures = { stepsPerSecond: (RUNS * STEPS) / seconds, peakMiB: process.resourceUsage().maxRSS / 1_024 };
process.stdout.write(JSON.stringify(figures));
