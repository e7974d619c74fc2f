import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryJournal, createMemoryStore, type MemoryStore } from '../../src/journal/memory.js';
import type { Claim, Journal, StepProgress } from '../../src/journal/port.js';
import type { Clock } from '../../src/ports/clock.js';
import { Account } from '../../src/run/account.js';
import type { BodyScope } from '../../src/run/body-scope.js';
import { parseBudget } from '../../src/run/budget.js';
import { EffectRunner, type EffectEnd } from '../../src/run/effect-runner.js';
import { JournalWriter } from '../../src/run/journal-writer.js';
import { Ledger } from '../../src/run/ledger.js';
import { LiveStep } from '../../src/run/live-step.js';
import type { SessionFacts } from '../../src/run/services.js';
import { NOTHING_SPENT } from '../../src/run/spend.js';
import type { AttemptContext, AttemptResult, EffectAction } from '../../src/run/step-spec.js';

const MINUTE = 60_000;

let time: number;
/** Timers pass at once and take the time with them. */
const clock: Clock = {
  now: () => time,
  monotonic: () => time,
  setTimer(ms, callback) {
    const handle = setImmediate(() => {
      time += Math.max(0, ms);
      callback();
    });
    return { cancel: () => clearImmediate(handle) };
  },
};

let store: MemoryStore;
let journal: Journal;
let claim: Claim;

beforeEach(async () => {
  time = 1_000_000;
  store = createMemoryStore();
  journal = createMemoryJournal({ store });
  claim = await journal.createRun({
    run: { id: 'run-a', flowName: 'subject', source: { kind: 'registered', name: 'subject', version: '1' }, input: null, cwd: '/', createdAt: time, flags: [] },
    owner: { pid: 1, startTime: '1', bootId: 'b', host: 'h', token: 't' }, leaseUntil: time + MINUTE,
  });
});
afterEach(() => journal.close());

const failed: AttemptResult = { outcome: { ok: false, error: { code: 'step_failed', text: 'No.' } } };
const fine: AttemptResult = { outcome: { ok: true } };
/** An attempt of a process that dies meanwhile. */
const never = new Promise<never>(() => undefined);

interface Begun {
  readonly end: Promise<EffectEnd>;
  readonly runner: EffectRunner;
  readonly attempts: AttemptContext[];
}

/** Executes the one step of the run as a process does that starts now. Each act is one attempt. */
async function begin(acts: readonly ((attempt: AttemptContext) => Promise<AttemptResult>)[], options: Partial<EffectAction> & { readonly budget?: string } = {}): Promise<Begun> {
  const { budget, ...action } = options;
  const services = { clock, writer: new JournalWriter(journal), redact: { text: (text: string) => text, json: (value: unknown) => value } };
  const facts = { services, claim, run: { runId: 'run-a', dataDir: '/' }, emit: () => undefined, warn: () => undefined } as unknown as SessionFacts;
  const history = await journal.history({ runId: 'run-a' });
  const account = new Account(budget === undefined ? undefined : parseBudget(budget), () => journal.charged({ flowName: 'subject', since: 0 }));
  const runner = new EffectRunner({ facts, account, ledger: new Ledger(history), release: undefined });
  const attempts: AttemptContext[] = [];
  const effect: EffectAction = {
    mode: 'effect',
    retry: (_failure, attempt) => (attempt < 3 ? { delayMs: 10 } : undefined),
    execute: (attempt) => {
      attempts.push(attempt);
      const act = acts[attempts.length - 1];
      if (act === undefined) throw new Error('one attempt too many');
      return act(attempt);
    },
    ...action,
  };
  const step = new LiveStep({ seq: 1, id: 'run-1', spec: { kind: 'run', action: effect }, scope: {} as BodyScope });
  return { end: runner.run(step, effect), runner, attempts };
}

const progress = async (): Promise<StepProgress | undefined> => (await journal.history({ runId: 'run-a' }))[0]?.progress;

