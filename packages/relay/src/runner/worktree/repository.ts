import { realpath, stat } from 'node:fs/promises';
import { RelayError } from '../../errors/relay-error.js';
import type { RunnerRepo } from '../port.js';
import { findBase } from '../git/base.js';
import { missingIsUndefined } from '../git/files.js';
import { gitFailure } from '../git/git-failure.js';
import { oneLine } from '../git/git.js';
import { isWithin } from './place.js';
import { listRegistrations } from '../git/registrations.js';
import type { Workshop } from './workshop.js';

/** Throws unless worktrees of the repository can be made: its path is the top of a working tree or a bare repository, it has a commit, and the worktrees lie outside of it. */
export async function checkRepository(shop: Workshop, repo: RunnerRepo): Promise<void> {
  const { git } = shop;
  const folder = await stat(repo.path).catch(missingIsUndefined);
  if (folder === undefined) throw new RelayError('runner_missing', `The repository ${repo.name} is not at ${repo.path} any more.`, { hint: 'Put it back, or remove it and register it where it is now.' });
  if (!folder.isDirectory()) throw new RelayError('runner_rejected', `The repository ${repo.name} cannot be used: ${repo.path} is not a folder.`);
  const answer = await git({ at: repo.path, args: ['rev-parse', '--is-bare-repository', '--is-inside-work-tree'] });
  if (answer.exitCode !== 0) {
    if (answer.stderr.includes('not a git repository')) {
      throw new RelayError('runner_rejected', `There is no git repository at ${repo.path}.`, { hint: 'Register the folder of a repository, or make one with "git init" and a first commit.' });
    }
    throw gitFailure(answer, 'open the repository');
  }
  const [bare, inside] = answer.stdout.split('\n');
  const top = oneLine(await git({ at: repo.path, args: ['rev-parse', ...(inside === 'true' ? ['--show-toplevel'] : ['--absolute-git-dir'])] }));
  if (bare !== 'true' && inside !== 'true') throw new RelayError('runner_rejected', `${repo.path} is inside of the administration of a repository.`, { hint: 'Register the folder that has the files.' });
  if ((await realpath(top)) !== (await realpath(repo.path))) throw new RelayError('runner_rejected', `${repo.path} is a folder of the repository at ${top}.`, { hint: `Register ${top}.` });
  if (isWithin(await realpath(repo.path), await nearestReal(shop.root))) {
    throw new RelayError('runner_rejected', `The worktrees would lie in the repository ${repo.name} itself, at ${shop.root}.`, { hint: 'Set runnerConfig.root in config.yaml to a folder outside of every repository.' });
  }
  await findBase(git, { repo: repo.path, baseRef: shop.baseRef, registrations: await listRegistrations(git, repo.path) });
}

/** The real path of the nearest folder that exists. */
async function nearestReal(folder: string): Promise<string> {
  for (let at = folder; ; at = at.slice(0, at.lastIndexOf('/'))) {
    const real = await realpath(at === '' ? '/' : at).catch(missingIsUndefined);
    if (real !== undefined) return `${real}${folder.slice(at.length)}`;
  }
}
