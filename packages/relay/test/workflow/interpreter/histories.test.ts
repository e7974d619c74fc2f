import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createMemoryJournal, createRedactor, createRuntime, type Journal, type Runtime, type RunRecord, type StepRecord } from '@relayflows/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { TICKET_FLOW, ticketFlow } from '../../../src/server/runs/ticket-flow.js';
import { ticketRedactor } from '../../../src/server/runs/ticket-redactor.js';
import { visitSignal, type VisitMessage } from '../../../src/workflow/interpreter/input.js';
import { activitiesOf, INPUT, LOGICAL, report, type World } from './stage.js';

/**
 * Histories that earlier versions of the interpreter recorded, each with what it did next. A version that goes on differently has changed the engine: that needs a
 * number in `flags.ts`, and the old behaviour for these. Record new ones with `RECORD_HISTORIES=<folder name>`; never record over old ones.
 */
const HISTORIES = new URL('../../../testdata/histories/', import.meta.url);

interface Recorded {
  readonly run: Pick<RunRecord, 'flags' | 'input'>;
  readonly steps: readonly StepRecord[];
  /** Of the visit that waits; absent for a run that ended. */
  readonly visit?: string;
  readonly status: string;
  /** What is done after a report of success that goes on to `check`, or to the end. */
  readonly next: readonly string[];
}

/** What is told to the run, one message after each rest. */
const STORIES: Readonly<Record<string, readonly VisitMessage[]>> = {
  'first-wait': [],
  'around-the-loop': [
    { type: 'report', reportId: 'r1', report: report('build', 'failure') }, { type: 'relaunch' }, { type: 'relaunch', remark: 'again' },
    { type: 'report', reportId: 'r2', report: report('check') }, { type: 'report', reportId: 'r3', report: report('build', 'failure') },
  ],
  'after-a-snapshot': Array.from({ length: 20 }, (_, index) => ({ type: 'report' as const, reportId: `r${index}`, report: report('build', 'failure') })),
  'to-the-end': [{ type: 'report', reportId: 'r1', report: report('check') }, { type: 'report', reportId: 'r2', report: report('end') }],
};

const runtimes: Runtime[] = [];
afterEach(async () => {
  await Promise.all(runtimes.splice(0).map((runtime) => runtime.close()));
});

function runtimeOn(journal: Journal, world: World): Runtime {
  const runtime = createRuntime({ journal, redact: ticketRedactor(createRedactor({ env: {} })), flows: { [TICKET_FLOW.name]: { version: TICKET_FLOW.version, flow: ticketFlow(() => activitiesOf(world)) } } });
  runtimes.push(runtime);
  return runtime;
}

function freshWorld(): World {
  return { calls: [], visit: '', node: '', fail: new Map() };
}

async function goOn(runtime: Runtime, visit: string | undefined): Promise<void> {
  if (visit !== undefined) await runtime.signal({ runId: LOGICAL, name: visitSignal(visit), payload: { type: 'report', reportId: 'next', report: report('check') } as never });
  await runtime.resume(LOGICAL).result;
}

async function record(messages: readonly VisitMessage[]): Promise<Recorded> {
  const journal = createMemoryJournal();
  const world = freshWorld();
  const runtime = runtimeOn(journal, world);
  let { status } = await runtime.run(TICKET_FLOW.name, { id: LOGICAL, input: INPUT }).result;
  for (const message of messages) {
    await runtime.signal({ runId: LOGICAL, name: visitSignal(world.visit), payload: message as never });
    ({ status } = await runtime.resume(LOGICAL).result);
  }
  const { run, steps } = await runtime.status(LOGICAL);
  const visit = status === 'parked' ? world.visit : undefined;
  world.calls.length = 0;
  await goOn(runtime, visit);
  return { run: { flags: run.flags, input: run.input }, steps, ...(visit === undefined ? {} : { visit }), status, next: [...world.calls] };
}

const recordInto = process.env['RECORD_HISTORIES'];
if (recordInto !== undefined) {
  it.each(Object.entries(STORIES))('records %s', async (name, messages) => {
    const folder = new URL(`${recordInto}/`, HISTORIES);
    mkdirSync(folder, { recursive: true });
    writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(await record(messages), null, 2)}\n`, { flag: 'wx' });
  });
}

describe('a recorded history of a ticket', () => {
  const files = readdirSync(HISTORIES, { recursive: true }).map(String).filter((file) => file.endsWith('.json')).sort();
  it('is there', () => expect(files.length).toBeGreaterThanOrEqual(4));

  it.each(files)('%s is walked the same way, and nothing is done again', async (file) => {
    const recorded = JSON.parse(readFileSync(new URL(file, HISTORIES), 'utf8')) as Recorded;
    const journal = createMemoryJournal();
    const owner = { host: 'another', token: 't', pid: 1, startTime: '1', bootId: 'b' };
    const { runId, epoch } = await journal.createRun({
      run: { id: LOGICAL, flowName: TICKET_FLOW.name, source: { kind: 'registered', ...TICKET_FLOW }, cwd: '/', createdAt: 1, ...recorded.run }, owner, leaseUntil: 0,
    });
    await journal.started({ durable: true, records: recorded.steps.filter(({ startedAt }) => startedAt !== undefined).map((step) => ({ runId, epoch, at: step.startedAt ?? 0, ...step })) });
    await journal.completed({ records: recorded.steps.filter(({ outcome }) => outcome !== undefined).map((step) => ({ runId, epoch, ...step })) });
    const world = freshWorld();
    const runtime = runtimeOn(journal, world);
    const { status } = await runtime.resume(LOGICAL).result;
    expect([status, world.calls]).toEqual([recorded.status, []]);
    await goOn(runtime, recorded.visit);
    expect(world.calls).toEqual(recorded.next);
  });
});
