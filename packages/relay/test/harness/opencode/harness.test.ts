import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { parseAgents } from '../../../src/harness/opencode/agents.js';
import { createOpencodeHarness } from '../../../src/harness/opencode/harness.js';
import type { Launch } from '../../../src/harness/port.js';
import { folder, script } from '../workbench.js';

const harness = createOpencodeHarness({ config: { model: 'stub/model' }, env: process.env });
const launch: Launch = { cwd: '/workspace', title: 'T-1:build', agent: 'coder', nodeType: 'agent', prompt: 'Build it.', purpose: 'initial', env: {} };

describe('the command of an OpenCode session', () => {
  it('begins with the prompt as an argument', () => {
    expect(createOpencodeHarness({ config: {}, env: {} }).buildCommand(launch)).toEqual({ file: 'opencode', args: ['--agent', 'coder', '--prompt', 'Build it.'], env: {} });
    expect(harness.buildCommand(launch).args).toEqual(['--agent', 'coder', '--model', 'stub/model', '--prompt', 'Build it.']);
  });

  it('goes on without a prompt, which it would lose, and has it sent by its plugin (pitfall 1)', () => {
    expect(createOpencodeHarness({ config: {}, env: {} }).buildCommand({ ...launch, purpose: 'feedback', sessionId: 'ses_1' })).toEqual({ file: 'opencode', args: ['--session', 'ses_1', '--agent', 'coder'], env: { RELAY_FLOW_RESUME_JSON: '{"sessionId":"ses_1","text":"Build it.","agent":"coder"}' } });
    const withModel = createOpencodeHarness({ config: { model: 'router/maker/model' }, env: {} }).buildCommand({ ...launch, purpose: 'feedback', sessionId: 'ses_1' });
    expect(JSON.parse(withModel.env['RELAY_FLOW_RESUME_JSON'] ?? '')).toEqual({ sessionId: 'ses_1', text: 'Build it.', agent: 'coder', provider: 'router', model: 'maker/model' });
  });
});

describe('the agents of a repository', () => {
  it('are the first words of lines that are not indented and begin no list', () => {
    expect(parseAgents('build (primary)\n  [\n  {\n    "permission": "*"\n  }\n  ]\n\nexplore (subagent)\n[]\nmy-agent\r\n{\n}\n\u001B[1mbold\u001B[0m (all)\n')).toEqual([
      { name: 'build', mode: 'primary' }, { name: 'explore', mode: 'subagent' }, { name: 'my-agent' }, { name: 'bold', mode: 'all' },
    ]);
    expect(parseAgents('')).toEqual([]);
  });

  it('are asked for in the repository, and subagents are none that can begin', async () => {
    const bin = await folder();
    const repo = await folder();
    await script(join(bin, 'opencode'), 'pwd > "$(dirname "$0")/where"', 'echo "$@" >> "$(dirname "$0")/arguments"', 'printf \'build (primary)\\nexplore (subagent)\\n\'');
    const asked = createOpencodeHarness({ config: {}, env: { PATH: `${bin}:/usr/bin:/bin` } });
    await asked.validateAgent({ path: repo, agent: 'build' });
    expect(await readFile(join(bin, 'where'), 'utf8')).toBe(`${repo}\n`);
    expect(await readFile(join(bin, 'arguments'), 'utf8')).toBe('agent list\n');
    await expect(asked.validateAgent({ path: repo, agent: 'explore' })).rejects.toThrow(expect.objectContaining({ code: 'harness_rejected', text: expect.stringContaining('is a subagent') }));
    await expect(asked.validateAgent({ path: repo, agent: 'Build' })).rejects.toThrow(expect.objectContaining({ code: 'harness_rejected', hint: 'It has build.' }));
    // Once for the names it knows, and again for one it does not.
    expect(await readFile(join(bin, 'arguments'), 'utf8')).toBe('agent list\nagent list\n');
  });

  it('are not known when OpenCode fails', async () => {
    const bin = await folder();
    await script(join(bin, 'opencode'), 'echo "secret words" >&2', 'exit 1');
    const failing = createOpencodeHarness({ config: {}, env: { PATH: `${bin}:/usr/bin:/bin` } });
    await expect(failing.validateAgent({ path: bin, agent: 'build' })).rejects.toThrow(expect.objectContaining({ code: 'harness_rejected', text: `OpenCode could not list its agents for ${bin}: it ended with 1.` }));
  });
});

it('enters the plugin at the version it comes with', async () => {
  const repo = await folder();
  await harness.setupRepo({ path: repo });
  const { version } = createRequire(import.meta.url)('relay-flow-plugin/package.json') as { readonly version: string };
  expect(JSON.parse(await readFile(join(repo, 'opencode.json'), 'utf8'))).toMatchObject({ plugin: [`relay-flow-plugin@${version}`] });
});

it.each([{ model: 'model' }, { model: '-m/x' }, { plugin: 'x' }])('refuses the setting %j', (config) => {
  expect(() => createOpencodeHarness({ config, env: {} })).toThrow(expect.objectContaining({ code: 'config_invalid' }));
});
