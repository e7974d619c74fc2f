import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { agentCacheFolder, agentCli, makeHome, startStub } from '@relayflows/stub-llm';
import { needsAgentCli } from 'test-tools';
import { expect, onTestFinished } from 'vitest';
import { createOpencodeHarness } from '../../src/harness/opencode/harness.js';
import { createPiHarness } from '../../src/harness/pi/harness.js';
import type { Launch } from '../../src/harness/port.js';

const launch: Launch = { cwd: '/workspace', title: 'T-1:build', agent: 'build', nodeType: 'agent', prompt: 'Build it.', purpose: 'initial', env: {} };

/** A repository and the environment of a server, in which a CLI is found by its name. */
async function place(name: 'opencode' | 'pi-1.6.0'): Promise<{ readonly repo: string; readonly home: string; readonly env: Record<string, string> }> {
  const homes = join(agentCacheFolder(), 'homes');
  await mkdir(homes, { recursive: true });
  const root = await mkdtemp(join(homes, `relay-${name}-`));
  onTestFinished(async () => await rm(root, { recursive: true, force: true, maxRetries: 5 }));
  const home = await makeHome({ directory: join(root, 'home'), url: 'http://127.0.0.1:9' });
  const cli = agentCli(name);
  const [repo, bin] = [join(root, 'repo'), join(root, 'bin')];
  await mkdir(repo);
  await mkdir(bin);
  await symlink(cli?.path ?? '', join(bin, name === 'opencode' ? name : 'pi'));
  await promisify(execFile)('git', ['init', '-q', repo]);
  const nodes = cli?.env?.['PATH'] ?? dirname(process.execPath);
  return { repo, home: home.directory, env: home.environment({ ...process.env, PATH: `${bin}:${nodes}:/usr/bin:/bin` }) };
}

/** What shells and terminals take for something else. */
const ODD = 'Prompt with "double", \'single\' and `back` quotes, $HOME $(x) \\ {{ticket}}\n\n-- @file /review\tä 漢字 🦊';

const switchesOf = (args: readonly string[]): readonly string[] => args.filter((arg) => /^--[a-z-]+$/.test(arg));

needsAgentCli('opencode')('the real OpenCode lists its agents, and knows every switch it is given', async () => {
  const { repo, env } = await place('opencode');
  const harness = createOpencodeHarness({ config: { model: 'stub/model' }, env });
  await harness.probe({ signal: AbortSignal.timeout(5_000) });
  await harness.validateAgent({ path: repo, agent: 'build' });
  await harness.validateAgent({ path: repo, agent: 'plan' });
  await expect(harness.validateAgent({ path: repo, agent: 'nobody' })).rejects.toThrow(expect.objectContaining({ code: 'harness_rejected', hint: expect.stringMatching(/^It has .*\bbuild\b/) }));
  await expect(harness.validateAgent({ path: repo, agent: 'general' })).rejects.toThrow(expect.objectContaining({ code: 'harness_rejected', text: expect.stringContaining('is a subagent') }));
  const { stdout, stderr } = await promisify(execFile)('opencode', ['--help'], { env });
  for (const sessionId of [undefined, 'ses_1']) {
    for (const name of switchesOf(harness.buildCommand({ ...launch, ...(sessionId === undefined ? {} : { sessionId }) }).args)) expect(stdout + stderr).toMatch(new RegExp(`${name}\\s`));
  }
});

needsAgentCli('opencode')('the real OpenCode reads the configuration that was edited', async () => {
  const { repo, env } = await place('opencode');
  // A plugin that is a file, since nothing is fetched here.
  const harness = createOpencodeHarness({ config: {}, env, plugin: './plugin.js' });
  await promisify(execFile)('sh', ['-c', 'printf \'{ // mine\\n  "agent": {"mine": {"mode": "primary", "prompt": "x"}},\\n}\\n\' > opencode.json; echo "export const Plugin = async () => { await import(\\"node:fs\\").then((fs) => fs.writeFileSync(\\"loaded\\", \\"\\")); return {} }" > plugin.js'], { cwd: repo });
  await harness.setupRepo({ path: repo });
  await harness.validateAgent({ path: repo, agent: 'mine' });
  expect(await readFile(join(repo, 'loaded'), 'utf8')).toBe('');
  expect(await readFile(join(repo, 'opencode.json'), 'utf8')).toContain('// mine');
});

needsAgentCli('pi-1.6.0')('the real Pi takes a prompt, an agent and a session as they are given', async () => {
  const { repo, env, home } = await place('pi-1.6.0');
  const stub = await startStub({ scenario: { turns: [{ text: 'Done.' }] } });
  onTestFinished(async () => await stub.stop());
  await makeHome({ directory: home, url: stub.url });
  await mkdir(join(repo, '.pi', 'prompts'), { recursive: true });
  await writeFile(join(repo, '.pi', 'prompts', 'coder.md'), '---\ndescription: Codes\n---\nYou are the coder. $@\n');
  const harness = createPiHarness({ config: {}, env });
  await harness.probe({ signal: AbortSignal.timeout(5_000) });
  /** Without a terminal it answers once and ends. */
  const run = async (changes: Partial<Launch>): Promise<string | undefined> => {
    const { file, args } = harness.buildCommand({ ...launch, agent: 'default', ...changes });
    const child = promisify(execFile)(file, [...args], { cwd: repo, env });
    child.child.stdin?.end();
    await child;
    return stub.requests().at(-1)?.user;
  };
  expect(await run({ prompt: ODD })).toBe(ODD);
  expect(await run({ agent: 'coder', prompt: 'Build it.' })).toContain('You are the coder. Build it.');
  // The template's own rule; a prompt for an agent with one has neither quotes nor lines of its own to lose.
  expect(await run({ agent: 'coder', prompt: 'Build "it"\nnow.' })).toContain('You are the coder. Build it now.');
  const sessionId = '11111111-2222-4333-8444-555555555555';
  expect(await run({ sessionId, prompt: 'First.' })).toBe('First.');
  expect(await run({ agent: 'coder', sessionId, purpose: 'feedback', prompt: 'Second.' })).toBe('Second.');
  expect(JSON.stringify(stub.requests().at(-1)?.body)).toContain('First.');
});
