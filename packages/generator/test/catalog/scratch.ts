import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createGit, type Git } from '../../src/catalog/git.js';
import { manifestText } from '../../src/publish/manifest.js';
import { manifestOf } from '../publish/edition.js';

/** A repository on a branch `main` with a bare origin. */
export interface Scratch {
  readonly root: string;
  readonly origin: string;
  readonly git: Git;
  /** Runs git with what a developer may have configured, and returns what it printed. */
  run(...args: readonly string[]): string;
  /** Writes files (`undefined`: removes) and commits them. Returns the commit. */
  commit(files: Readonly<Record<string, string | undefined>>): string;
  /** Commits the newest of these versions with its manifest, as publishing leaves them. */
  publish(...sources: readonly string[]): string;
}

export function scratch(): Scratch {
  const above = mkdtempSync(join(tmpdir(), 'relayflows-catalog-test-'));
  onTestFinished(() => rmSync(above, { recursive: true, force: true, maxRetries: 5 }));
  const [root, origin] = [join(above, 'with a space'), join(above, 'origin.git')];
  const at = (cwd: string, ...args: readonly string[]): string => execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  const run = (...args: readonly string[]): string => at(root, ...args);
  at(above, 'init', '--quiet', '--bare', '--initial-branch=main', origin);
  at(above, 'init', '--quiet', '--initial-branch=main', root);
  for (const [name, value] of Object.entries({ 'user.name': 'A', 'user.email': 'a@example.com', 'log.showSignature': 'true', 'diff.noprefix': 'true', 'diff.renames': 'copies', 'core.quotePath': 'true', 'log.decorate': 'full', 'color.ui': 'always' })) run('config', name, value);
  run('remote', 'add', 'origin', origin);
  const commit: Scratch['commit'] = (files) => {
    for (const [name, text] of Object.entries(files)) {
      const path = join(root, name);
      mkdirSync(dirname(path), { recursive: true });
      if (text === undefined) rmSync(path);
      else writeFileSync(path, text);
    }
    run('add', '-A');
    run('commit', '--quiet', '--allow-empty', '-m', 'Change');
    return run('rev-parse', 'HEAD');
  };
  commit({ 'readme.md': 'x\n' });
  return {
    root, origin, run, commit, git: createGit(root),
    publish: (...sources) => commit({
      [`published/flows/garden/v${sources.length}.flow.ts`]: sources.at(-1) ?? '',
      'published/flows/garden/manifest.json': manifestText(manifestOf(...sources)),
    }),
  };
}
