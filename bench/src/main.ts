/**
 * `npm run bench -- [--json] [--rounds <n>] [<key>…]`: what the runtime adds to what the machine does at best. Each round measures a workload between two
 * measurements of its floor. Put TMPDIR on the disk that matters: the journal's speed is the disk's.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { tableOf, type Row } from './table.js';
import { resultOf, type Result, type Sample, type Workload } from './workload.js';
import { agents, realAgents } from './workloads/agents.js';
import { coldRun, coldVersion } from './workloads/cold.js';
import { fanout, rssMiB } from './workloads/fanout.js';
import { garden, gardenUnchanged } from './workloads/garden.js';
import { relay } from './workloads/relay.js';
import { replay, resume } from './workloads/resume.js';
import { noop, shell } from './workloads/steps.js';
import { storeKiB } from './workloads/store.js';

const WORKLOADS: readonly Workload[] = [noop, shell, fanout, resume, replay, coldRun, coldVersion, storeKiB, rssMiB, agents, garden, gardenUnchanged];

/** Only measured when they are asked for by key: what is installed differs, and a round takes seconds. */
const ON_REQUEST: readonly Workload[] = [...realAgents, ...relay];

async function measured(workload: Workload, rounds: number, folder: string): Promise<Result> {
  process.stderr.write(`${workload.key}: ${workload.title} …\n`);
  if (workload.rounds > 1) await workload.measure(folder);
  const samples: Sample[] = [];
  for (let round = 0; round < rounds; round += 1) samples.push(await workload.measure(folder));
  return resultOf(samples);
}

function selected(keys: readonly string[]): readonly Workload[] {
  const known = [...WORKLOADS, ...ON_REQUEST];
  const unknown = keys.filter((key) => !known.some((workload) => workload.key === key));
  if (unknown.length > 0) {
    process.stderr.write(`There is no workload called ${unknown.join(', ')}. The workloads are: ${known.map(({ key }) => key).join(', ')}.\n`);
    process.exit(2);
  }
  return keys.length === 0 ? WORKLOADS : known.filter(({ key }) => keys.includes(key));
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: 'boolean', default: false }, rounds: { type: 'string' } } });
const workloads = selected(positionals);
const folder = await mkdtemp(join(tmpdir(), 'relayflows-bench-'));
try {
  const rows: Row[] = [];
  for (const workload of workloads) rows.push({ workload, result: await measured(workload, Number(values.rounds ?? workload.rounds), folder) });
  const output = values.json ? JSON.stringify(Object.fromEntries(rows.map(({ workload, result }) => [workload.key, result])), null, 2) : tableOf(rows);
  process.stdout.write(`${output}\n`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
