import assert from 'node:assert/strict';
import type { ListFilter, NewRun } from '../port.js';
import { begin, newRun, NOW, owner, refuses, type Scenario } from './scenario.js';

export const runScenarios: readonly Scenario[] = [
  {
    name: 'a new run is running and owned, with all that was given',
    async play({ journal }) {
      const run: NewRun = newRun('run-a', {
        flowVersion: '2.0.1',
        source: { kind: 'sealed', digest: 'ab'.repeat(32), path: '/somewhere/hello.flow.ts' },
        input: { ticket: 'K-1', nested: [null, true, 1.5, 'ünï\u2028 "quoted" 🌱', {}] },
        flags: [1, 3],
      });
      const claim = await journal.createRun({ run, owner: owner(), leaseUntil: NOW + 30_000 });
      const expected = { ...run, status: 'running', epoch: 1, owner: owner(), leaseUntil: NOW + 30_000, updatedAt: NOW, humanInfluenced: false };
      assert.deepEqual(claim, { runId: 'run-a', epoch: 1, run: expected });
      assert.deepEqual(await journal.run({ runId: 'run-a' }), expected);
    },
  },
  {
    name: 'what is not there is undefined or empty',
    async play({ journal }) {
      assert.equal(await journal.run({ runId: 'nobody' }), undefined);
      assert.equal(await journal.source({ digest: 'nothing' }), undefined);
      assert.deepEqual(await journal.history({ runId: 'nobody' }), []);
      assert.deepEqual(await journal.signals({ runId: 'nobody' }), []);
      assert.deepEqual(await journal.list({ limit: 10 }), []);
      assert.equal(await journal.charged({ flowName: 'nothing', since: 0 }), 0);
    },
  },
  {
    name: 'a second run of the same id is refused and changes nothing',
    async play({ journal }) {
      await begin(journal);
      const before = await journal.run({ runId: 'run-a' });
      const again = { run: newRun('run-a', { flowName: 'other' }), source: { digest: 'd2', content: 'two' }, owner: owner('second'), leaseUntil: NOW };
      await refuses('run_exists', journal.createRun(again));
      assert.deepEqual(await journal.run({ runId: 'run-a' }), before);
      assert.equal(await journal.source({ digest: 'd2' }), undefined);
    },
  },
  {
    name: 'a source is stored once under its digest',
    async play({ journal }) {
      const content = `{"text":"${'x'.repeat(100_000)}ü"}`;
      await journal.createRun({ run: newRun('run-a'), source: { digest: 'd1', content }, owner: owner(), leaseUntil: NOW });
      await journal.createRun({ run: newRun('run-b'), source: { digest: 'd1', content }, owner: owner(), leaseUntil: NOW });
      assert.deepEqual(await journal.source({ digest: 'd1' }), { digest: 'd1', content });
    },
  },
  {
    name: 'a run adopts another source',
    async play({ journal }) {
      const claim = await begin(journal);
      const ref = { kind: 'sealed', digest: 'd9', path: '/elsewhere/hello.flow.ts' } as const;
      await journal.adoptSource({ ...claim, ref, source: { digest: 'd9', content: 'nine' } });
      assert.deepEqual((await journal.run({ runId: 'run-a' }))?.source, ref);
      assert.deepEqual(await journal.source({ digest: 'd9' }), { digest: 'd9', content: 'nine' });
    },
  },
  {
    name: 'a parked run has no owner and says when it wakes',
    async play({ journal }) {
      const claim = await begin(journal);
      await journal.park({ ...claim, status: 'parked', wakeAt: NOW + 5_000, at: NOW + 10 });
      const { owner: _owner, leaseUntil: _leaseUntil, ...run } = (await journal.run({ runId: 'run-a' }))!;
      assert.deepEqual(run, { ...newRun(), status: 'parked', epoch: 1, updatedAt: NOW + 10, wakeAt: NOW + 5_000, humanInfluenced: false });
      assert.equal(_owner, undefined);
      assert.equal(_leaseUntil, undefined);
    },
  },
  {
    name: 'a run that is claimed again runs and forgets when it was to wake',
    async play({ journal }) {
      await journal.park({ ...(await begin(journal)), status: 'interrupted', wakeAt: NOW + 5_000, at: NOW + 10 });
      const claim = await journal.claim({ runId: 'run-a', owner: owner('second'), now: NOW + 20, leaseUntil: NOW + 30 });
      assert.deepEqual(claim.run, {
        ...newRun(), status: 'running', epoch: 2, owner: owner('second'), leaseUntil: NOW + 30, updatedAt: NOW + 20, humanInfluenced: false,
      });
      assert.equal(claim.previousOwner, undefined);
      assert.deepEqual(await journal.run({ runId: 'run-a' }), claim.run);
    },
  },
  {
    name: 'a finished run keeps its verdict and is claimed by nobody',
    async play({ journal }) {
      const claim = await begin(journal);
      const completion = { reason: 'step_failed', detail: 'tests are red', error: { code: 'step_failed', text: 'Exit 1.', evidence: { exitCode: 1 } }, marker: 2 };
      await journal.finish({ ...claim, status: 'failed', completion, at: NOW + 99 });
      const run = await journal.run({ runId: 'run-a' });
      assert.deepEqual(run, { ...newRun(), status: 'failed', epoch: 1, updatedAt: NOW + 99, completion, humanInfluenced: false });
      await refuses('run_finished', journal.claim({ runId: 'run-a', owner: owner(), now: NOW, leaseUntil: NOW, takeOver: 1 }));
      assert.deepEqual(await journal.run({ runId: 'run-a' }), run);
    },
  },
  {
    name: 'a run is marked as altered by a person, also after its end',
    async play({ journal }) {
      const claim = await begin(journal);
      await journal.finish({ ...claim, status: 'completed', completion: { reason: 'success' }, at: NOW });
      await journal.markHumanInfluenced({ runId: 'run-a' });
      await journal.markHumanInfluenced({ runId: 'run-a' });
      assert.equal((await journal.run({ runId: 'run-a' }))?.humanInfluenced, true);
      await refuses('run_not_found', journal.markHumanInfluenced({ runId: 'nobody' }));
    },
  },
  {
    name: 'runs are listed newest first and by what is asked for',
    async play({ journal }) {
      const claims = [];
      for (const [id, flowName] of [['aa1', 'one'], ['ab2', 'two'], ['ab3', 'one'], ['ac4', 'two']] as const) claims.push(await begin(journal, id, { flowName }));
      await journal.park({ ...claims[0]!, status: 'parked', wakeAt: NOW + 100, at: NOW });
      await journal.park({ ...claims[1]!, status: 'parked', at: NOW });
      await journal.finish({ ...claims[3]!, status: 'canceled', completion: { reason: 'canceled' }, at: NOW });
      const ids = async (filter: Partial<ListFilter>): Promise<string> => (await journal.list({ limit: 10, ...filter })).map(({ id }) => id).join(' ');
      assert.equal(await ids({}), 'ac4 ab3 ab2 aa1');
      assert.equal(await ids({ limit: 2 }), 'ac4 ab3');
      assert.equal(await ids({ limit: 0 }), '');
      assert.equal(await ids({ statuses: ['parked', 'canceled'] }), 'ac4 ab2 aa1');
      assert.equal(await ids({ statuses: ['running'] }), 'ab3');
      assert.equal(await ids({ statuses: [] }), '');
      assert.equal(await ids({ flowName: 'one' }), 'ab3 aa1');
      assert.equal(await ids({ idPrefix: 'ab' }), 'ab3 ab2');
      assert.equal(await ids({ idPrefix: 'ab2' }), 'ab2');
      assert.equal(await ids({ idPrefix: '%' }), '');
      assert.equal(await ids({ wakeBefore: NOW + 99 }), '');
      assert.equal(await ids({ wakeBefore: NOW + 100 }), 'aa1');
      assert.equal(await ids({ flowName: 'two', idPrefix: 'a', statuses: ['parked'] }), 'ab2');
    },
  },
  {
    name: 'runs that have ended are removed with all that is theirs, others stay',
    async play({ journal }) {
      for (const id of ['run-a', 'run-b', 'run-c']) {
        const { epoch } = await journal.createRun({ run: newRun(id), owner: owner(), leaseUntil: NOW + 30_000 });
        const step = { runId: id, epoch, seq: 1, stepId: 'run-1', kind: 'run', fingerprint: 'ab'.repeat(16), attempt: 1 } as const;
        await journal.started({ durable: true, records: [{ ...step, at: NOW }] });
        await journal.completed({ records: [{ ...step, outcome: { ok: true, value: id }, position: 1, created: 1 }] });
        await journal.signal({ runId: id, name: 'news', payload: id, at: NOW, once: false });
        if (id !== 'run-b') await journal.finish({ runId: id, epoch, status: id === 'run-a' ? 'completed' : 'canceled', completion: { reason: 'success' }, at: NOW });
      }
      assert.deepEqual(await journal.remove({ runIds: ['run-a', 'run-b', 'run-a', 'nobody', 'run-c'] }), ['run-a', 'run-c']);
      assert.deepEqual(await journal.remove({ runIds: ['run-a', 'run-c'] }), []);
      assert.deepEqual((await journal.list({ limit: 10 })).map(({ id }) => id), ['run-b']);
      for (const gone of ['run-a', 'run-c']) {
        assert.deepEqual([await journal.run({ runId: gone }), await journal.history({ runId: gone }), await journal.signals({ runId: gone })], [undefined, [], []]);
      }
      assert.deepEqual([(await journal.history({ runId: 'run-b' })).length, (await journal.signals({ runId: 'run-b' })).length], [1, 1]);
      // The id can be used again, and has nothing of the run before.
      await journal.createRun({ run: newRun('run-c'), owner: owner(), leaseUntil: NOW });
      assert.deepEqual([await journal.history({ runId: 'run-c' }), await journal.signals({ runId: 'run-c' })], [[], []]);
    },
  },
];
