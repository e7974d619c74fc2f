import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isFlowsError } from '../../src/errors/flows-error.js';
import { completedStep, newRun, NOW, observed, owner, startedStep } from '../../src/journal/conformance/scenario.js';
import { createMemoryJournal } from '../../src/journal/memory.js';
import type { CompletedRecord, Journal, StepKind } from '../../src/journal/port.js';
import { openSqliteJournal } from '../../src/journal/sqlite/open.js';
import { temporaryFolder } from './child.js';

const RUNS = ['run-a', 'run-b', 'run-c', 'other-d'] as const;
const OPERATIONS = 120;

/** A call that can be made to any journal, with arguments drawn beforehand. */
type Call = (journal: Journal) => Promise<unknown>;

/** Mulberry32: a failure names its seed, and the seed repeats it. */
function random(seed: number): { readonly below: (limit: number) => number; readonly one: <T>(values: readonly T[]) => T; readonly chance: (probability: number) => boolean } {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { below, one: (values) => values[below(values.length)]!, chance: (probability) => next() < probability };
}

type Random = ReturnType<typeof random>;

function drawClaim(r: Random): { readonly runId: string; readonly epoch: number } {
  return { runId: r.one(RUNS), epoch: 1 + r.below(3) };
}

function drawCompleted(r: Random): CompletedRecord {
  const maybe = <T>(key: string, value: T): object => (r.chance(0.5) ? { [key]: value } : {});
  const outcome = r.one([{ ok: true }, { ok: true, value: null }, { ok: true, value: { n: r.below(9) } }, { ok: false, error: { code: 'step_failed', text: `${r.below(9)}` } }] as const);
  const { outcome: _outcome, endedAt: _endedAt, ...identity } = completedStep(drawClaim(r), 1 + r.below(5), { attempt: 1 + r.below(3), kind: r.one<StepKind>(['run', 'agent', 'uuid']) });
  return {
    ...identity,
    ...maybe('outcome', outcome), ...maybe('endedAt', NOW + r.below(10)), ...maybe('startedAt', NOW), ...maybe('label', `l${r.below(3)}`), ...maybe('request', [r.below(3)]),
    ...maybe('gate', r.chance(0.5) ? { passed: true } : { passed: false, error: { code: 'gate_failed', text: `${r.below(9)}` } }),
    ...maybe('spend', { wallclock: r.below(9), tokens: r.below(9), microDollars: r.below(9), ...(r.chance(0.5) ? { unmetered: r.chance(0.5) } : {}) }),
    ...maybe('position', r.below(9)), ...maybe('created', r.below(9)),
  };
}

function drawCall(r: Random): Call {
  const claim = drawClaim(r);
  const { runId } = claim;
  const name = r.one(['go', 'stop']);
  const seq = 1 + r.below(5);
  const attempt = 1 + r.below(3);
  const at = NOW + r.below(100);
  const flowName = r.one(['one', 'two']);
  const few = <T>(draw: () => T): T[] => Array.from({ length: 1 + r.below(4) }, draw);
  switch (r.below(16)) {
    case 0: return (j) => j.createRun({ run: newRun(runId, { flowName, input: seq }), source: { digest: name, content: flowName }, owner: owner(name), leaseUntil: at });
    case 1: return (j) => j.claim({ runId, owner: owner(name), now: at, leaseUntil: at + 5, ...(seq < 4 ? { takeOver: claim.epoch } : {}) });
    case 2: {
      const host = r.one(['here', 'there']);
      return (j) => j.claim({ runId, owner: owner(name, host), now: at, leaseUntil: at + 5 });
    }
    case 3: {
      const claims = few(() => drawClaim(r));
      return (j) => j.heartbeat({ claims, leaseUntil: at });
    }
    case 4:
    case 5: {
      const records = few(() => startedStep(drawClaim(r), 1 + r.below(5), { attempt: 1 + r.below(3), ...(r.chance(0.5) ? { label: `l${r.below(3)}`, wait: { type: 'signal', signal: name } } : { request: { n: r.below(3) } }) }));
      return (j) => j.started({ records, durable: seq === 1 });
    }
    case 6: return (j) => j.progressed({ records: [{ ...claim, seq, attempt, progress: { sessionId: name, extra: at } }] });
    case 7:
    case 8:
    case 9: {
      const records = few(() => drawCompleted(r));
      return (j) => j.completed({ records });
    }
    case 10: return (j) => j.signal({ runId, name, payload: at, at, once: seq === 1 });
    case 11: return (j) => j.takeSignal({ ...claim, name, seq });
    case 12: return (j) => j.park({ ...claim, status: attempt === 1 ? 'parked' : 'interrupted', at, ...(seq < 3 ? { wakeAt: at } : {}) });
    case 13: return seq > 1 ? (j) => j.markHumanInfluenced({ runId }) : (j) => j.finish({ ...claim, status: 'failed', completion: { reason: 'step_failed', detail: name }, at });
    case 14: return (j) => j.adoptSource({ ...claim, ref: { kind: 'sealed', digest: name, path: flowName }, source: { digest: name, content: flowName } });
    default: return (j) => j.list({ limit: seq, ...(seq === 1 ? { statuses: ['parked', 'running'] } : { flowName }), ...(seq === 2 ? { wakeBefore: at } : {}), ...(seq === 3 ? { idPrefix: 'run' } : {}) });
  }
}

/** What a call answers or refuses, in a form that can be compared. */
async function outcome(call: Promise<unknown>): Promise<unknown> {
  return call.catch((error: unknown) => {
    if (isFlowsError(error)) return error.toJSON();
    throw error;
  });
}

async function everything(journal: Journal): Promise<unknown> {
  const runs = await Promise.all(RUNS.map((runId) => observed(journal, runId)));
  const charged = await Promise.all(['one', 'two'].flatMap((flowName) => [0, NOW + 5].map((since) => journal.charged({ flowName, since }))));
  const sources = await Promise.all(['go', 'stop'].map((digest) => journal.source({ digest })));
  return { runs, charged, sources, list: await journal.list({ limit: 100 }) };
}

/** Calls that are made at once share turns of the event loop, and so commits. */
test.each([[1, 1], [2, 1], [3, 3], [4, 3], [5, 8], [6, 40]])('random calls mean the same to memory and to SQLite (seed %i, %i calls at once)', async (seed, atOnce) => {
  const path = join(await temporaryFolder(), 'journal.sqlite3');
  const memory = createMemoryJournal();
  let sqlite = await openSqliteJournal({ path });
  const r = random(seed);
  for (let done = 0; done < OPERATIONS; done += atOnce) {
    const calls = Array.from({ length: atOnce }, () => drawCall(r));
    const expected = await Promise.all(calls.map((call) => outcome(call(memory))));
    expect(await Promise.all(calls.map((call) => outcome(call(sqlite))))).toEqual(expected);
    if (r.chance(0.1)) {
      await sqlite.close();
      sqlite = await openSqliteJournal({ path });
    }
    expect(await everything(sqlite)).toEqual(await everything(memory));
  }
  await sqlite.close();
});
