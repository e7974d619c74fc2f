import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { part, type Scenario } from './scenario.js';
import { tracesIn } from './traces.js';

/** How many calls are made at once: as many as a run makes by default. */
const AT_ONCE = 4;

/** Questions to a model: nothing but an answer comes of them. */
export const modelCallScenarios: readonly Scenario[] = [
  {
    name: 'a model call answers',
    part: part([{ do: 'say', text: '42' }]),
    play: async ({ execute, received }) => {
      assert.deepEqual((await execute({ mode: 'llm', task: 'Six times seven?' })).outcome, { class: 'success', message: '42' });
      assert.deepEqual(await received(), ['Six times seven?']);
    },
  },
  {
    name: 'a model call offers no tools, and one that is called all the same does nothing',
    needs: ['provider'],
    part: { ...part([{ do: 'write', path: 'written.txt', content: 'x' }, { do: 'run', command: 'echo x > run.txt' }, { do: 'say', text: '42' }]), stubborn: true },
    play: async ({ execute, cwd, requests }) => {
      await writeFile(path.join(cwd, 'own.txt'), 'mine\n');
      const before = await tracesIn(cwd);
      await execute({ mode: 'llm', task: 'Six times seven?' });
      assert.deepEqual(await tracesIn(cwd), before);
      const asked = (await requests?.())?.filter(({ conversation }) => conversation.includes('Six times seven?')) ?? [];
      assert.ok(asked.length > 0);
      assert.deepEqual(asked.flatMap(({ tools }) => tools), []);
    },
  },
  {
    name: 'a model call keeps no session',
    needs: ['sessions'],
    part: part([{ do: 'say', text: '42' }]),
    play: async ({ execute, startMs }) => {
      const { sessionId } = await execute({ mode: 'llm' });
      if (sessionId === undefined) return;
      const { outcome } = await execute({ session: { kind: 'resume', id: sessionId }, timeoutMs: startMs * 6 });
      assert.equal(outcome.class === 'failed' && outcome.sessionUnknown, true, JSON.stringify(outcome));
    },
  },
  {
    name: 'a model call that the provider refuses is told like a turn of an agent',
    needs: ['provider'],
    part: part([{ do: 'fail', because: 'unauthorized', text: 'Invalid API key.' }]),
    play: async ({ execute }) => {
      const { outcome } = await execute({ mode: 'llm' });
      assert.equal(outcome.class === 'failed' && outcome.code, 'cli_unauthenticated', JSON.stringify(outcome));
    },
  },
  {
    name: 'many model calls in parallel are each asked and answered once',
    part: part([{ do: 'say', text: '42' }]),
    play: async ({ execute, probe, received, crowd }) => {
      const identity = await probe();
      const tasks = Array.from({ length: crowd }, (_, at) => `Question ${at}.`);
      const waiting = [...tasks];
      const classes: string[] = [];
      await Promise.all(Array.from({ length: AT_ONCE }, async () => {
        for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) classes.push((await execute({ mode: 'llm', identity, task })).outcome.class);
      }));
      assert.deepEqual(classes, tasks.map(() => 'success'));
      assert.deepEqual([...(await received())].sort(), [...tasks].sort());
    },
  },
];
