import assert from 'node:assert/strict';
import type { Journal } from '../port.js';
import { begin, completedStep, newRun, NOW, observed, owner, refuses, startedStep, type Scenario } from './scenario.js';

export const orderScenarios: readonly Scenario[] = [
  {
    name: 'calls take effect in the order in which they are made',
    async play({ journal }) {
      const claim = { runId: 'run-a', epoch: 1 };
      const calls = [
        journal.history({ runId: 'run-a' }),
        journal.createRun({ run: newRun(), owner: owner(), leaseUntil: NOW }),
        journal.started({ records: [startedStep(claim, 1)], durable: false }),
        journal.history({ runId: 'run-a' }),
        journal.completed({ records: [completedStep(claim, 1)] }),
        journal.finish({ ...claim, status: 'completed', completion: { reason: 'success' }, at: NOW }),
        journal.completed({ records: [completedStep(claim, 2)] }),
        journal.run({ runId: 'run-a' }),
        journal.history({ runId: 'run-a' }),
      ] as const;
      const answers = await Promise.all(calls);
      assert.deepEqual(answers[0], []);
      assert.deepEqual(answers[3].map(({ outcome }) => outcome), [undefined]);
      assert.deepEqual(answers[4], { stale: [] });
      assert.deepEqual(answers[6], { stale: ['run-a'] });
      assert.equal(answers[7]?.status, 'completed');
      assert.deepEqual(answers[8].map(({ outcome }) => outcome), [{ ok: true, value: 1 }]);
    },
  },
  {
    name: 'a refused call does not harm those made together with it',
    async play({ journal }) {
      const claim = await begin(journal);
      const calls = await Promise.allSettled([
        journal.completed({ records: [completedStep(claim, 1)] }),
        journal.createRun({ run: newRun(), owner: owner('second'), leaseUntil: NOW }),
        journal.finish({ runId: 'nobody', epoch: 1, status: 'failed', completion: { reason: 'step_failed' }, at: NOW }),
        journal.completed({ records: [completedStep(claim, 2)] }),
      ]);
      assert.deepEqual(calls.map(({ status }) => status), ['fulfilled', 'rejected', 'rejected', 'fulfilled']);
      assert.equal((await journal.history({ runId: 'run-a' })).length, 2);
    },
  },
  {
    name: 'what a caller changes after a call is not stored, and what it reads is its own',
    async play({ journal }) {
      const input: { list: number[] } = { list: [1] };
      const creating = journal.createRun({ run: newRun('run-a', { input }), owner: owner(), leaseUntil: NOW });
      input.list.push(2);
      const claim = await creating;
      const value = { list: [1] };
      const records = [completedStep(claim, 1, { outcome: { ok: true, value } })];
      const writing = journal.completed({ records });
      value.list.push(2);
      records.length = 0;
      await writing;
      const before = structuredClone(await observed(journal, 'run-a'));
      const { run, steps } = (await observed(journal, 'run-a')) as { run: { input: typeof input }; steps: { outcome: { value: typeof value } }[] };
      assert.deepEqual([run.input, steps[0]?.outcome.value], [{ list: [1] }, { list: [1] }]);
      run.input.list.push(3);
      steps[0]?.outcome.value.list.push(3);
      assert.deepEqual(await observed(journal, 'run-a'), before);
    },
  },
  {
    name: 'members that are undefined are absent when read',
    async play({ journal }) {
      const undefinedMember = { present: 1, gone: undefined };
      const claim = await begin(journal, 'run-a', { input: undefinedMember });
      await journal.completed({ records: [completedStep(claim, 1, { outcome: { ok: true, value: undefinedMember } })] });
      const run = await journal.run({ runId: 'run-a' });
      const [step] = await journal.history({ runId: 'run-a' });
      assert.deepEqual(run?.input, { present: 1 });
      assert.deepEqual(step?.outcome, { ok: true, value: { present: 1 } });
    },
  },
  {
    name: 'two journals write to one store without losing anything',
    async play({ journal, another }) {
      const journals = [journal, await another()];
      const write = async (each: Journal, index: number): Promise<void> => {
        const claim = await begin(each, `run-${index}`);
        for (let seq = 1; seq <= 20; seq += 1) await each.completed({ records: [completedStep(claim, seq)] });
      };
      await Promise.all(journals.map(write));
      for (const index of [0, 1]) assert.equal((await journals[1 - index]!.history({ runId: `run-${index}` })).length, 20);
    },
  },
  {
    name: 'a change made by another journal is noticed, and no longer once nobody listens',
    needs: 'lasting objects',
    async play({ journal, another }) {
      const other = await another();
      let noticed = 0;
      const stop = journal.onForeignChange(() => (noticed += 1));
      await begin(other);
      await eventually(() => noticed > 0);
      stop();
      stop();
      const before = noticed;
      await begin(other, 'run-b');
      await new Promise((resolve) => setTimeout(resolve, 500));
      assert.equal(noticed, before);
    },
  },
  {
    name: 'a closed journal has written what it was given, and refuses more',
    needs: 'lasting objects',
    async play({ journal, another }) {
      const claim = await begin(journal);
      const last = journal.completed({ records: [completedStep(claim, 1)] });
      await Promise.all([journal.close(), journal.close()]);
      assert.deepEqual(await last, { stale: [] });
      await refuses('journal_unavailable', journal.run({ runId: 'run-a' }));
      await refuses('journal_unavailable', journal.completed({ records: [completedStep(claim, 2)] }));
      assert.equal((await (await another()).history({ runId: 'run-a' })).length, 1);
    },
  },
];

const DEADLINE_MS = 20_000;

async function eventually(condition: () => boolean): Promise<void> {
  const end = performance.now() + DEADLINE_MS;
  while (!condition()) {
    assert.ok(performance.now() < end, 'the journal did not notice the change');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
