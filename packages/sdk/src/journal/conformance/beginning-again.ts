import assert from 'node:assert/strict';
import { begin, completedStep, newRun, NOW, owner, refuses, startedStep, type Scenario } from './scenario.js';

export const beginningAgainScenarios: readonly Scenario[] = [
  {
    name: 'a run that begins again has another input, no history and no owner, and is otherwise what it was',
    async play({ journal }) {
      const claim = await begin(journal, 'run-a', { input: { n: 1 }, flags: [1, 7], flowVersion: '2' });
      await journal.completed({ records: [completedStep(claim, 1, { position: 1, created: 1 })] });
      await journal.started({ records: [startedStep(claim, 2)], durable: false });
      await journal.continueAs({ ...claim, input: { n: 2 }, forget: [], at: NOW + 9 });
      assert.deepEqual(await journal.run({ runId: 'run-a' }), {
        ...newRun('run-a', { input: { n: 2 }, flags: [1, 7], flowVersion: '2' }), status: 'interrupted', epoch: 1, updatedAt: NOW + 9, humanInfluenced: false,
      });
      assert.deepEqual(await journal.history({ runId: 'run-a' }), []);
    },
  },
  {
    name: 'a run that begins again is claimed by anybody, and the steps of before are no more',
    async play({ journal }) {
      const first = await begin(journal);
      await journal.completed({ records: [completedStep(first, 1, { position: 1, created: 1 })] });
      await journal.continueAs({ ...first, input: null, forget: [], at: NOW });
      await refuses('stale_owner', journal.continueAs({ ...first, input: 'again', forget: [], at: NOW }));
      const { runId, epoch, run } = await journal.claim({ runId: 'run-a', owner: owner('second'), now: NOW + 1, leaseUntil: NOW + 30_000 });
      assert.equal(epoch, 2);
      assert.equal(run.input, null);
      await journal.started({ records: [startedStep({ runId, epoch }, 1, { stepId: 'agent-1', kind: 'agent' })], durable: true });
      assert.deepEqual((await journal.history({ runId })).map(({ stepId, outcome }) => ({ stepId, outcome })), [{ stepId: 'agent-1', outcome: undefined }]);
    },
  },
  {
    name: 'a run that begins again keeps the messages that its body did not get',
    async play({ journal }) {
      const claim = await begin(journal);
      const send = async (name: string, payload: string): Promise<void> => {
        await journal.signal({ runId: 'run-a', name, payload, at: NOW, once: false });
      };
      await send('go', 'got');
      await send('go', 'taken');
      await send('go', 'waiting');
      await send('answer', 'to a question that is no more');
      await send('other', 'waiting');
      await journal.takeSignal({ ...claim, name: 'go', seq: 1 });
      await journal.takeSignal({ ...claim, name: 'go', seq: 2 });
      await journal.completed({ records: [completedStep(claim, 1, { kind: 'signal', position: 1, created: 2 })] });
      await journal.completed({ records: [completedStep(claim, 2, { kind: 'signal' })] });
      await journal.continueAs({ ...claim, input: null, forget: ['answer'], at: NOW });
      assert.deepEqual((await journal.signals({ runId: 'run-a' })).map(({ name, payload }) => [name, payload]), [['go', 'taken'], ['go', 'waiting'], ['other', 'waiting']]);
      // The name is free again for a message that is sent once, unless one of the name is still there.
      assert.deepEqual(await journal.signal({ runId: 'run-a', name: 'answer', payload: 1, at: NOW, once: true }), { accepted: true });
      assert.deepEqual(await journal.signal({ runId: 'run-a', name: 'go', payload: 1, at: NOW, once: true }), { accepted: false });
      const next = await journal.claim({ runId: 'run-a', owner: owner('second'), now: NOW, leaseUntil: NOW });
      assert.equal((await journal.takeSignal({ runId: 'run-a', epoch: next.epoch, name: 'go', seq: 5 }))?.payload, 'taken');
    },
  },
  {
    name: 'a run that begins again leaves other runs alone',
    async play({ journal }) {
      const [a, b, c] = [await begin(journal, 'run-a'), await begin(journal, 'run-b'), await begin(journal, 'run-c')];
      for (const claim of [a, b, c]) {
        await journal.signal({ runId: claim.runId, name: 'go', payload: claim.runId, at: NOW, once: false });
        await journal.takeSignal({ ...claim, name: 'go', seq: 1 });
        await journal.completed({ records: [completedStep(claim, 1, { position: 1, created: 1 }), completedStep(claim, 2)] });
      }
      await journal.continueAs({ ...b, input: null, forget: ['go'], at: NOW });
      for (const { runId, epoch } of [a, c]) {
        assert.deepEqual((await journal.history({ runId })).map(({ seq }) => seq), [1, 2]);
        assert.equal((await journal.takeSignal({ runId, epoch, name: 'go', seq: 1 }))?.payload, runId);
      }
    },
  },
  {
    name: 'what a run was charged before it began again does not count any more',
    async play({ journal }) {
      const claim = await begin(journal);
      await journal.completed({ records: [completedStep(claim, 1, { spend: { tokens: 1, microDollars: 5, wallclock: 1 } })] });
      assert.equal(await journal.charged({ flowName: 'hello', since: NOW }), 5);
      await journal.continueAs({ ...claim, input: null, forget: [], at: NOW });
      assert.equal(await journal.charged({ flowName: 'hello', since: NOW }), 0);
    },
  },
];
