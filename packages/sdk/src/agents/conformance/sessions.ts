import assert from 'node:assert/strict';
import path from 'node:path';
import { part, type Scenario } from './scenario.js';
import { untilWritten } from './stage.js';

const NOBODYS = 'b7a3f0de-4c1f-4a4e-9a55-0d5f3c2b1a90';
/** So many times the start of a turn is no refusal at once any more. */
const HANGS = 6;
const TWO_TURNS = part([{ do: 'say', text: 'first answer', usage: { input: 1_000, output: 200 } }], [{ do: 'say', text: 'second answer', usage: { input: 30, output: 7 } }]);

/** Conversations that go on. */
export const sessionScenarios: readonly Scenario[] = [
  {
    name: 'a session goes on, and the model sees what was said before',
    needs: ['sessions'],
    part: TWO_TURNS,
    play: async ({ execute, requests }) => {
      const first = await execute({ task: 'The first task.' });
      assert.ok(first.sessionId !== undefined);
      assert.ok(first.events.some((event) => event.type === 'session' && event.sessionId === first.sessionId));
      const second = await execute({ task: 'The second task.', session: { kind: 'resume', id: first.sessionId } });
      assert.deepEqual(second.outcome, { class: 'success', message: 'second answer' });
      assert.equal(second.sessionId, first.sessionId);
      const last = (await requests?.())?.findLast(({ conversation }) => conversation.includes('The second task.'));
      if (requests !== undefined) for (const text of ['The first task.', 'first answer']) assert.ok(last?.conversation.includes(text), text);
    },
  },
  {
    name: 'a turn that goes on is charged for itself alone',
    needs: ['sessions', 'usage'],
    part: TWO_TURNS,
    play: async ({ execute }) => {
      const first = await execute();
      const second = await execute({ session: { kind: 'resume', id: first.sessionId ?? '' } });
      assert.deepEqual([first, second].map(({ usage }) => [usage?.inputTokens, usage?.outputTokens]), [[1_000, 200], [30, 7]]);
    },
  },
  {
    name: 'a session that was stopped in the middle of a tool goes on',
    needs: ['sessions'],
    part: part([{ do: 'run', command: 'echo begun > begun.txt; exec sleep 600' }], [{ do: 'say', text: 'second answer' }]),
    play: async ({ execute, cwd, requests }) => {
      const stop = new AbortController();
      const turn = execute({ task: 'The first task.', signal: stop.signal });
      await untilWritten(path.join(cwd, 'begun.txt'));
      stop.abort();
      const first = await turn;
      assert.equal(first.outcome.class, 'canceled');
      assert.ok(first.sessionId !== undefined, 'a session is known as soon as it is begun');
      const second = await execute({ task: 'The second task.', session: { kind: 'resume', id: first.sessionId } });
      assert.deepEqual(second.outcome, { class: 'success', message: 'second answer' });
      const last = (await requests?.())?.findLast(({ conversation }) => conversation.includes('The second task.'));
      if (requests !== undefined) assert.ok(last?.conversation.includes('The first task.'));
    },
  },
  {
    name: 'a session is continued elsewhere, or refused at once',
    needs: ['sessions'],
    part: TWO_TURNS,
    play: async ({ execute, elsewhere, adapter, startMs, requests }) => {
      const { sessionId } = await execute({ task: 'The first task.' });
      const { outcome } = await execute({ task: 'The second task.', session: { kind: 'resume', id: sessionId ?? '' }, cwd: elsewhere, timeoutMs: startMs * HANGS });
      if (outcome.class === 'failed' && adapter.abilities.resume === 'same_directory') {
        assert.equal(outcome.sessionUnknown, true, outcome.text);
        return;
      }
      assert.deepEqual(outcome, { class: 'success', message: 'second answer' });
      if (requests === undefined) return;
      const last = (await requests()).findLast(({ conversation }) => conversation.includes('The second task.'));
      assert.ok(last?.conversation.includes('The first task.'), 'it is the same conversation');
    },
  },
  {
    name: 'a session that nobody knows is refused at once',
    needs: ['sessions'],
    part: TWO_TURNS,
    play: async ({ execute, startMs }) => {
      const { outcome } = await execute({ session: { kind: 'resume', id: NOBODYS }, timeoutMs: startMs * HANGS });
      assert.equal(outcome.class === 'failed' && outcome.sessionUnknown, true, JSON.stringify(outcome));
      assert.notEqual(outcome.class === 'failed' ? outcome.hint : '', undefined);
    },
  },
  {
    name: 'a session takes the id it is given',
    needs: ['chosen session ids'],
    part: part([{ do: 'say', text: 'ok' }]),
    play: async ({ execute }) => {
      const id = '2f1c6a52-5d53-4a8c-9d3e-6a4f0c7b1e90';
      assert.equal((await execute({ session: { kind: 'new', id } })).sessionId, id);
    },
  },
];
