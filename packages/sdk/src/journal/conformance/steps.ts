import assert from 'node:assert/strict';
import type { ClaimRef, CompletedRecord, Journal, StartedRecord, StepKind, StepRecord } from '../port.js';
import { begin, completedStep, FINGERPRINT, NOW, startedStep, type Scenario } from './scenario.js';

const KINDS: readonly StepKind[] = ['run', 'llm', 'agent', 'human', 'dispatch', 'hook', 'sleep', 'now', 'uuid', 'signal', 'external'];

export const stepScenarios: readonly Scenario[] = [
  {
    name: 'a started step is remembered with all that was given',
    async play({ journal }) {
      const claim = await begin(journal);
      const { at, ...members } = startedMembers({
        kind: 'human', label: 'ops', request: { question: 'go?', to: 'ops' }, wait: { type: 'human', question: 'go?', to: 'ops', dueAt: NOW },
      });
      await journal.started({ records: [{ ...claim, ...members, at }], durable: true });
      assert.deepEqual(await journal.history({ runId: 'run-a' }), [{ ...members, startedAt: at }]);
    },
  },
  {
    name: 'an outcome is remembered with all that was given, whether or not a start was',
    async play({ journal }) {
      const claim = await begin(journal);
      const members = {
        stepId: 'agent-1', kind: 'agent', label: 'coder', fingerprint: FINGERPRINT, request: { task: 'x' }, attempt: 3, startedAt: NOW, endedAt: NOW + 7,
        outcome: { ok: true, value: { summary: 'done', artifacts: [] } }, gate: { passed: false, error: { code: 'gate_failed', text: 'No.', hint: 'Yes.' } },
        spend: { wallclock: 1234, tokens: 56, microDollars: 789, unmetered: true }, position: 4, created: 9,
      } as const;
      await journal.started({ records: [startedStep(claim, 2)], durable: false });
      await journal.completed({ records: [{ ...claim, ...members, seq: 1 }, { ...claim, ...members, seq: 2 }] });
      assert.deepEqual(await journal.history({ runId: 'run-a' }), [{ ...members, seq: 1 }, { ...members, seq: 2 }]);
    },
  },
  {
    name: 'every kind of step and every shape of outcome comes back as it was',
    async play({ journal }) {
      const claim = await begin(journal);
      const outcomes: readonly CompletedRecord['outcome'][] = [
        { ok: true }, { ok: true, value: null }, { ok: true, value: '' }, { ok: true, value: false }, { ok: true, value: 0 },
        { ok: true, value: [1.25, -1e300, 9_007_199_254_740_991] }, { ok: true, value: { a: { b: [] }, 'c d': '\u0000\ud83c\udf31\u2028"\\' } },
        { ok: true, value: 'x'.repeat(1_048_576) }, { ok: false, error: { code: 'step_failed', text: 'Exit 1.' } },
        { ok: false, error: { code: 'worker_error', text: 'Broken.', hint: 'Mend.', completionReason: 'crashed', evidence: { exitCode: 1, tail: ['a'] } } }, undefined,
      ];
      const records = outcomes.map((outcome, index) => completedMembers(claim, index + 1, KINDS[index] as StepKind, outcome));
      await journal.completed({ records });
      assert.deepEqual(await journal.history({ runId: 'run-a' }), records.map(({ runId: _runId, epoch: _epoch, ...row }) => row));
    },
  },
  {
    name: 'a fingerprint that is not 32 hexadecimal digits survives all the same',
    async play({ journal }) {
      const claim = await begin(journal);
      const fingerprints = ['0'.repeat(32), 'ABCDEF0123456789ABCDEF0123456789', 'abc', ''];
      await journal.completed({ records: fingerprints.map((fingerprint, index) => completedStep(claim, index + 1, { fingerprint })) });
      assert.deepEqual((await journal.history({ runId: 'run-a' })).map(({ fingerprint }) => fingerprint), fingerprints);
    },
  },
  {
    name: 'history is ordered by the number of the step, not by when it was written',
    async play({ journal }) {
      const claim = await begin(journal);
      for (const seq of [3, 1, 300, 2]) await journal.completed({ records: [completedStep(claim, seq)] });
      assert.deepEqual((await journal.history({ runId: 'run-a' })).map(({ seq }) => seq), [1, 2, 3, 300]);
    },
  },
  {
    name: 'runs do not see the steps of others',
    async play({ journal }) {
      const [a, b] = [await begin(journal, 'run-a'), await begin(journal, 'run-b')];
      await journal.completed({ records: [completedStep(a, 1, { outcome: { ok: true, value: 'a' } }), completedStep(b, 1, { outcome: { ok: true, value: 'b' } })] });
      assert.deepEqual((await journal.history({ runId: 'run-a' })).map(({ outcome }) => outcome), [{ ok: true, value: 'a' }]);
      assert.deepEqual((await journal.history({ runId: 'run-b' })).map(({ outcome }) => outcome), [{ ok: true, value: 'b' }]);
    },
  },
  {
    name: 'another attempt keeps the progress and what it does not name',
    async play({ journal }) {
      const claim = await begin(journal);
      const progress = { processes: [{ pid: 1, startTime: '2', bootId: 'b' }], sessionId: 's', spend: { wallclock: 1, tokens: 2, microDollars: 3 }, retryAt: NOW, extra: [1] };
      await journal.started({ records: [startedStep(claim, 1, { label: 'first', request: { command: 'true' } })], durable: false });
      await journal.progressed({ records: [{ ...claim, seq: 1, attempt: 1, progress }] });
      await journal.started({ records: [startedStep(claim, 1, { attempt: 2, at: NOW + 50 })], durable: false });
      assert.deepEqual(await step(journal), {
        seq: 1, stepId: 'run-1', kind: 'run', label: 'first', fingerprint: FINGERPRINT, request: { command: 'true' }, attempt: 2, startedAt: NOW + 50, progress,
      });
    },
  },
  {
    name: 'progress is replaced whole',
    async play({ journal }) {
      const claim = await begin(journal);
      await journal.started({ records: [startedStep(claim, 1)], durable: false });
      await journal.progressed({ records: [{ ...claim, seq: 1, attempt: 1, progress: { sessionId: 's' } }, { ...claim, seq: 1, attempt: 1, progress: { retryAt: 5 } }] });
      assert.deepEqual((await step(journal)).progress, { retryAt: 5 });
    },
  },
  {
    name: 'progress of an earlier attempt, of no step, or of a step with an outcome is left out without complaint',
    async play({ journal }) {
      const claim = await begin(journal);
      await journal.started({ records: [startedStep(claim, 1, { attempt: 2 })], durable: false });
      await journal.completed({ records: [completedStep(claim, 2)] });
      const records = [1, 2, 3].map((seq) => ({ ...claim, seq, attempt: 1, progress: { sessionId: 'late' } }));
      assert.deepEqual(await journal.progressed({ records }), { stale: [] });
      const steps = await journal.history({ runId: 'run-a' });
      assert.deepEqual(steps.map(({ seq, progress }) => [seq, progress]), [[1, undefined], [2, undefined]]);
    },
  },
  {
    name: 'a step that has an outcome does not start again',
    async play({ journal }) {
      const claim = await begin(journal);
      await journal.completed({ records: [completedStep(claim, 1)] });
      const before = await step(journal);
      assert.deepEqual(await journal.started({ records: [startedStep(claim, 1, { attempt: 2 })], durable: true }), { stale: [] });
      assert.deepEqual(await step(journal), before);
    },
  },
  {
    name: 'an outcome, a verdict and a turn may come one after the other',
    async play({ journal }) {
      const claim = await begin(journal);
      const spend = { wallclock: 10, tokens: 0, microDollars: 0, unmetered: true };
      await journal.completed({ records: [completedStep(claim, 1, { label: 'l', request: 'r', startedAt: NOW, outcome: { ok: true, value: 'v' }, spend })] });
      const rest: CompletedRecord = { ...claim, seq: 1, stepId: 'run-1', kind: 'run', fingerprint: FINGERPRINT, attempt: 1 };
      await journal.completed({ records: [{ ...rest, gate: { passed: true } }] });
      await journal.completed({ records: [{ ...rest, position: 1, created: 2 }] });
      assert.deepEqual(await step(journal), {
        seq: 1, stepId: 'run-1', kind: 'run', fingerprint: FINGERPRINT, attempt: 1, label: 'l', request: 'r', startedAt: NOW, endedAt: NOW + 1,
        outcome: { ok: true, value: 'v' }, gate: { passed: true }, spend, position: 1, created: 2,
      });
    },
  },
  {
    name: 'an outcome, a verdict and spending are replaced whole',
    async play({ journal }) {
      const claim = await begin(journal);
      const error = { code: 'gate_failed', text: 'No.' };
      await journal.completed({ records: [completedStep(claim, 1, { gate: { passed: false, error }, spend: { wallclock: 1, tokens: 2, microDollars: 3, unmetered: true } })] });
      await journal.completed({ records: [completedStep(claim, 1, { outcome: { ok: true }, gate: { passed: true }, spend: { wallclock: 4, tokens: 5, microDollars: 6 } })] });
      const { outcome, gate, spend } = await step(journal);
      assert.deepEqual({ outcome, gate, spend }, { outcome: { ok: true }, gate: { passed: true }, spend: { wallclock: 4, tokens: 5, microDollars: 6 } });
    },
  },
  {
    name: 'the place in the order of delivery is final; how many steps there were may be corrected',
    async play({ journal }) {
      const claim = await begin(journal);
      await journal.completed({ records: [completedStep(claim, 1, { position: 5, created: 8 }), completedStep(claim, 1, { position: 6, created: 9 })] });
      const { position, created } = await step(journal);
      assert.deepEqual([position, created], [5, 9]);
    },
  },
  {
    name: 'money is summed by flow and by the end of the outcome',
    async play({ journal }) {
      const [a, b, other] = [await begin(journal, 'run-a'), await begin(journal, 'run-b'), await begin(journal, 'run-c', { flowName: 'other' })];
      const spent = (claim: ClaimRef, seq: number, microDollars: number, endedAt: number): CompletedRecord =>
        completedStep(claim, seq, { endedAt, spend: { wallclock: 1, tokens: 1, microDollars } });
      await journal.completed({
        records: [spent(a, 1, 1, NOW - 1), spent(a, 2, 20, NOW), spent(b, 1, 300, NOW + 1), spent(b, 2, 0, NOW + 1), spent(other, 1, 4_000, NOW), completedStep(a, 3)],
      });
      assert.equal(await journal.charged({ flowName: 'hello', since: NOW }), 320);
      assert.equal(await journal.charged({ flowName: 'hello', since: 0 }), 321);
      assert.equal(await journal.charged({ flowName: 'other', since: 0 }), 4_000);
    },
  },
];

function startedMembers(members: Partial<StartedRecord>): Omit<StartedRecord, 'runId' | 'epoch'> {
  return { seq: 1, stepId: 'human-1', kind: 'human', fingerprint: FINGERPRINT, attempt: 1, at: NOW, ...members };
}

function completedMembers(claim: ClaimRef, seq: number, kind: StepKind, outcome: CompletedRecord['outcome']): CompletedRecord {
  return { ...claim, seq, stepId: `${kind}-${seq}`, kind, fingerprint: FINGERPRINT, attempt: 1, ...(outcome === undefined ? {} : { outcome }) };
}

async function step(journal: Journal): Promise<StepRecord> {
  const [only, ...others] = await journal.history({ runId: 'run-a' });
  assert.ok(only !== undefined && others.length === 0);
  return only;
}
