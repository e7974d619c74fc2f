import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { execute, type Execute } from '../../../src/process/execute.js';
import type { RunnerSetUp } from '../../../src/runner/conformance.js';
import type { Runner, RunnerRepo } from '../../../src/runner/port.js';
import { createOrcaRunner, type OrcaRunnerOptions } from '../../../src/runner/orca/index.js';
import { GitScene } from '../git-scene.js';

const fake = (name: string): string => fileURLToPath(new URL(`fake/${name}`, import.meta.url));

/** A busy machine may take long to start a fake, and the deadlines of calls are not what these tests are about. */
const patient: Execute = async (execution) => await execute({ ...execution, timeoutMs: execution.timeoutMs * 20 });

interface FakeState {
  readonly made: { readonly repos: number; readonly worktrees: number; readonly terminals: number };
  readonly terminals: readonly { readonly handle: string; readonly title: string; readonly cwd: string; readonly tabId: string }[];
  readonly worktrees: readonly { readonly displayName: string; readonly path: string; readonly branch?: string; readonly status?: string }[];
}

/** A repository, and an Orca of which everything but the command line is a fake. */
export class OrcaScene {
  readonly git = new GitScene();
  readonly repo: RunnerRepo = { name: 'shop', path: this.git.repository('shop') };
  readonly env: Readonly<Record<string, string>>;
  #files = 0;

  constructor() {
    mkdirSync(this.git.path('orca'));
    this.env = { ...this.git.env, ORCA_CLI_COMMAND: fake('orca.mjs'), FAKE_ORCA_HOME: this.git.path('orca') };
  }

  runner(options: Partial<OrcaRunnerOptions> = {}): Runner {
    return createOrcaRunner({ config: {}, env: this.env, settleMs: 30, run: patient, ...options });
  }

  /** Speaks with the fake, past what Orca offers. */
  async fake(...args: readonly string[]): Promise<unknown> {
    const { stdout } = await promisify(execFile)(fake('orca.mjs'), ['fake', ...args], { env: this.env });
    return JSON.parse(stdout);
  }

  async set(settings: Readonly<Record<string, unknown>>): Promise<void> {
    await this.fake('set', JSON.stringify(settings));
  }

  async state(): Promise<FakeState> {
    return (await this.fake('get')) as FakeState;
  }

  async handlesIn(ticket: string): Promise<readonly string[]> {
    const { terminals, worktrees } = await this.state();
    const at = worktrees.find(({ displayName }) => displayName === ticket)?.path;
    return terminals.filter(({ cwd }) => cwd === at).map(({ handle }) => handle);
  }

  async open(ticket: string, title: string): Promise<string> {
    const worktree = (await this.state()).worktrees.find(({ displayName }) => displayName === ticket);
    return (await this.fake('open', worktree?.path ?? '', title)) as string;
  }

  newFile(): string {
    this.#files += 1;
    return this.git.path(`heard-${this.#files}`);
  }

  listener(file: string): { readonly file: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> } {
    return { file: process.execPath, args: [fake('listener.mjs'), file], env: {} };
  }

  async clear(): Promise<void> {
    await this.fake('stop');
    this.git.clear();
  }

  /** What `runnerConformance` needs. `lose` is how Orca fails to answer. */
  setUp(lose: 'hang-up' | 'runtime-error'): RunnerSetUp {
    return {
      runner: this.runner(),
      another: () => this.runner(),
      repo: this.repo,
      unusable: { name: 'nothing', path: this.git.path('nothing') },
      git: async (at, ...args) => this.git.git(at, ...args),
      workspacesMade: async () => (await this.state()).made.worktrees,
      loseAnswer: () => this.set({ lose }),
      unplug: () => this.set({ app: lose === 'hang-up' ? 'refused' : 'unavailable' }),
      terminals: {
        listener: (file) => this.listener(file),
        newFile: () => this.newFile(),
        terminalsMade: async () => (await this.state()).made.terminals,
        open: ({ ticket, title }) => this.open(ticket, title),
        openIn: ({ ticket }) => this.handlesIn(ticket),
        restart: async () => void (await this.fake('restart')),
        overwriteTitle: async (handle, title) => void (await this.fake('terminal', handle, JSON.stringify({ paneTitle: title }))),
        swallowEnter: () => this.set({ swallow: 1 }),
        ask: async (handle) => void (await this.fake('terminal', handle, JSON.stringify({ asks: true }))),
      },
      tearDown: () => this.clear(),
    };
  }
}
