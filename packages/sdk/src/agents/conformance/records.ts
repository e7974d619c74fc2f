import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { part, type Scenario } from './scenario.js';
import { untilWritten } from './stage.js';
import { childrenOf } from './traces.js';

const OK = part([{ do: 'say', text: 'ok' }]);

/** That the CLI's own record decides. A stand-in runs the CLI, and ends otherwise than it did. */
export const recordScenarios: readonly Scenario[] = [
  {
    name: 'what it says and does is told in order, and its last message is the result',
    needs: ['record'],
    part: part([{ do: 'say', text: 'First I look.' }, { do: 'run', command: 'echo seen > seen.txt' }, { do: 'say', text: 'Then I am done.' }]),
    play: async ({ execute, cwd }) => {
      const { outcome, events } = await execute();
      assert.deepEqual(outcome, { class: 'success', message: 'Then I am done.' });
      assert.equal(readFileSync(path.join(cwd, 'seen.txt'), 'utf8'), 'seen\n');
      const told = events.flatMap((event) => (event.type === 'message' ? [event.text.trim()] : event.type === 'tool' ? [`tool ${event.phase}${event.failed === true ? ', failed' : ''}`] : []));
      assert.deepEqual(told, ['First I look.', 'tool start', 'tool end', 'Then I am done.']);
      const tool = events.find((event) => event.type === 'tool');
      assert.match(tool?.type === 'tool' ? tool.summary : '', /echo seen/);
    },
  },
  {
    name: 'a result stands, whatever status its process ends with',
    needs: ['record'],
    part: OK,
    play: async ({ execute, inPlaceOf }) => {
      const { outcome, warnings } = await execute({ identity: await inPlaceOf('"$CLI" "$@"; exit 3') });
      assert.deepEqual(outcome, { class: 'success', message: 'ok' });
      assert.deepEqual(warnings.map(({ code }) => code), ['late_exit']);
    },
  },
  {
    name: 'a process that goes on after its result is stopped, and the result stands',
    needs: ['record'],
    part: OK,
    play: async ({ execute, inPlaceOf }) => {
      const identity = await inPlaceOf('"$CLI" "$@"; trap "" TERM; sleep 600; sleep 600');
      const { outcome, warnings } = await execute({ identity, outcomeGraceMs: 300 });
      assert.deepEqual(outcome, { class: 'success', message: 'ok' });
      assert.deepEqual(warnings.map(({ code }) => code), ['late_exit']);
    },
  },
  {
    name: 'death of its program below another that only tells its status is a lost connection too',
    needs: ['record'],
    part: part([{ do: 'run', command: 'echo begun > begun.txt' }, { do: 'hang' }]),
    play: async ({ execute, inPlaceOf, cwd }) => {
      let leader = 0;
      const begun = execute({ identity: await inPlaceOf('"$CLI" "$@"; exit $?'), onSpawn: ({ pid }) => (leader = pid) });
      await untilWritten(path.join(cwd, 'begun.txt'));
      for (const pid of childrenOf(leader)) process.kill(pid, 'SIGKILL');
      const { outcome } = await begun;
      assert.equal(outcome.class, 'lost');
      assert.match(outcome.class === 'lost' ? outcome.text : '', /137/);
    },
  },
  {
    name: 'a record that ends before its result is no success, whatever the status',
    needs: ['record'],
    part: OK,
    play: async ({ execute, inPlaceOf }) => {
      const { outcome } = await execute({ identity: await inPlaceOf('"$CLI" "$@" | { head -n 1; cat > /dev/null; }; exit 0') });
      assert.ok(outcome.class === 'failed' || outcome.class === 'lost', outcome.class);
      assert.match(outcome.text, /\S.*\.$/s);
    },
  },
  {
    name: 'silence is no success, and its input is closed',
    needs: ['record'],
    part: OK,
    play: async ({ execute, inPlaceOf, startMs }) => {
      for (const mode of ['agent', 'llm'] as const) {
        // With an input that stays open, `cat` does not end.
        const { outcome } = await execute({ mode, identity: await inPlaceOf('cat > /dev/null; exit 0'), timeoutMs: startMs * 6 });
        assert.ok(outcome.class === 'failed' || outcome.class === 'lost', outcome.class);
        assert.match(outcome.text, /\S.*\.$/s);
      }
    },
  },
  {
    name: 'the task is in no argument',
    needs: ['record'],
    part: OK,
    play: async ({ execute, inPlaceOf, cwd }) => {
      for (const mode of ['agent', 'llm'] as const) {
        await execute({ mode, task: 'the-word-of-the-task', identity: await inPlaceOf(`printf '%s\\n' "$@" > '${cwd}/arguments.txt'; cat > /dev/null; exit 0`) });
        assert.doesNotMatch(readFileSync(path.join(cwd, 'arguments.txt'), 'utf8'), /the-word-of-the-task/);
      }
    },
  },
];
