import assert from 'node:assert/strict';
import path from 'node:path';
import type { AgentTurn } from '../port.js';
import { part, type Scenario } from './scenario.js';
import { lives, untilWritten } from './stage.js';

/** How a turn ends otherwise, and that nothing is left of it. */
export const endingScenarios: readonly Scenario[] = [
  {
    name: 'an error is a failure with its cause quoted',
    part: part([{ do: 'fail', because: 'error', text: 'the disk is on fire' }]),
    play: async ({ execute }) => {
      const { outcome } = await execute();
      assert.equal(outcome.class, 'failed');
      assert.match(outcome.class === 'failed' ? outcome.text : '', /the disk is on fire/);
    },
  },
  {
    name: 'a usage limit is told apart',
    part: part([{ do: 'fail', because: 'usage_limit', text: 'usage limit reached' }]),
    play: async ({ execute }) => {
      const { outcome } = await execute();
      assert.equal(outcome.class === 'failed' && outcome.code, 'provider_usage_limited');
    },
  },
  {
    name: 'death by a signal is a lost connection with a cause',
    part: part([{ do: 'die' }]),
    play: async ({ execute }) => {
      const { outcome } = await execute();
      assert.equal(outcome.class, 'lost');
      assert.notEqual(outcome.class === 'lost' && outcome.text.trim(), '');
    },
  },
  {
    name: 'a CLI that has vanished is a failure and no rejection',
    part: part([{ do: 'say', text: 'ok' }]),
    play: async ({ execute, probe }) => {
      const { file: _file, ...identity } = await probe();
      const { outcome } = await execute({ identity: { ...identity, executable: `${identity.executable}-gone` } });
      assert.equal(outcome.class, 'failed');
    },
  },
  {
    name: 'a timeout stops the whole tree, whatever it ignores',
    part: part([{ do: 'detach', command: 'echo $$ > detached.pid; while :; do date > alive.txt; sleep 0.1; done' }, { do: 'run', command: 'echo $$ > tool.pid; exec sleep 600' }]),
    play: async ({ execute, cwd, startMs }) => {
      let leader = 0;
      const begun = execute({ timeoutMs: startMs, onSpawn: ({ pid }) => (leader = pid) });
      const [detached, tool] = await Promise.all(['detached.pid', 'tool.pid'].map(async (name) => Number(await untilWritten(path.join(cwd, name)))));
      const { outcome } = await begun;
      assert.equal(outcome.class, 'timeout');
      assertGone([leader, detached, tool]);
    },
  },
  {
    name: 'an abort stops the whole tree',
    part: part([{ do: 'detach', command: 'echo $$ > detached.pid; exec sleep 600' }, { do: 'hang' }]),
    play: async ({ execute, cwd }) => {
      const stop = new AbortController();
      let leader = 0;
      const begun = execute({ signal: stop.signal, onSpawn: ({ pid }) => (leader = pid) });
      const detached = Number(await untilWritten(path.join(cwd, 'detached.pid')));
      stop.abort();
      assert.deepEqual((await begun).outcome, { class: 'canceled' });
      assertGone([leader, detached]);
    },
  },
  {
    name: 'an abort before the start starts nothing',
    part: part([{ do: 'say', text: 'ok' }]),
    play: async ({ execute, probe, received }) => {
      const turn: AgentTurn = await execute({ identity: await probe(), signal: AbortSignal.abort() });
      assert.deepEqual(turn.outcome, { class: 'canceled' });
      assert.deepEqual(await received(), []);
    },
  },
  {
    name: 'what it leaves running is stopped and named',
    part: part([{ do: 'detach', command: 'echo $$ > detached.pid; exec sleep 600' }, { do: 'run', command: 'until [ -s detached.pid ]; do sleep 0.05; done' }, { do: 'say', text: 'ok' }]),
    play: async ({ execute, cwd }) => {
      const { outcome, process: ended } = await execute();
      assert.deepEqual(outcome, { class: 'success', message: 'ok' });
      const pid = Number(await untilWritten(path.join(cwd, 'detached.pid')));
      assertGone([pid]);
      assert.ok(ended?.leftRunning.some((left) => left.pid === pid));
    },
  },
];

function assertGone(pids: readonly (number | undefined)[]): void {
  for (const pid of pids) assert.ok(pid !== undefined && pid > 0);
  assert.deepEqual(pids.filter((pid) => pid !== undefined && lives(pid)), []);
}
