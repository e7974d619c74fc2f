import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { preflightAgents, type PreflightRequest } from '../../src/agents/preflight.js';
import { createAgentServices } from '../../src/agents/services.js';
import { createRedactor } from '../../src/redaction/redactor.js';
import { folder, scriptedAgent } from './fixture.js';

const redact = createRedactor({ env: {} });
const check = async (request: Partial<PreflightRequest>) =>
  await preflightAgents({ agents: createAgentServices({ redact }), headers: [], config: undefined, run: { cwd: folder(), hostEnv: process.env }, code: ['f.agent("x", {})'], ...request });

describe('preflightAgents', () => {
  it('resolves and probes what the header and the configuration name, once per CLI and model', async () => {
    const agent = scriptedAgent({});
    const run = { cwd: folder(), hostEnv: process.env };
    const agents = createAgentServices({ redact });
    const header = { agents: { coder: { cli: agent.path, model: 'm1' }, reviewer: { cli: agent.path, model: 'm1' } } };
    const request = { agents, run, headers: [header], config: { cli: agent.path, models: ['m1'] } };
    const found = { cli: agent.path, adapter: 'wrapper', executable: agent.path };
    expect(await check(request)).toEqual({ resolutions: [{ ...found, agent: 'coder', model: 'm1' }, { ...found, agent: 'reviewer', model: 'm1' }, found], problems: [], warnings: [] });
    expect(agent.log().filter(({ asked }) => asked === 'auth')).toHaveLength(2);
    await agents.resolve({ name: 'coder', header, config: undefined, run });
    expect(agent.log().filter(({ asked }) => asked === 'auth')).toHaveLength(2);
  });

  it('collects every problem, and names one that two agents share once', async () => {
    const unsigned = scriptedAgent({ signedIn: false });
    const { problems, resolutions } = await check({
      config: { models: ['m1'] },
      headers: [
        { agents: { a: { cli: 'no-such-cli', model: 'm1' }, b: { cli: 'no-such-cli', model: 'm1' }, c: { cli: unsigned.path, model: 'm1' } } },
        { agents: { d: { cli: unsigned.path, model: 'm2' }, e: { cli: 'cursor', model: 'm1' } } },
      ],
    });
    expect(problems.map(({ code }) => code)).toEqual(['cli_missing', 'cli_unauthenticated', 'model_unavailable', 'cli_unsupported']);
    expect(problems.map(({ exitCode }) => exitCode)).toEqual([2, 2, 2, 2]);
    expect(resolutions).toEqual([]);
  });

  it('looks at the default CLI only where a body asks for agents, and only warns when the header names others', async () => {
    const config = { cli: './nowhere' };
    for (const code of ['await f.run("make")', 'f.run("agent (x)")', 'const header = { agents: {} }']) {
      expect(await check({ config, code: [code] })).toEqual({ resolutions: [], problems: [], warnings: [] });
    }
    for (const code of ['f.agent("a", {})', 'f.llm`x`', 'f . agent (', 'const { agent } = f', 'const { run, llm: ask, done } = f', 'async ({ agent }) => {}']) {
      expect((await check({ config, code: [code] })).problems).toEqual([expect.objectContaining({ code: 'cli_missing' })]);
    }
    const agent = scriptedAgent({});
    expect(await check({ config, headers: [{ agents: { a: { cli: agent.path, model: 'm' } } }] })).toMatchObject({
      problems: [], warnings: [{ code: 'agent_worker_unresolved', text: expect.stringContaining('nowhere') }],
    });
  });

  it('takes paths from the directory of the run', async () => {
    const agent = scriptedAgent({});
    const { resolutions } = await check({ run: { cwd: join(agent.path, '../..'), hostEnv: process.env }, headers: [{ agents: { a: { cli: 'bin/agent', model: 'm' } } }] });
    expect(resolutions).toMatchObject([{ executable: agent.path }]);
  });

  it('rejects when it is aborted', async () => {
    const agent = scriptedAgent({ identity: [{ hang: true }] });
    const stop = new AbortController();
    const checking = check({ headers: [{ agents: { a: { cli: agent.path, model: 'm' } } }], signal: stop.signal });
    setImmediate(() => stop.abort());
    await expect(checking).rejects.toMatchObject({ code: 'canceled' });
  });
});
