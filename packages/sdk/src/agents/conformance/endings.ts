import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import path from 'node:path';
import type { AgentOutcome, AgentTurn } from '../port.js';
import { part, type Scenario } from './scenario.js';
import { untilWritten } from './stage.js';
import { lives, nowAndLater } from './traces.js';

/** It goes on writing in a session of its own, and ignores TERM. */
const WRITES_ON = { do: 'detach', command: 'echo $$ > detached.pid; while :; do date >> alive.txt; sleep 0.1; done' } as const;
const LONG_TOOL = { do: 'run', command: 'echo $$ > tool.pid; exec sleep 600' } as const;

/** How a turn is ended, and that nothing is left of it. */
export const endingScenarios: readonly Scenario[] = [
  {
    name: 'a timeout in the middle of a tool stops the whole tree, whatever it ignores',
    part: part([{ do: 'say', text: 'I begin.' }, WRITES_ON, LONG_TOOL]),
    play: async ({ execute, cwd, startMs }) => {
      let leader = 0;
      let outcome = await timedOut(startMs);
      // On a busy machine it may not have come so far in time; then it gets more.
      for (let ms = startMs * 2; outcome.class === 'timeout' && !isAtWork(cwd) && ms <= startMs * 8; ms *= 2) outcome = await timedOut(ms);
      assert.deepEqual(outcome, { class: 'timeout', message: 'I begin.' });
      assertGone([leader, ...(await pidsIn(cwd))]);
      await assertQuiet(cwd);

      async function timedOut(timeoutMs: number): Promise<AgentOutcome> {
        return (await execute({ timeoutMs, onSpawn: ({ pid }) => (leader = pid) })).outcome;
      }
    },
  },
  {
    name: 'an abort in the middle of a tool stops the whole tree',
    part: part([WRITES_ON, LONG_TOOL]),
    play: async ({ execute, cwd }) => {
      const stop = new AbortController();
      let leader = 0;
      const begun = execute({ signal: stop.signal, onSpawn: ({ pid }) => (leader = pid) });
      const pids = await pidsIn(cwd);
      stop.abort();
      assert.deepEqual((await begun).outcome, { class: 'canceled' });
      assertGone([leader, ...pids]);
      await assertQuiet(cwd);
    },
  },
  {
    name: 'an abort while the model thinks stops it',
    part: part([{ do: 'run', command: 'echo begun > begun.txt' }, { do: 'hang' }]),
    play: async ({ execute, cwd }) => {
      const stop = new AbortController();
      const begun = execute({ signal: stop.signal });
      await untilWritten(path.join(cwd, 'begun.txt'));
      stop.abort();
      assert.deepEqual((await begun).outcome, { class: 'canceled' });
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
    name: 'death by a signal is a lost connection with a cause, and what it ran is stopped',
    part: part([WRITES_ON, LONG_TOOL]),
    play: async ({ execute, cwd }) => {
      let leader = 0;
      const begun = execute({ onSpawn: ({ pid }) => (leader = pid) });
      const pids = await pidsIn(cwd);
      process.kill(leader, 'SIGKILL');
      const { outcome } = await begun;
      assert.equal(outcome.class, 'lost');
      assert.match(outcome.class === 'lost' ? outcome.text : '', /SIGKILL/);
      assertGone([leader, ...pids]);
      await assertQuiet(cwd);
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
    name: 'what it leaves running is stopped and named',
    part: part([WRITES_ON, { do: 'run', command: 'until [ -s detached.pid ]; do sleep 0.05; done' }, { do: 'say', text: 'ok' }]),
    play: async ({ execute, cwd }) => {
      const { outcome, process: ended } = await execute();
      assert.deepEqual(outcome, { class: 'success', message: 'ok' });
      const pid = Number(await untilWritten(path.join(cwd, 'detached.pid')));
      assertGone([pid]);
      assert.ok(ended?.leftRunning.some((left) => left.pid === pid));
      await assertQuiet(cwd);
    },
  },
];

/** Where what is detached and the tool write their numbers. */
const PID_FILES = ['detached.pid', 'tool.pid'] as const;

/** Whether both run. */
function isAtWork(cwd: string): boolean {
  return PID_FILES.every((name) => (statSync(path.join(cwd, name), { throwIfNoEntry: false })?.size ?? 0) > 0);
}

/** Of what is detached and of the tool, once both run. */
async function pidsIn(cwd: string): Promise<readonly number[]> {
  return await Promise.all(PID_FILES.map(async (name) => Number(await untilWritten(path.join(cwd, name)))));
}

function assertGone(pids: readonly number[]): void {
  for (const pid of pids) assert.ok(pid > 0);
  assert.deepEqual(pids.filter(lives), []);
}

/** Nothing writes to the directory any more. */
async function assertQuiet(cwd: string): Promise<void> {
  const { now, later } = await nowAndLater(cwd);
  assert.ok(now.length > 0);
  assert.deepEqual(later, now);
}
