import assert from 'node:assert/strict';
import type { ClaimRef, Journal } from '../port.js';
import { begin, completedStep, newRun, NOW, observed, owner, refuses, startedStep, type Scenario } from './scenario.js';

const LEASE_END = NOW + 30_000;

export const claimScenarios: readonly Scenario[] = [
  {
    name: 'an unknown run cannot be claimed',
    async play({ journal }) {
      await refuses('run_not_found', journal.claim({ runId: 'nobody', owner: owner(), now: NOW, leaseUntil: NOW }));
    },
  },
  {
    name: 'an owned run is refused, naming its owner',
    async play({ journal }) {
      await begin(journal);
      const evidence = await refuses('run_owned', journal.claim({ runId: 'run-a', owner: owner('second', 'there'), now: LEASE_END, leaseUntil: LEASE_END + 1 }));
      assert.deepEqual(evidence, { owner: owner(), epoch: 1, leaseUntil: LEASE_END });
      assert.deepEqual((await journal.run({ runId: 'run-a' }))?.owner, owner());
    },
  },
  {
    name: 'an ended lease frees a run for another host only',
    async play({ journal }) {
      await begin(journal);
      const later = { runId: 'run-a', now: LEASE_END + 1, leaseUntil: LEASE_END + 60_000 };
      await refuses('run_owned', journal.claim({ ...later, owner: owner('second', 'here') }));
      const claim = await journal.claim({ ...later, owner: owner('second', 'there') });
      assert.equal(claim.epoch, 2);
      assert.deepEqual(claim.previousOwner, owner());
      assert.deepEqual(claim.run.owner, owner('second', 'there'));
    },
  },
  {
    name: 'a run is taken over only from the owner that was proved dead',
    async play({ journal }) {
      await begin(journal);
      const takeOver = (epoch: number, token: string): Promise<unknown> => journal.claim({ runId: 'run-a', owner: owner(token), now: NOW, leaseUntil: LEASE_END, takeOver: epoch });
      await takeOver(1, 'second');
      await refuses('run_owned', takeOver(1, 'third'));
      await refuses('run_owned', takeOver(3, 'third'));
      assert.deepEqual((await journal.run({ runId: 'run-a' }))?.owner, owner('second'));
    },
  },
  {
    name: 'of two who take a run over at once one wins',
    async play({ journal, another }) {
      await begin(journal);
      const journals = [journal, await another(), await another()];
      const claims = await Promise.allSettled(
        journals.map((each, n) => each.claim({ runId: 'run-a', owner: owner(`claimant-${n}`), now: NOW, leaseUntil: LEASE_END, takeOver: 1 })),
      );
      assert.equal(claims.filter(({ status }) => status === 'fulfilled').length, 1);
      assert.equal((await journal.run({ runId: 'run-a' }))?.epoch, 2);
    },
  },
  {
    name: 'nothing that a displaced owner writes is accepted',
    async play({ journal, another }) {
      const displaced = await begin(journal);
      await journal.started({ records: [startedStep(displaced, 1)], durable: false });
      await journal.signal({ runId: 'run-a', name: 'go', payload: 1, at: NOW, once: false });
      await (await another()).claim({ runId: 'run-a', owner: owner('second'), now: NOW, leaseUntil: LEASE_END, takeOver: 1 });
      await allWritesAreStale(journal, displaced);
    },
  },
  {
    name: 'nothing is accepted under a claim that has ended',
    async play({ journal }) {
      const parked = await begin(journal, 'run-a');
      await journal.started({ records: [startedStep(parked, 1)], durable: false });
      await journal.park({ ...parked, status: 'parked', at: NOW });
      await allWritesAreStale(journal, parked);
      const finished = await begin(journal, 'run-b');
      await journal.started({ records: [startedStep(finished, 1)], durable: false });
      await journal.finish({ ...finished, status: 'completed', completion: { reason: 'success' }, at: NOW });
      await allWritesAreStale(journal, finished);
    },
  },
  {
    name: 'nothing is accepted under a claim that does not exist yet, or for an unknown run',
    async play({ journal }) {
      const { epoch } = await begin(journal);
      await journal.started({ records: [startedStep({ runId: 'run-a', epoch }, 1)], durable: false });
      await allWritesAreStale(journal, { runId: 'run-a', epoch: epoch + 1 });
      await allWritesAreStale(journal, { runId: 'nobody', epoch: 1 });
    },
  },
  {
    name: 'a stale record is left out of its batch and named once',
    async play({ journal }) {
      const current = await begin(journal, 'run-a');
      const stale = { ...(await begin(journal, 'run-b')), epoch: 7 };
      const records = [completedStep(stale, 1), completedStep(current, 1), completedStep(stale, 2), completedStep(current, 2)];
      assert.deepEqual(await journal.completed({ records }), { stale: ['run-b'] });
      assert.deepEqual((await journal.history({ runId: 'run-a' })).map(({ seq }) => seq), [1, 2]);
      assert.deepEqual(await journal.history({ runId: 'run-b' }), []);
    },
  },
  {
    name: 'a heartbeat extends the leases of claims that are current',
    async play({ journal }) {
      const current = await begin(journal, 'run-a');
      const stale = { ...(await begin(journal, 'run-b')), epoch: 7 };
      assert.deepEqual(await journal.heartbeat({ claims: [stale, current], leaseUntil: LEASE_END + 5 }), { stale: ['run-b'] });
      const leases = [(await journal.run({ runId: 'run-a' }))?.leaseUntil, (await journal.run({ runId: 'run-b' }))?.leaseUntil];
      assert.deepEqual(leases, [LEASE_END + 5, LEASE_END]);
    },
  },
  {
    name: 'an empty batch is nothing',
    async play({ journal }) {
      assert.deepEqual(await journal.completed({ records: [] }), { stale: [] });
      assert.deepEqual(await journal.started({ records: [], durable: true }), { stale: [] });
      assert.deepEqual(await journal.progressed({ records: [] }), { stale: [] });
      assert.deepEqual(await journal.heartbeat({ claims: [], leaseUntil: NOW }), { stale: [] });
    },
  },
  {
    name: 'the epoch rises with every claim',
    async play({ journal }) {
      let claim = await begin(journal);
      for (const expected of [2, 3, 4]) {
        await journal.park({ ...claim, status: 'parked', at: NOW });
        claim = await journal.claim({ runId: 'run-a', owner: owner(`owner-${expected}`), now: NOW, leaseUntil: LEASE_END });
        assert.equal(claim.epoch, expected);
      }
      await refuses('run_exists', journal.createRun({ run: newRun(), owner: owner(), leaseUntil: LEASE_END }));
    },
  },
];

