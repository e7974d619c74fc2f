import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSqliteJournal } from '@relayflows/sdk/journal';
import { wholeLines } from 'test-tools';
import { stringify } from 'yaml';
import { createClient, type RelayClient } from '../../src/client/client.js';
import { homeOf, type Home } from '../../src/host/home.js';
import { prepareHome } from '../../src/host/prepare-home.js';
import type { RunDetail } from '../../src/server/answers.js';
import { replaceStored } from '../../src/workflow/store/store.js';

export const AGENT = fileURLToPath(new URL('scripted-agent.mjs', import.meta.url));

export const REVIEW = `
name: review
repos: [app]
nodes:
  start:
    onSuccess: [{ target: build }]
  build:
    type: agent
    agent: coder
    description: Build what {{ticket}} asks for.
    onSuccess: [{ target: check, when: it works }]
    onFailure: [{ target: build, when: it does not work yet }]
  check:
    type: hitl
    agent: reader
    description: Read what was built.
    onSuccess: [{ target: end }]
    onFailure: [{ target: build, when: something is missing }]
  end: {}
`;

export const STRAIGHT = `
name: straight
repos: [app]
nodes:
  start:
    onSuccess: [{ target: build }]
  build:
    type: agent
    agent: coder
    description: Build what {{ticket}} asks for.
    onSuccess: [{ target: review }, { target: end }]
    onFailure: [{ target: build }]
  review:
    type: agent
    agent: reader
    description: Review it.
    onSuccess: [{ target: end }]
    onFailure: [{ target: build }]
  end: {}
`;

export type Answer = { readonly status?: 'success' | 'failure'; readonly next?: string; readonly completed?: string; readonly actions?: string; readonly sleepMs?: number; readonly waitFor?: string; readonly file?: string; readonly text?: string; readonly exit?: number };
export type Plan = Readonly<Record<string, readonly Answer[]>>;

/** A home, a repository, a folder of tickets and an agent that follows a plan, all on this disk. */
export class World {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'rf-')));
  readonly home: Home = homeOf({ RELAY_FLOW_HOME: join(this.folder, 'home') });
  readonly repo = join(this.folder, 'app');
  readonly tickets = join(this.folder, 'tickets');
  readonly agent = join(this.folder, 'agent');
  readonly client: RelayClient = createClient(this.home.socket);

  constructor(plan: Plan, config: Readonly<Record<string, unknown>> = {}) {
    for (const folder of [this.repo, this.tickets, this.agent]) mkdirSync(folder);
    prepareHome(this.home);
    const git = (...args: readonly string[]): void => void execFileSync('git', args, { cwd: this.repo, stdio: 'ignore', env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_AUTHOR_NAME: 'T', GIT_AUTHOR_EMAIL: 't@example.com', GIT_COMMITTER_NAME: 'T', GIT_COMMITTER_EMAIL: 't@example.com' } });
    git('init', '-q', '-b', 'main');
    writeFileSync(join(this.repo, 'README.md'), '# App\n');
    git('add', '.');
    git('commit', '-qm', 'Begin');
    this.plan(plan);
    writeFileSync(this.home.config, stringify({
      pollIntervalSeconds: 1,
      harnessConfig: { command: [process.execPath, AGENT, this.agent], maxProcesses: 8 },
      repos: { app: { path: this.repo, taskConfig: { ticketsDir: this.tickets } } },
      ...config,
    }), { mode: 0o600 });
  }

  plan(plan: Plan): void {
    this.#put(join(this.agent, 'plan.json'), JSON.stringify(plan));
  }

  /** The database as `relay-flow init` makes it. */
  async init(): Promise<this> {
    await (await openSqliteJournal({ path: this.home.database })).close();
    return this;
  }

  /** A workflow as a submission leaves it. */
  store(name: string, yaml: string): void {
    replaceStored(this.home.workflows, { name, yaml });
  }

  ticket(key: string, frontMatter: Readonly<Record<string, unknown>> = {}, body = `Do ${key}.`): void {
    this.save(key, `---\n${stringify({ title: `Ticket ${key}`, status: 'To Do', ...frontMatter })}---\n\n${body}\n`);
  }

  /** The whole text of a ticket, as a person saves it. */
  save(key: string, text: string): void {
    this.#put(join(this.tickets, `${key}.md`), text);
  }

  /** Writes a file that is looked at meanwhile: whole or not at all. */
  #put(path: string, text: string): void {
    const aside = join(this.folder, 'aside');
    writeFileSync(aside, text);
    renameSync(aside, path);
  }

  read(...path: readonly string[]): string {
    return readFileSync(join(this.tickets, ...path), 'utf8');
  }

  /** Every start of the agent: `ticket node count`. */
  get starts(): readonly string[] {
    return wholeLines(join(this.agent, 'starts.log'));
  }

  allow(name: string): void {
    writeFileSync(join(this.agent, name), '');
  }

  async run(key: string): Promise<RunDetail> {
    return await this.client.call('getRun', { params: { key } });
  }

  /** Looks at a run until it is as it should be. */
  async until(key: string, is: (run: RunDetail) => boolean, limitMs = 120_000): Promise<RunDetail> {
    let last: unknown;
    for (const end = Date.now() + limitMs; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 25))) {
      try {
        const run = await this.run(key);
        last = run;
        if (is(run)) return run;
      } catch (error) {
        last = error;
      }
    }
    throw new Error(`The run of ${key} did not become what was expected. It is: ${last instanceof Error ? last.message : JSON.stringify(last, null, 2)}\n${this.log()}`);
  }

  log(): string {
    return existsSync(this.home.serverLog) ? readFileSync(this.home.serverLog, 'utf8') : '';
  }

  worktrees(): readonly string[] {
    const root = join(this.home.root, 'worktrees', 'app');
    return existsSync(root) ? readdirSync(root) : [];
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** How often a marker of a kind stands in a text. */
export function markersIn(text: string, kind: string): readonly string[] {
  return [...text.matchAll(new RegExp(`<!-- (\\S+:${kind}) -->`, 'g'))].map(([, marker]) => marker ?? '');
}
