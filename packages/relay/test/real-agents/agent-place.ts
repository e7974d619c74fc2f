import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { agentCacheFolder, agentCli, makeHome, startStub, type AgentCliName, type Scenario, type StubServer } from '@relayflows/stub-llm';
import { onTestFinished } from 'vitest';
import { World } from '../server/world.js';

const COMMAND = fileURLToPath(new URL('../../bin/relay-flow.js', import.meta.url));

/** A home, a repository and tickets, and an environment in which a real coding agent is found by its name, whose model plays a scenario. */
export interface AgentPlace {
  readonly world: World;
  readonly stub: StubServer;
  /** Of the server, and so of its agents. */
  readonly env: Readonly<Record<string, string>>;
  /** For notes of agents; nobody else writes there. */
  readonly notes: string;
  /** Files that are there before a ticket's worktree is made. */
  readonly commit: (files: Readonly<Record<string, string>>) => void;
  /** Runs the real command as a person does, and answers what it printed. */
  readonly relayFlow: (...args: readonly string[]) => Promise<string>;
  /** Takes `relay-flow` off the PATH. */
  readonly hideCommand: () => void;
  /** The prompts that the model got, each once. */
  readonly prompts: () => readonly string[];
}

export interface AgentPlaceOptions {
  readonly agent: AgentCliName;
  /** Answers of the model; the folder of notes is given to it. */
  readonly scenario: (notes: string) => Scenario;
  /** config.yaml, as far as it is not that of every world. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly variables?: Readonly<Record<string, string>>;
}

export async function agentPlace({ agent, scenario, config, variables = {} }: AgentPlaceOptions): Promise<AgentPlace> {
  const cli = agentCli(agent);
  if (cli === undefined) throw new Error(`${agent} is not installed at its pinned version. To install it and run these tests: npm run test:agents`);
  const homes = join(agentCacheFolder(), 'homes');
  mkdirSync(homes, { recursive: true });
  const root = mkdtempSync(join(homes, `relay-server-${agent}-`));
  const [bin, notes] = [join(root, 'bin'), join(root, 'notes')];
  for (const folder of [bin, notes]) mkdirSync(folder);
  symlinkSync(cli.path, join(bin, agent.replace(/-[0-9.]+$/, '')));
  symlinkSync(COMMAND, join(bin, 'relay-flow'));
  const stub = await startStub({ scenario: scenario(notes) });
  const home = await makeHome({ directory: join(root, 'home'), url: stub.url });
  const nodes = cli.env?.['PATH'] ?? `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
  const world = await new World({}, { harnessConfig: {}, ...config }).init();
  const env = { ...home.environment(), PATH: `${bin}:${nodes}`, RELAY_FLOW_HOME: world.home.root, ...variables };
  onTestFinished(async () => {
    await stub.stop();
    world.remove();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    world, stub, env, notes,
    commit(files) {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(world.repo, name)), { recursive: true });
        writeFileSync(join(world.repo, name), text);
      }
      for (const args of [['add', '.'], ['commit', '-qm', 'Add files']]) execFileSync('git', args, { cwd: world.repo, env });
    },
    async relayFlow(...args) {
      const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, ...args], { env });
      return stdout;
    },
    hideCommand: () => rmSync(join(bin, 'relay-flow')),
    prompts: () => promptsOf(stub),
  };
}

/** Starts the server as a process of its own and waits until it answers. It ends with the test. */
export async function serveApart({ world, env }: AgentPlace): Promise<ChildProcess> {
  const server = spawn(process.execPath, [COMMAND, 'serve', '--debug'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  server.stderr.on('data', (piece) => (said += String(piece)));
  onTestFinished(async () => await ended(server, 'SIGTERM'));
  for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
    if (server.exitCode !== null || server.signalCode !== null) break;
    if (await world.client.call('health', {}).then(() => true, () => false)) return server;
  }
  throw new Error(`The server did not start: ${said}`);
}

export async function ended(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exit = once(server, 'exit');
  server.kill(signal);
  await exit;
}

/** Each prompt once: a turn makes a request for each of its steps. */
function promptsOf(stub: StubServer): readonly string[] {
  return stub.requests().filter(({ side, tool_results: results }) => side !== true && results.length === 0).map(({ user }) => user);
}

export function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