async function allWritesAreStale(journal: Journal, claim: ClaimRef): Promise<void> {
  const { runId } = claim;
  const before = await observed(journal, runId);
  assert.deepEqual(await journal.started({ records: [startedStep(claim, 1, { attempt: 2 }), startedStep(claim, 2)], durable: true }), { stale: [runId] });
  assert.deepEqual(await journal.progressed({ records: [{ ...claim, seq: 1, attempt: 1, progress: { sessionId: 's' } }] }), { stale: [runId] });
  assert.deepEqual(await journal.completed({ records: [completedStep(claim, 1)] }), { stale: [runId] });
  assert.deepEqual(await journal.heartbeat({ claims: [claim], leaseUntil: LEASE_END + 1 }), { stale: [runId] });
  await refuses('stale_owner', journal.takeSignal({ ...claim, name: 'go', seq: 1 }));
  await refuses('stale_owner', journal.park({ ...claim, status: 'parked', wakeAt: NOW, at: NOW + 1 }));
  await refuses('stale_owner', journal.continueAs({ ...claim, input: 'stale', forget: ['go'], at: NOW + 1 }));
  await refuses('stale_owner', journal.finish({ ...claim, status: 'completed', completion: { reason: 'success' }, at: NOW + 1 }));
  const source = { digest: 'stale', content: 'stale' };
  await refuses('stale_owner', journal.adoptSource({ ...claim, ref: { kind: 'sealed', digest: 'stale', path: '/stale' }, source }));
  assert.deepEqual(await observed(journal, runId), before);
  assert.equal(await journal.source({ digest: 'stale' }), undefined);
}
