import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { agentCacheFolder, agentCli, makeHome, startStub, type HomeOptions, type InstalledCli, type Scenario, type StubRequest, type StubServer } from '@relayflows/stub-llm';
import type { AgentPart, AgentSetUp, ModelRequest } from '../../src/agents/conformance.js';
import type { AgentAdapter, AgentIdentity } from '../../src/agents/port.js';
import { superviseProcess } from '../../src/process/supervise.js';
import { createRedactor } from '../../src/redaction/redactor.js';
import { isAside, scenarioOf, type CliName } from './part-scenario.js';

/** A real CLI in a home of its own, whose model server plays a scenario. */
export interface RealAgent {
  readonly executable: string;
  readonly hostEnv: Readonly<Record<string, string>>;
  readonly home: string;
  readonly stub: StubServer;
  /** Requests of the CLI's conversations, without those for a title and the like. */
  readonly requests: () => readonly StubRequest[];
  readonly stop: () => Promise<void>;
}

/** The pinned CLI. Throws where it is not installed: these tests are only run where it should be. */
export function installed(name: CliName): InstalledCli {
  const cli = agentCli(name);
  if (cli === undefined) throw new Error(`${name} is not installed at its pinned version. To install it and run these tests: npm run test:agents`);
  return cli;
}

export async function startAgent(name: CliName, scenario: Scenario, signIn: Pick<HomeOptions, 'signedIn' | 'account'> = {}): Promise<RealAgent> {
  const { path, env } = installed(name);
  const stub = await startStub({ scenario });
  // Not below the system's temporary folder: codex warns about a home there.
  const homes = join(agentCacheFolder(), 'homes');
  await mkdir(homes, { recursive: true });
  const home = await makeHome({ directory: await mkdtemp(join(homes, `${name}-`)), url: stub.url, ...signIn });
  return {
    executable: path,
    hostEnv: { ...home.environment(), ...env },
    home: home.directory,
    stub,
    requests: () => stub.requests().filter(({ system }) => !isAside(name, system)),
    stop: async () => {
      await stub.stop();
      await rm(home.directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** What the conformance suite is given for a real CLI. */
export function setUpFor(name: CliName, adapter: AgentAdapter): (part: AgentPart) => Promise<AgentSetUp> {
  let identity: AgentIdentity | undefined;
  return async (part) => {
    // Only for a plan Claude Code reads when a limit resets from what the provider sends.
    const account = part.turns.flat().some((deed) => deed.do === 'fail' && deed.because === 'usage_limit') ? 'person' : 'key';
    const agent = await startAgent(name, scenarioOf(part, name), { signedIn: part.signedIn, account });
    if (part.signedIn) identity ??= await identityOf(agent, adapter);
    return {
      adapter,
      ...(identity === undefined || !part.signedIn ? {} : { identity }),
      executable: agent.executable,
      hostEnv: agent.hostEnv,
      received: async () => seenBy(agent).received(),
      requests: async () => seenBy(agent).requests(),
      tearDown: agent.stop,
    };
  };
}

async function identityOf({ executable, hostEnv, home }: RealAgent, adapter: AgentAdapter): Promise<AgentIdentity> {
  const redact = createRedactor({ env: hostEnv });
  return await adapter.probe({ executable, cwd: home, hostEnv, marker: { runId: `real-agents-${process.pid}`, stepId: 'probe', attempt: 1 }, supervise: superviseProcess, redaction: () => redact.stream() });
}

/** What reached the model of an agent. */
export function seenBy(agent: RealAgent): { readonly received: () => readonly string[]; readonly requests: () => readonly ModelRequest[] } {
  return {
    received: () => tasksOf(agent.requests()),
    requests: () => agent.requests().map(({ tools, body }) => ({ tools, conversation: JSON.stringify(body) })),
  };
}

/**
 * The tasks, each once. A task is in every request of its turn, and in those of later turns of its session; a turn that asks for the same once more has it
 * once more in its conversation.
 */
function tasksOf(requests: readonly StubRequest[]): readonly string[] {
  const seen = new Map<string, string>();
  for (const { user, body } of requests) {
    const times = JSON.stringify(body).split(JSON.stringify(user).slice(1, -1)).length;
    seen.set(`${times} ${user}`, user);
  }
  return [...seen.values()];
}
