import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { part, type Scenario } from './scenario.js';

/** What a turn delivers and gives back. */
export const turnScenarios: readonly Scenario[] = [
  {
    name: 'a probe tells who the CLI is, again and again',
    part: part([{ do: 'say', text: 'ok' }]),
    play: async ({ probe, executable, received }) => {
      const first = await probe();
      assert.equal(first.executable, executable);
      assert.deepEqual(await probe(), first);
      assert.deepEqual(await received(), []);
    },
  },
  {
    name: 'a CLI that is not signed in is refused with what to do',
    part: { signedIn: false, turns: [[{ do: 'say', text: 'ok' }]] },
    play: async ({ probe }) => {
      await assert.rejects(probe(), (error: { code?: string; hint?: string }) => error.code === 'cli_unauthenticated' && error.hint !== undefined);
    },
  },
  {
    name: 'the last message is the result, and is reported as an event',
    part: part([{ do: 'say', text: 'All is done.' }]),
    play: async ({ execute }) => {
      const { outcome, events } = await execute();
      assert.deepEqual(outcome, { class: 'success', message: 'All is done.' });
      assert.ok(events.some((event) => event.type === 'message' && event.text === 'All is done.'));
    },
  },
  {
    name: 'a message that is JSON stays as it is',
    part: part([{ do: 'say', text: '{"verdict": "yes", "list": [1, 2]}' }]),
    play: async ({ execute }) => {
      assert.deepEqual((await execute()).outcome, { class: 'success', message: '{"verdict": "yes", "list": [1, 2]}' });
    },
  },
  {
    name: 'a task of 300 KB arrives byte for byte',
    part: part([{ do: 'say', text: 'read' }]),
    play: async ({ execute, received }) => {
      const task = `First line.\r\n\t"quoted" 'single' $HOME \`x\` \\ ${'é😀'.repeat(40_000)}\nLast line.`;
      assert.equal((await execute({ task })).outcome.class, 'success');
      assert.deepEqual(await received(), [task]);
    },
  },
  {
    name: 'an agent works in its directory',
    part: part([{ do: 'write', path: 'written.txt', content: 'by the agent\n' }, { do: 'run', command: 'git init -q . && cat written.txt > copied.txt' }, { do: 'say', text: 'ok' }]),
    play: async ({ execute, cwd }) => {
      assert.equal((await execute()).outcome.class, 'success');
      assert.equal(readFileSync(path.join(cwd, 'copied.txt'), 'utf8'), 'by the agent\n');
    },
  },
  {
    name: 'a model call answers',
    part: part([{ do: 'say', text: '42' }]),
    play: async ({ execute }) => {
      assert.deepEqual((await execute({ mode: 'llm', task: 'Six times seven?' })).outcome, { class: 'success', message: '42' });
    },
  },
  {
    name: 'the process is named before anything else happens',
    part: part([{ do: 'say', text: 'ok' }]),
    play: async ({ execute }) => {
      const spawned: number[] = [];
      const { process: ended, events } = await execute({ onSpawn: ({ pid }) => spawned.push(pid) });
      assert.equal(spawned.length, 1);
      assert.equal(ended?.exitCode, 0);
      assert.ok(events.length > 0);
    },
  },
  {
    name: 'usage that is reported while it runs comes to what the turn states',
    part: part([{ do: 'say', text: 'ok' }]),
    play: async ({ execute }) => {
      const { usage, events } = await execute();
      const last = events.filter((event) => event.type === 'usage').at(-1);
      assert.deepEqual(last, usage === undefined ? undefined : { type: 'usage', ...usage });
    },
  },
  {
    name: 'two work at once without knowing of each other',
    part: part([{ do: 'say', text: 'ok' }]),
    play: async ({ execute, probe, received }) => {
      const identity = await probe();
      const turns = await Promise.all([execute({ identity, task: 'one' }), execute({ identity, task: 'two' })]);
      assert.deepEqual(turns.map(({ outcome }) => outcome.class), ['success', 'success']);
      assert.deepEqual([...(await received())].sort(), ['one', 'two']);
    },
  },
  {
    name: 'a session goes on',
    needs: 'sessions',
    part: part([{ do: 'say', text: 'first' }], [{ do: 'say', text: 'second' }]),
    play: async ({ execute }) => {
      const first = await execute();
      assert.ok(first.sessionId !== undefined);
      assert.ok(first.events.some((event) => event.type === 'session' && event.sessionId === first.sessionId));
      const second = await execute({ session: { kind: 'resume', id: first.sessionId } });
      assert.deepEqual(second.outcome, { class: 'success', message: 'second' });
      assert.equal(second.sessionId, first.sessionId);
    },
  },
  {
    name: 'a session takes the id it is given',
    needs: 'chosen session ids',
    part: part([{ do: 'say', text: 'ok' }]),
    play: async ({ execute }) => {
      const id = '2f1c6a52-5d53-4a8c-9d3e-6a4f0c7b1e90';
      assert.equal((await execute({ session: { kind: 'new', id } })).sessionId, id);
    },
  },
];
