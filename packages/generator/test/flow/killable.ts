import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Workflow } from '../../src/index.js';
import { Place, TICKET, type Script } from './place.js';

const FLOWS = fileURLToPath(new URL('../../../cli/bin/flows.js', import.meta.url));

/**
 * Kills the process of the run, once for each word that is among those of the place, and then never ends: whoever resumes the run sweeps it.
 * Of several that come at once one kills: another could meet the process that resumes.
 */
const DIE = `#!/bin/sh
grep -qx -- "$1" "$HOME/kills" || exit 0
mkdir "$HOME/dies.$1" 2>/dev/null || exit 0
git symbolic-ref -q HEAD >"$HOME/killed.$1"
kill -9 "$(cat "$HOME/flows.pid")"
sleep 120
`;

export interface Ended {
  /** By which signal a process ended, or with which status; one for each process of the run. */
  readonly ends: readonly (string | number | null)[];
  readonly report: { readonly completionReason?: string; readonly completionDetail?: string };
}

/** A place where the command runs flows, in a process that can be killed. */
export class Killable {
  readonly place: Place;
  readonly forge: string;

  /** `kills`: the words at which it is killed. */
  constructor(files: Readonly<Record<string, string>>, kills: readonly string[]) {
    this.place = new Place(files);
    this.forge = join(this.place.folder, 'forge');
    this.place.program('die', DIE);
    writeFileSync(join(this.place.folder, 'kills'), kills.map((word) => `${word}\n`).join(''));
    const hook = join(this.place.folder, 'origin.git/hooks');
    writeFileSync(join(hook, 'post-receive'), '#!/bin/sh\ndie push\n', { mode: 0o755 });
  }

  /** Runs a flow, and resumes it as often as it is killed. */
  async run(workflow: Workflow, script: Script): Promise<Ended> {
    const flow = this.place.prepare(workflow, script);
    const input = JSON.stringify({ issue: TICKET, approver: 'alex' });
    const ends = [];
    let args = ['run', flow, '--input', input];
    for (;;) {
      const { end, stdout, stderr } = await this.#flows(args);
      ends.push(end);
      if (end !== 'SIGKILL') return { ends, report: parsed(stdout, stderr) };
      if (ends.length > 20) throw new Error('It is killed again and again.');
      args = ['resume', 'last'];
    }
  }

  /** Where HEAD was when the run was killed at a place; empty for no branch. `undefined` when it was not. */
  killedAt(word: string): string | undefined {
    const file = join(this.place.folder, `killed.${word}`);
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
  }

  /** All that a run leaves behind for people. */
  get left(): Record<string, unknown> & { readonly change: Readonly<Record<string, unknown>> } {
    const { place } = this;
    const changes = readdirSync(join(this.forge, 'open'));
    const description = readFileSync(join(this.forge, 'open', changes[0] ?? '', 'description.md'), 'utf8');
    return {
      changes,
      change: { ...(JSON.parse(readFileSync(join(this.forge, 'open', changes[0] ?? '', 'change.json'), 'utf8')) as object), createdAt: undefined, updatedAt: undefined },
      description: description.replaceAll(/\b\d+ (?:seconds?|minutes?)\b/g, 'a while'),
      branch: place.git('branch', '--show-current'),
      branches: place.git('branch', '--list', '--format=%(refname:short)'),
      commits: place.git('log', '--format=%s', 'HEAD', '--not', 'main').split('\n'),
      pushed: place.pushed(),
      inStep: place.git('ls-remote', 'origin', 'refs/heads/relayflow/*').split('\t')[0] === place.git('rev-parse', 'HEAD'),
      uncommitted: place.git('status', '--porcelain', '--untracked-files=no'),
      worktrees: place.git('worktree', 'list').split('\n').length,
      excluded: readFileSync(join(place.repo, '.git/info/exclude'), 'utf8').includes('relayflow'),
      stuck: existsSync(join(place.repo, '.relayflow/base-check.restore')),
    };
  }

  #flows(args: readonly string[]): Promise<{ readonly end: string | number | null; readonly stdout: string; readonly stderr: string }> {
    const child = spawn(process.execPath, [FLOWS, ...args, '--json', '--data-dir', join(this.place.folder, 'data')], {
      cwd: this.place.repo, env: { ...this.place.env, RELAYFLOW_FORGE_DIR: this.forge }, stdio: ['ignore', 'pipe', 'pipe'],
    });
    writeFileSync(join(this.place.folder, 'flows.pid'), String(child.pid));
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (chunk: Buffer) => (texts[name] += chunk.toString()));
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      // What a killed one started holds its output open.
      child.on('exit', (_status, signal) => {
        if (signal !== null) resolve({ end: signal, ...texts });
      });
      child.on('close', (status) => resolve({ end: status, ...texts }));
    });
  }
}

function parsed(stdout: string, stderr: string): Ended['report'] {
  try {
    return JSON.parse(stdout) as Ended['report'];
  } catch {
    throw new Error(`Not a report: ${stdout}\n${stderr}`);
  }
}
