import assert from 'node:assert/strict';
import type { Journal, Signal } from '../port.js';
import type { JsonValue } from '../../ports/json.js';
import { begin, NOW, owner, refuses, type Scenario } from './scenario.js';

export const mailboxScenarios: readonly Scenario[] = [
  {
    name: 'messages wait in the order in which they came, whether or not the run does',
    async play({ journal }) {
      const claim = await begin(journal);
      await put(journal, 'b', { answer: true });
      await journal.park({ ...claim, status: 'parked', at: NOW });
      await put(journal, 'a', null);
      await put(journal, 'b', [2]);
      assert.deepEqual(await journal.signals({ runId: 'run-a' }), [message('b', { answer: true }), message('a', null), message('b', [2])]);
    },
  },
  {
    name: 'a step takes the oldest message of a name, and the same one when it asks again',
    async play({ journal }) {
      const claim = await begin(journal);
      for (const payload of ['first', 'second']) await put(journal, 'go', payload);
      await put(journal, 'other', 'third');
      assert.deepEqual(await journal.takeSignal({ ...claim, name: 'go', seq: 4 }), { ...message('go', 'first'), takenBy: 4 });
      assert.deepEqual(await journal.takeSignal({ ...claim, name: 'go', seq: 4 }), { ...message('go', 'first'), takenBy: 4 });
      assert.deepEqual(await journal.takeSignal({ ...claim, name: 'go', seq: 3 }), { ...message('go', 'second'), takenBy: 3 });
      assert.equal(await journal.takeSignal({ ...claim, name: 'go', seq: 5 }), undefined);
      assert.deepEqual(await journal.signals({ runId: 'run-a' }), [message('other', 'third')]);
    },
  },
  {
    name: 'a taken message stays with its step under the next owner',
    async play({ journal }) {
      const claim = await begin(journal);
      await put(journal, 'go', 1);
      await journal.takeSignal({ ...claim, name: 'go', seq: 1 });
      const next = await journal.claim({ runId: 'run-a', owner: owner('second'), now: NOW, leaseUntil: NOW, takeOver: claim.epoch });
      assert.equal(await journal.takeSignal({ runId: 'run-a', epoch: next.epoch, name: 'go', seq: 2 }), undefined);
      assert.deepEqual(await journal.takeSignal({ runId: 'run-a', epoch: next.epoch, name: 'go', seq: 1 }), { ...message('go', 1), takenBy: 1 });
    },
  },
  {
    name: 'of messages sent once only the first is accepted, also after it was taken',
    async play({ journal, another }) {
      const claim = await begin(journal);
      const answer = (payload: JsonValue): Promise<{ readonly accepted: boolean }> => journal.signal({ runId: 'run-a', name: 'human-1', payload, at: NOW, once: true });
      assert.deepEqual(await answer(true), { accepted: true });
      assert.deepEqual(await (await another()).signal({ runId: 'run-a', name: 'human-1', payload: false, at: NOW, once: true }), { accepted: false });
      assert.deepEqual(await journal.takeSignal({ ...claim, name: 'human-1', seq: 1 }), { ...message('human-1', true), takenBy: 1 });
      assert.deepEqual(await answer(false), { accepted: false });
      assert.deepEqual(await journal.signal({ runId: 'run-a', name: 'human-2', payload: 1, at: NOW, once: true }), { accepted: true });
    },
  },
  {
    name: 'runs have mailboxes of their own',
    async play({ journal }) {
      const [a, b] = [await begin(journal, 'run-a'), await begin(journal, 'run-b')];
      await put(journal, 'go', 'for a');
      assert.equal(await journal.takeSignal({ ...b, name: 'go', seq: 1 }), undefined);
      assert.equal((await journal.takeSignal({ ...a, name: 'go', seq: 1 }))?.payload, 'for a');
    },
  },
  {
    name: 'a message to an unknown or finished run is refused',
    async play({ journal }) {
      await refuses('run_not_found', journal.signal({ runId: 'nobody', name: 'go', payload: 1, at: NOW, once: false }));
      const claim = await begin(journal);
      await journal.finish({ ...claim, status: 'completed', completion: { reason: 'success' }, at: NOW });
      await refuses('run_finished', journal.signal({ runId: 'run-a', name: 'go', payload: 1, at: NOW, once: true }));
      assert.deepEqual(await journal.signals({ runId: 'run-a' }), []);
    },
  },
];

async function put(journal: Journal, name: string, payload: JsonValue): Promise<void> {
  assert.deepEqual(await journal.signal({ runId: 'run-a', name, payload, at: NOW, once: false }), { accepted: true });
}

function message(name: string, payload: JsonValue): Signal {
  return { name, payload, at: NOW };
}
