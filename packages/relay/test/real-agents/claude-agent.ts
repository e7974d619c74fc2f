import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { agentCacheFolder, agentCli, makeHome, startStub, type StubServer, type Turn } from '@relayflows/stub-llm';
import { createClaudeHarness } from '../../src/harness/claude/harness.js';
import type { AgentTurnPart, HarnessSetUp, SeenTurn } from '../../src/harness/conformance.js';

/** What one call of Claude Code was given besides its prompt, in the order of the calls. */
interface Call {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
}

/** The real Claude Code, whose model plays a part. A script in front of it notes how it was called. */
export async function setUpClaude(hostScript: string): Promise<HarnessSetUp & { /** The system prompts of its requests. */ readonly systems: () => readonly string[] }> {
  const cli = agentCli('claude');
  if (cli === undefined) throw new Error('claude is not installed at its pinned version. To install it and run these tests: npm run test:agents');
  const homes = join(agentCacheFolder(), 'homes');
  await mkdir(homes, { recursive: true });
  const root = await realpath(await mkdtemp(join(homes, 'relay-claude-')));
  const [bin, repo, person, relay, state] = ['bin', 'repo', 'person', 'relay', 'state'].map((name) => join(root, name)) as [string, string, string, string, string];
  for (const folder of [bin, join(repo, '.claude', 'agents'), person, relay, join(state, 'calls')]) await mkdir(folder, { recursive: true });
  await writeFile(join(repo, '.claude', 'agents', 'coder.md'), '---\nname: coder\ndescription: Codes.\n---\nYou are the coder of this repository.\n');
  await writeFile(
    join(bin, 'claude'),
    ['#!/bin/sh', `calls=${state}/calls`, 'call=$calls/$(ls "$calls" | wc -l)', 'mkdir "$call"', 'env -0 > "$call/env"', 'pwd > "$call/cwd"', 'printf "%s\\0" "$@" > "$call/args"', `echo $$ > ${state}/claude.pid`, `exec ${cli.path} "$@"`, ''].join('\n'),
    { mode: 0o755 },
  );
  let stub: StubServer | undefined;
  const home = await makeHome({ directory: person, url: 'http://127.0.0.1:9' });
  const env = { ...home.environment({ PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`, LANG: 'C.UTF-8' }), ...cli.env };
  const calls = async (): Promise<readonly Call[]> => {
    const names = (await readdir(join(state, 'calls'))).toSorted((a, b) => Number(a) - Number(b));
    return await Promise.all(names.map(async (name) => {
      const text = async (file: string): Promise<string> => await readFile(join(state, 'calls', name, file), 'utf8');
      const variables = (await text('env')).split('\0').filter((line) => line !== '').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const);
      return { cwd: (await text('cwd')).trim(), env: Object.fromEntries(variables), args: (await text('args')).split('\0').slice(0, -1) };
    }));
  };
  return {
    harness: createClaudeHarness({ config: {}, env }), repo, agent: 'coder', env, home: relay,
    make: (changes) => createClaudeHarness({ config: changes.config ?? {}, env: changes.env ?? env }),
    files: async () => Object.fromEntries(await Promise.all((await readdir(repo, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).map(async (entry) => [entry.name, await readFile(join(entry.parentPath, entry.name), 'utf8')] as const))),
    async play(turns) {
      await stub?.stop();
      stub = await startStub({ scenario: { turns: turns.flatMap((part, at) => turnsOf(part, state).map((turn, step) => (step > 0 ? turn : { ...turn, match: { side: false }, ...(at < turns.length - 1 ? { times: 1 } : {}) }))) } });
      await makeHome({ directory: person, url: stub.url });
    },
    async seen() {
      const prompts = promptsOf(stub);
      // A session that is gone never reaches the model.
      const asked = (await calls()).slice(-prompts.length);
      return asked.map(({ cwd, env: given, args }, at): SeenTurn => {
        const resumed = args.indexOf('--resume');
        return { prompt: prompts[at] ?? '', cwd, env: given, ...(resumed < 0 ? {} : { session: args[resumed + 1] ?? '' }) };
      });
    },
    async hanging() {
      const files = ['claude.pid', 'leader.pid', 'child.pid', 'away.pid'].map((name) => join(state, name));
      for (;;) {
        const pids = await Promise.all(files.map(async (file) => (existsSync(file) ? Number(await readFile(file, 'utf8')) : 0)));
        if (pids.every((pid) => pid > 0)) return pids;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    systems: () => (stub?.requests() ?? []).map(({ system }) => system),
    host: { file: process.execPath, args: ['--conditions=development', hostScript, 'claude', '{}'] },
    async tearDown() {
      await stub?.stop();
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** What the model says in a turn of a part. */
function turnsOf({ noise, says, fails, hangs }: AgentTurnPart, state: string): readonly Turn[] {
  const before: readonly Turn[] = noise === undefined ? [] : [{ text: noise, tools: { shell: 'echo looked' } }];
  if (hangs === true) {
    const loop = 'while :; do sleep 1; done';
    return [...before, { tools: { shell: `trap '' TERM; (trap '' TERM; ${loop}) & echo $! > ${state}/child.pid; setsid sh -c "trap '' TERM; ${loop}" & echo $! > ${state}/away.pid; echo $$ > ${state}/leader.pid; ${loop}` } }];
  }
  if (fails === true) return [...before, { error: { status: 400, message: 'The request is not valid.' } }];
  return [...before, { text: says ?? 'Done.' }];
}

/** Each prompt once: a turn makes a request for each of its steps. */
function promptsOf(stub: StubServer | undefined): readonly string[] {
  const prompts: string[] = [];
  let length = 0;
  for (const { user, tool_results: results, body } of stub?.requests() ?? []) {
    const messages = (body['messages'] as readonly unknown[] | undefined)?.length ?? 0;
    if (results.length === 0 && (user !== prompts.at(-1) || messages !== length)) prompts.push(user);
    length = messages;
  }
  return prompts;
}
