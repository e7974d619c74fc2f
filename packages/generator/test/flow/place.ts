import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRuntime, sealFlow, type RunReport } from '@relayflows/sdk';
import { jsonLines } from 'test-tools';
import { onTestFinished } from 'vitest';
import { generate, type Role, type Workflow } from '../../src/index.js';

/** What an agent does, as shell, by role; several for one turn after the other. */
export type Script = Readonly<Partial<Record<Role | 'prototype', string | readonly string[]>>>;

/** Git without what the person who runs the tests configured. */
const PLAIN = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };

export interface Opened {
  readonly title: string;
  readonly body: string;
  readonly draft: boolean;
}

/** A repository with a bare origin, in which a generated flow runs with scripted agents and a forge that keeps what it is told in files. */
export class Place {
  /** What the host has in its environment besides. */
  host: Readonly<Record<string, string>> = {};
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'relayflows-garden-')));
  readonly repo = join(this.folder, 'repo');
  readonly #bin = join(this.folder, 'bin');

  constructor(files: Readonly<Record<string, string>>) {
    onTestFinished(() => rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 }));
    mkdirSync(this.#bin);
    this.#sh(`git init -q --bare -b main origin.git && git init -q -b main repo`, this.folder);
    this.#sh('git config user.name Test && git config user.email test@example.invalid && git remote add origin ../origin.git');
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.repo, name), text);
    this.#sh('git add -A && git commit -qm init && git push -q -u origin main && git remote set-head origin main');
    this.program('relayflow-open-change', OPEN);
    this.program('relayflow-change', CHANGE);
  }

  git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.repo, env: PLAIN, encoding: 'utf8' }).trim();
  }

  /** Runs the flow of a workflow on a ticket until it rests. */
  async run(workflow: Workflow, script: Script, issue: Readonly<Record<string, unknown>> = TICKET, more: Readonly<Record<string, unknown>> = {}, change: (source: string) => string = (source) => source): Promise<RunReport> {
    const flow = this.prepare(workflow, script, change);
    const runtime = createRuntime({ dataDir: join(this.folder, 'data'), env: this.env });
    try {
      return await runtime.run(await sealFlow(flow), { input: { issue, approver: 'alex', ...more }, cwd: this.repo }).result;
    } finally {
      await runtime.close();
    }
  }

  /** What a run and all that it starts get for an environment. */
  get env(): Record<string, string> {
    return { PATH: `${this.#bin}:${process.env['PATH']}`, HOME: this.folder, FORGE: this.folder, ...this.host };
  }

  /** Writes the flow of a workflow and what its agents do. Gives the file of the flow. */
  prepare(workflow: Workflow, script: Script, change: (source: string) => string = (source) => source): string {
    const agent = join(this.#bin, 'agent');
    copyFileSync(fileURLToPath(new URL('scripted-agent.mjs', import.meta.url)), agent);
    chmodSync(agent, 0o755);
    writeFileSync(`${agent}.json`, JSON.stringify(script));
    writeFileSync(join(this.#bin, 'package.json'), '{ "type": "module" }');
    const flow = join(this.folder, 'garden.flow.ts');
    const source = generate({ version: 1, sources: [{ kind: 'github' }], agents: ['claude', 'codex'], workflow }).replaceAll(/cli: '(claude|codex)'/g, "cli: 'agent'");
    writeFileSync(flow, change(source));
    return flow;
  }

  /** Which roles were played, in order. */
  get roles(): string[] {
    return jsonLines<{ readonly role: string }>(join(this.#bin, 'agent.log')).map(({ role }) => role);
  }

  /** The change request as the forge has it; `undefined` when none was opened. */
  get opened(): Opened | undefined {
    const file = (name: string): string => join(this.folder, `change.${name}`);
    if (!existsSync(file('title'))) return undefined;
    return { title: readFileSync(file('title'), 'utf8').trim(), body: readFileSync(file('body'), 'utf8'), draft: existsSync(file('draft')) };
  }

  get comments(): string {
    const file = join(this.folder, 'change.comments');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  /** Lets the origin refuse workflow files with the words that GitHub has for it. */
  refuseWorkflows(): void {
    const hook = join(this.folder, 'origin.git/hooks/pre-receive');
    writeFileSync(hook, REFUSE);
    chmodSync(hook, 0o755);
  }

  /** The files of the branch as the remote has them. */
  pushed(branch = 'relayflow/4-fix-the-thing'): string[] {
    try {
      return execFileSync('git', ['ls-tree', '-r', '--name-only', branch], { cwd: join(this.folder, 'origin.git'), encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim().split('\n');
    } catch {
      return [];
    }
  }

  /** Puts a program in front of all others. */
  program(name: string, text: string): void {
    writeFileSync(join(this.#bin, name), text);
    chmodSync(join(this.#bin, name), 0o755);
  }

  #sh(command: string, cwd = this.repo): void {
    execFileSync('sh', ['-ec', command], { cwd, env: PLAIN, stdio: ['ignore', 'ignore', 'inherit'] });
  }
}

export const TICKET = { source: 'github', identifier: '#4', title: 'Fix the thing', body: 'It is broken.', labels: [] };

const REFUSE = `#!/bin/sh
while read -r old new ref; do
  case $old in 0000*) range=main..$new ;; *) range=$old..$new ;; esac
  if [ -n "$(git log --format= --name-only "$range" -- .github/workflows)" ]; then
    echo 'refusing to allow a Personal Access Token to create or update workflow \`.github/workflows/ci.yml\` without \`workflow\` scope' >&2
    exit 1
  fi
done
`;

const OPEN = `#!/bin/sh
rm -f "$FORGE/change.draft"
while [ $# -gt 0 ]; do
  case $1 in
    --title) echo "$2" >"$FORGE/change.title"; shift ;;
    --body-file) cp "$2" "$FORGE/change.body"; shift ;;
    --draft) : >"$FORGE/change.draft" ;;
  esac
  shift
done
echo https://forge.example/changes/1
`;

const CHANGE = `#!/bin/sh
case $1 in
  draft) : >"$FORGE/change.draft" ;;
  ready) rm -f "$FORGE/change.draft" ;;
  comment) cat "$3" >>"$FORGE/change.comments" ;;
esac
`;
