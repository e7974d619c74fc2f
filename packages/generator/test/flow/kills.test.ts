import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Workflow } from '../../src/index.js';
import { Place, TICKET, type Script } from './place.js';

const FLOWS = fileURLToPath(new URL('../../../cli/bin/flows.js', import.meta.url));

/** Kills the process of the run, once for each word it is given, and then never ends: whoever resumes the run sweeps it. */
const DIE = `#!/bin/sh
[ "$(cat "$HOME/kills")" = yes ] || exit 0
[ ! -e "$HOME/killed.$1" ] || exit 0
git symbolic-ref -q HEAD >"$HOME/killed.$1"
kill -9 "$(cat "$HOME/flows.pid")"
sleep 120
`;

interface Ended {
  /** By which signal a process ended, or with which status; one for each process of the run. */
  readonly ends: readonly (string | number | null)[];
  readonly report: { readonly completionReason?: string; readonly completionDetail?: string };
}

/** A place where the command runs flows, in a process that can be killed. */
class Killable {
  readonly place: Place;
  readonly forge: string;

  constructor(files: Readonly<Record<string, string>>, kills: boolean) {
    this.place = new Place(files);
    this.forge = join(this.place.folder, 'forge');
    this.place.program('die', DIE);
    writeFileSync(join(this.place.folder, 'kills'), kills ? 'yes' : 'no');
    const hook = join(this.place.folder, 'origin.git/hooks');
    writeFileSync(join(hook, 'post-receive'), '#!/bin/sh\ndie push\n', { mode: 0o755 });
  }

  /** Runs a flow, and resumes it as often as it is killed. */
  async run(workflow: Workflow, script: Script): Promise<Ended> {
    const flow = this.place.prepare(workflow, script);
    const input = JSON.stringify({ issue: TICKET, approver: '' });
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
  get left(): Record<string, unknown> {
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
      // What it started holds its output open.
      child.on('exit', (status, signal) => setImmediate(() => resolve({ end: signal ?? status, ...texts })));
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

const once = (word: string, script: string): string => `die ${word}; ${script}`;
const commit = (file: string, text: string): string => `[ -e ${file} ] || { echo ${text} > ${file}; git add ${file}; git commit -qm "Add ${file}"; }`;
const SUMMARY = 'printf "# What was done\\n" > summary.md; echo done';

interface Scene {
  readonly workflow: Workflow;
  readonly files: Readonly<Record<string, string>>;
  readonly script: Script;
  /** Where it is killed, in this order. */
  readonly kills: readonly string[];
}

const discovery = 'mkdir -p .relayflow; echo "sh ./check.sh" > .relayflow/check.sh; echo written';
const CHECK = 'die check\ngit symbolic-ref -q HEAD >/dev/null || die base\ngrep -qx fixed state.txt\n';

const SCENES: Record<string, Scene> = {
  'each stage of a change that passes': {
    workflow: 'traditional',
    files: { 'check.sh': CHECK, 'state.txt': 'fixed\n' },
    script: {
      'check-discovery': once('discovery', discovery),
      'planner': once('planner', 'echo plan > plan.md; echo planned'),
      'plan-reviewer': once('plan-reviewer', 'echo better > reviewed-plan.md; echo planned'),
      // Killed with one of its two commits made.
      'implementer': `${commit('one.txt', 'x')}; ${once('implementer', `${commit('two.txt', 'x')}; ${SUMMARY}`)}`,
      'adversary': once('adversary', 'if [ -e fixed.txt ]; then touch review.clean; else echo "Bad name." > review.md; fi; echo seen'),
      'fixer': `${commit('fixed.txt', 'x')}; ${once('fixer', 'echo mended')}`,
    },
    kills: ['discovery', 'planner', 'plan-reviewer', 'implementer', 'check', 'push', 'adversary', 'fixer'],
  },
  'the comparison with a base that fails as well': {
    workflow: 'simple',
    files: { 'check.sh': CHECK, 'state.txt': 'broken\n' },
    script: { 'check-discovery': discovery, 'implementer': `${commit('one.txt', 'x')}; ${SUMMARY}`, 'check-repair': once('repair', 'echo "Not mine."') },
    kills: ['check', 'repair', 'base', 'push'],
  },
  'prototypes side by side': {
    workflow: 'prototype',
    files: { 'check.sh': CHECK, 'state.txt': 'fixed\n' },
    script: {
      'check-discovery': discovery,
      'prototype': `echo tried >> tried.txt; ${once('prototype', 'echo notes > prototype-notes.md; echo tried')}`,
      'comparator': once('comparator', 'cat .relayflow/worktrees/*/prototype-notes.md > comparison.md; echo compared'),
      'implementer': `${commit('one.txt', 'x')}; ${SUMMARY}`,
      'adversary': 'touch review.clean; echo fine',
    },
    kills: ['prototype', 'comparator', 'check', 'push'],
  },
};

describe('a run that is killed and resumed comes to what it comes to without', () => {
  test.each(Object.entries(SCENES))('%s', async (_name, { workflow, files, script, kills }) => {
    const undisturbed = new Killable(files, false);
    const killed = new Killable(files, true);
    const expected = await undisturbed.run(workflow, script);
    const got = await killed.run(workflow, script);
    expect(expected.ends).toHaveLength(1);
    expect(got.ends).toEqual([...kills.map(() => 'SIGKILL'), expected.ends[0]]);
    expect(kills.filter((word) => killed.killedAt(word) === undefined)).toEqual([]);
    if (kills.includes('base')) expect(killed.killedAt('base')).toBe('');
    expect(got.report.completionReason).toBe(expected.report.completionReason);
    expect(killed.left).toEqual(undisturbed.left);
  }, 180_000);
});
