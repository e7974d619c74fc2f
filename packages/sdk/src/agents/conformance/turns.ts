import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { part, type Scenario } from './scenario.js';
import { tracesIn } from './traces.js';

/** No line twice: some CLIs take repetition for a model that has lost itself. */
const LONG_MESSAGE = `Größe: 😀👩‍👩‍👧 „naïve“ – 日本語.\n\n${Array.from({ length: 40 }, (_, at) => `- Zeile ${at} mit Ümläuten und 🎉, ${'lang '.repeat(at % 7)}genug für mehrere Teile.\n`).join('')}\nEnde.`;

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
    name: 'the last message is the result, is reported as an event, and nothing is touched',
    part: part([{ do: 'say', text: 'All is done.' }]),
    play: async ({ execute, cwd }) => {
      const { outcome, events, warnings } = await execute();
      assert.deepEqual(outcome, { class: 'success', message: 'All is done.' });
      assert.equal(events.filter((event) => event.type === 'message' && event.text === 'All is done.').length, 1);
      assert.deepEqual(warnings, []);
      assert.deepEqual(await tracesIn(cwd), []);
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
    name: 'a long message of any characters arrives whole',
    part: part([{ do: 'say', text: LONG_MESSAGE }]),
    play: async ({ execute }) => {
      assert.deepEqual((await execute()).outcome, { class: 'success', message: LONG_MESSAGE });
    },
  },
  {
    name: 'a task of 300 KB arrives byte for byte',
    part: part([{ do: 'say', text: 'read' }]),
    play: async ({ execute, received }) => {
      const task = `\n  First line.\r\n\t"quoted" 'single' $HOME \`x\` \\ @file /command ${'é😀'.repeat(40_000)}\nLast line.\n\n`;
      assert.equal((await execute({ task })).outcome.class, 'success');
      assertSame((await received())[0], task);
      assert.equal((await received()).length, 1);
    },
  },
  {
    name: 'a task that looks like an argument or a command is a task',
    part: part([{ do: 'say', text: 'read' }]),
    play: async ({ execute, received }) => {
      const tasks = ['--help', '/init it, and look at @nowhere.txt', '!ls'];
      for (const task of tasks) assert.deepEqual((await execute({ task })).outcome, { class: 'success', message: 'read' }, task);
      // A blank before it may be what keeps a CLI from reading it as a command.
      assert.deepEqual((await received()).map((task) => task.trimStart()), tasks);
    },
  },
  {
    name: 'an agent works in its directory',
    part: part([{ do: 'write', path: 'written.txt', content: 'by the agent\n' }, { do: 'run', command: 'cat written.txt > copied.txt' }, { do: 'say', text: 'ok' }]),
    play: async ({ execute, cwd }) => {
      assert.equal((await execute()).outcome.class, 'success');
      assert.equal(readFileSync(path.join(cwd, 'written.txt'), 'utf8'), 'by the agent\n');
      assert.equal(readFileSync(path.join(cwd, 'copied.txt'), 'utf8'), 'by the agent\n');
    },
  },
  {
    name: 'an agent commits to its repository',
    part: part([{ do: 'write', path: 'written.txt', content: 'by the agent\n' }, { do: 'commit', message: 'Write the file' }, { do: 'say', text: 'ok' }]),
    play: async ({ execute, cwd }) => {
      const git = (...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
      git('init', '-q', '.');
      git('config', 'user.name', 'An agent');
      git('config', 'user.email', 'agent@example.invalid');
      assert.equal((await execute()).outcome.class, 'success');
      assert.equal(git('log', '--format=%s'), 'Write the file\n');
      assert.equal(git('show', 'HEAD:written.txt'), 'by the agent\n');
      assert.equal(git('status', '--porcelain'), '');
    },
  },
  {
    name: 'a tool may print 20 MB, and bytes that are no text',
    part: part([{ do: 'run', command: "printf '\\377\\376\\303'; head -c 20000000 /dev/zero | tr '\\0' x; printf '\\360\\237'" }, { do: 'say', text: 'ok' }]),
    play: async ({ execute }) => {
      assert.deepEqual((await execute()).outcome, { class: 'success', message: 'ok' });
    },
  },
  {
    name: 'an agent that may only read changes nothing, whatever it tries',
    needs: ['readonly'],
    part: { ...part([{ do: 'write', path: 'written.txt', content: 'x' }, { do: 'run', command: 'echo x > run.txt' }, { do: 'say', text: 'I could not.' }]), stubborn: true },
    play: async ({ execute, cwd }) => {
      const { outcome } = await execute({ permissions: { accessPreset: 'readonly' } });
      assert.deepEqual(outcome, { class: 'success', message: 'I could not.' });
      assert.deepEqual(await tracesIn(cwd), []);
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
    needs: ['usage'],
    part: part([{ do: 'run', command: 'true' }, { do: 'say', text: 'ok', usage: { input: 500, output: 60 } }]),
    play: async ({ execute }) => {
      const { usage, events } = await execute();
      assert.ok(usage !== undefined && usage.inputTokens >= 500 && usage.outputTokens >= 60);
      assert.deepEqual(events.filter((event) => event.type === 'usage').at(-1), { type: 'usage', ...usage });
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
];

/** Without printing hundreds of kilobytes when they are not. */
function assertSame(actual: string | undefined, expected: string): void {
  if (actual === expected) return;
  assert.ok(actual !== undefined, 'no task arrived');
  let at = 0;
  while (at < expected.length && actual[at] === expected[at]) at += 1;
  assert.fail(`${actual.length} characters arrived instead of ${expected.length}; from ${at} on: ${JSON.stringify(actual.slice(Math.max(0, at - 20), at + 40))}`);
}
