import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createRuntime, sealFlow, withChangeCommands, type RunReport } from '@relayflows/sdk';
import { agentCacheFolder, agentCli, makeHome, startStub, type HomeOptions, type InstalledCli, type Scenario, type StubServer } from '@relayflows/stub-llm';
import { onTestFinished } from 'vitest';
import { generate, type Agent } from '../../src/index.js';
import { Place, TICKET } from '../flow/place.js';

/** What a change request is in a folder that stands in for a forge. */
export interface OpenChange {
  readonly title: string;
  readonly draft: boolean;
  readonly description: string;
}

/** A repository in which a generated flow runs with a real agent, whose model server plays a scenario, and with a folder for a forge. */
export class Garden {
  readonly place: Place;
  readonly #agents: readonly Agent[];
  readonly #stub: StubServer;
  readonly #env: Readonly<Record<string, string>>;
  readonly #forge: string;

  private constructor(place: Place, agents: readonly Agent[], stub: StubServer, env: Readonly<Record<string, string>>) {
    this.place = place;
    this.#agents = agents;
    this.#stub = stub;
    this.#forge = join(place.folder, 'forge');
    this.#env = { ...env, RELAYFLOW_FORGE_DIR: this.#forge };
  }

  /** The first agent builds, and the second, where there is one, reviews. */
  static async create(agents: readonly Agent[], scenario: Scenario, files: Readonly<Record<string, string>>, account: HomeOptions['account'] = 'key'): Promise<Garden> {
    const place = new Place(files);
    const stub = await startStub({ scenario });
    // Not below the system's temporary folder: codex warns about a home there.
    const homes = join(agentCacheFolder(), 'homes');
    mkdirSync(homes, { recursive: true });
    const home = await makeHome({ directory: mkdtempSync(join(homes, `garden-${agents.join('-')}-`)), url: stub.url, account });
    onTestFinished(async () => {
      await stub.stop();
      rmSync(home.directory, { recursive: true, force: true, maxRetries: 5 });
    });
    const bin = join(place.folder, 'agents');
    mkdirSync(bin);
    let env = home.environment();
    for (const agent of agents) {
      const cli = installed(agent);
      symlinkSync(cli.path, join(bin, agent));
      env = { ...env, ...cli.env };
    }
    return new Garden(place, agents, stub, { ...env, PATH: [bin, env.PATH ?? ''].join(delimiter) });
  }

  /** Runs the flow that the generator makes for these agents, or what is made of it. */
  async run(change: (source: string) => string = (source) => source): Promise<RunReport> {
    const flow = join(this.place.folder, 'garden.flow.ts');
    writeFileSync(flow, change(generate({ version: 1, sources: [{ kind: 'github' }], agents: [...this.#agents], workflow: 'traditional' })));
    const runtime = createRuntime({ dataDir: join(this.place.folder, 'data'), env: withChangeCommands(this.#env) });
    try {
      return await runtime.run(await sealFlow(flow), { input: { issue: TICKET, approver: 'alex' }, cwd: this.place.repo }).result;
    } finally {
      await runtime.close();
    }
  }

  /** The change requests that are open. */
  get changes(): readonly OpenChange[] {
    const open = join(this.#forge, 'open');
    const read = (folder: string, file: string): string => readFileSync(join(open, folder, file), 'utf8');
    return (existsSync(open) ? readdirSync(open) : []).map((folder) => {
      const { title, draft } = JSON.parse(read(folder, 'change.json')) as OpenChange;
      return { title, draft, description: read(folder, 'description.md') };
    });
  }

  /** The subjects of the commits that the remote has of the branch, the newest first. */
  get pushed(): readonly string[] {
    this.place.git('fetch', '-q', 'origin');
    const log = this.place.git('log', '--format=%s', '--remotes=origin/relayflow/*', '--not', 'main');
    return log === '' ? [] : log.split('\n');
  }

  /** Which roles the model was asked to play, in order, each once for a turn. */
  get roles(): readonly string[] {
    const prompts = this.#stub.requests().filter(({ side }) => !side).map(({ user }) => roleIn(user));
    return prompts.filter((role, at) => role !== prompts[at - 1]);
  }
}

function installed(agent: Agent): InstalledCli {
  const cli = agentCli(agent);
  if (cli === undefined) throw new Error(`${agent} is not installed at its pinned version. To install it and run these tests: npm run test:agents`);
  return cli;
}

/** What only the rules of a role say. */
const RULES: Readonly<Record<string, string>> = {
  'check-discovery': 'Write a POSIX shell script to .relayflow/check.sh',
  'planner': 'Write the plan to plan.md',
  'plan-reviewer': 'to reviewed-plan.md',
  'check-repair': 'Never skip, delete or weaken a test',
  'fixer': 'Bring summary.md up to date',
  'adversary': 'create the empty file review.clean',
  'implementer': 'Write summary.md: what changed',
};

function roleIn(prompt: string): string {
  return Object.entries(RULES).find(([, words]) => prompt.includes(words))?.[0] ?? prompt;
}