/** Waits for the attempt with this number, and for what it recorded. */
async function reached(begun: Begun, count: number): Promise<void> {
  while (begun.attempts.length < count) await new Promise((resolve) => setImmediate(resolve));
  await begun.runner.recordProgress();
}

describe('after a crash', () => {
  it('failures before it still count', async () => {
    await reached(await begin([async () => failed, () => never]), 2);
    const again = await begin([async () => failed, async () => failed]);
    expect(await again.end).toMatchObject({ type: 'outcome', attempt: 4, outcome: { ok: false } });
  });

  it('the time limit lacks what the lost attempts used, not what failed ones did', async () => {
    const timeoutMs = 15 * MINUTE;
    await reached(await begin([
      async () => {
        time += 10 * MINUTE;
        return failed;
      },
      async () => {
        time += MINUTE;
        return never;
      },
    ], { timeoutMs }), 2);
    const second = await begin([async () => {
      time += 2 * MINUTE;
      return never;
    }], { timeoutMs });
    await reached(second, 1);
    expect(second.attempts[0]).toMatchObject({ attempt: 3, resumed: true, timeoutMs: 14 * MINUTE });
    const third = await begin([async () => fine], { timeoutMs });
    expect(await third.end).toMatchObject({ spend: { wallclock: 13 * MINUTE } });
    expect(third.attempts[0]).toMatchObject({ attempt: 4, timeoutMs: 12 * MINUTE });
  });

  it("between two attempts nothing was in flight for onCrash: 'fail'", async () => {
    const slow = await begin([async () => failed, () => never], { retry: () => ({ delayMs: 10 * MINUTE }) });
    while ((await progress())?.retryAt === undefined) await Promise.resolve();
    expect(slow.attempts).toHaveLength(1);
    const again = await begin([async () => fine], { onCrash: 'fail' });
    expect(await again.end).toMatchObject({ outcome: { ok: true }, attempt: 2 });
    expect(again.attempts[0]).toMatchObject({ resumed: false });
  });

  it('a clock that was set back makes no attempt wait longer than was decided', async () => {
    await begin([async () => failed, () => never], { retry: () => ({ delayMs: 10 * MINUTE }) });
    while ((await progress())?.retryAt === undefined) await Promise.resolve();
    const since = (time -= 24 * 60 * MINUTE);
    const again = await begin([async () => fine]);
    expect(await again.end).toMatchObject({ outcome: { ok: true }, attempt: 2 });
    // Its own wait, and that of the process that was still at it.
    expect(time - since).toBeLessThanOrEqual(20 * MINUTE);
  });

  it("in a later attempt onCrash: 'fail' holds, whether or not it had recorded anything", async () => {
    const begun = await begin([async () => failed, () => never]);
    while (begun.attempts.length < 2) await new Promise((resolve) => setImmediate(resolve));
    const again = await begin([], { onCrash: 'fail' });
    expect(await again.end).toMatchObject({ outcome: { ok: false, error: { code: 'crashed' } } });
  });
});

it('every progress record carries the time of the attempt, and no wait for its turn', async () => {
  const begun = await begin([async (attempt) => {
    await attempt.turn(async () => {
      time += 7 * MINUTE;
      await begun.runner.recordProgress();
    });
    time += 5 * MINUTE;
    attempt.progress({ sessionId: 's1' });
    return never;
  }]);
  while ((await progress())?.sessionId === undefined) await new Promise((resolve) => setImmediate(resolve));
  expect(await progress()).toMatchObject({ spend: { wallclock: 5 * MINUTE }, elapsed: 5 * MINUTE });
});

it('a daily budget sees what the attempts of the step itself cost', async () => {
  const begun = await begin([async () => ({ ...failed, spend: { ...NOTHING_SPENT, microDollars: 3_000_000 } }), async () => fine], { budget: '$2/day' });
  expect(await begun.end).toMatchObject({ outcome: { ok: false, error: { code: 'budget_exceeded' } } });
  expect(begun.attempts).toHaveLength(1);
});
