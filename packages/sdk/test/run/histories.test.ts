import { flow, type FlowHandle } from '@relayflows/surface';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryJournal } from '../../src/journal/memory.js';
import type { RunRecord, StepRecord } from '../../src/journal/port.js';
import type { Shell } from '../../src/process/port.js';
import { bench, type Bench } from './harness.js';

/**
 * Histories that earlier versions recorded, each with the verdict they came to. A version that replays one differently has changed the engine: that
 * needs a number in `run/flags.ts`, and the old behaviour for these. Record new ones with `RECORD_HISTORIES=<folder name>`; never record over old ones.
 */
const HISTORIES = new URL('../../testdata/histories/', import.meta.url);

const flows: Record<string, FlowHandle> = {
  sequential: flow('sequential', async (f) => {
    await f.uuid();
    await f.run('echo one');
    await f.run('exit 3', { onNonZero: 'record' });
    await f.run('echo two').gate((output) => output === 'two\n');
    f.done('success');
  }),
  branches: flow('branches', { hooks: ['check'] }, async (f) => {
    const branch = async (name: string, pause: string): Promise<string> => {
      await f.run(`sleep ${pause}; echo ${name}`);
      await Promise.resolve();
      await f.uuid();
      return f.run(`echo ${name} again`);
    };
    const first = await Promise.race([branch('slow', '0.3'), branch('fast', '0.1')]);
    const settled = await Promise.allSettled([branch('a', '0.05'), f.sleep(20), f.hook('check', { first })]);
    f.done(settled.every(({ status }) => status === 'fulfilled') ? 'success' : 'step_failed');
  }),
  failing: flow('failing', async (f) => {
    try {
      await f.run('exit 9');
    } finally {
      await f.run('echo cleaned');
    }
    f.done('success');
  }),
};

interface Recorded {
  readonly flow: string;
  readonly run: Pick<RunRecord, 'flags' | 'input'>;
  readonly steps: readonly StepRecord[];
  readonly verdict: { readonly status: string; readonly reason: string; readonly code?: string };
}

let on: Bench | undefined;
afterEach(() => on?.dispose());

/** A shell that must not be used: in a replay every outcome is there. */
const noShell: Shell = {
  run() {
    throw new Error('a replay started a process');
  },
};

async function record(name: string): Promise<Recorded> {
  const subject = flows[name]!;
  on = bench(flows);
  const runtime = on.runtime();
  const handle = runtime.run(subject, { cwd: on.dir, input: { name } });
  const report = await handle.result;
  const { run, steps } = await runtime.status(handle.id);
  const code = run.completion?.error?.code;
  return { flow: name, run: { flags: run.flags, input: run.input }, steps, verdict: { status: report.status, reason: report.completionReason ?? '', ...(code === undefined ? {} : { code }) } };
}

const recordInto = process.env['RECORD_HISTORIES'];
if (recordInto !== undefined) {
  it.each(Object.keys(flows))('records %s', async (name) => {
    const folder = new URL(`${recordInto}/`, HISTORIES);
    mkdirSync(folder, { recursive: true });
    const recorded = JSON.stringify(await record(name), null, 2).replaceAll(on?.dir ?? '', '/run');
    writeFileSync(new URL(`${name}.json`, folder), `${recorded}\n`, { flag: 'wx' });
  });
}

describe('a recorded history', () => {
  const files = readdirSync(HISTORIES, { recursive: true }).map(String).filter((file) => file.endsWith('.json')).sort();
  it('is there', () => expect(files.length).toBeGreaterThanOrEqual(3));

  it.each(files)('%s leads to the same verdict, and nothing happens again', async (file) => {
    const recorded = JSON.parse(readFileSync(new URL(file, HISTORIES), 'utf8')) as Recorded;
    on = bench(flows);
    const journal = createMemoryJournal({ store: on.store });
    const owner = { host: 'another', token: 't', pid: 1, startTime: '1', bootId: 'b' };
    const { runId, epoch } = await journal.createRun({
      run: { id: 'recorded', flowName: recorded.flow, source: { kind: 'registered', name: recorded.flow, version: '1.0.0' }, cwd: on.dir, createdAt: 1, ...recorded.run },
      owner, leaseUntil: 0,
    });
    await journal.started({ durable: true, records: recorded.steps.filter(({ startedAt }) => startedAt !== undefined).map((step) => ({ runId, epoch, at: step.startedAt ?? 0, ...step })) });
    await journal.completed({ records: recorded.steps.filter(({ outcome }) => outcome !== undefined).map((step) => ({ runId, epoch, ...step })) });
    const report = await on.runtime({ shell: noShell }).resume('recorded').result;
    const error = report.diagnostics.find(({ severity }) => severity === 'error')?.code;
    expect({ status: report.status, reason: report.completionReason, ...(error === undefined ? {} : { code: error }) }).toEqual(recorded.verdict);
  });
});
