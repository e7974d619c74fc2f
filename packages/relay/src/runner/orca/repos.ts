import { realpath } from 'node:fs/promises';
import { z } from 'zod';
import { RelayError } from '../../errors/relay-error.js';
import type { RunnerRepo } from '../port.js';
import { makeOrFind } from './again.js';
import { ACT_MS, LOOK_MS, decodeResult, refused, type Orca } from './call.js';

const repoList = z.object({ repos: z.array(z.object({ id: z.string(), displayName: z.string().catch(''), path: z.string() })) });

export type OrcaRepo = z.infer<typeof repoList>['repos'][number];

export async function listRepos(orca: Orca, signal?: AbortSignal): Promise<readonly OrcaRepo[]> {
  const answer = await orca({ verb: 'repo list', args: [], timeoutMs: LOOK_MS, ...(signal === undefined ? {} : { signal }) });
  if (!answer.ok) throw refused('repo list', answer);
  return decodeResult('repo list', repoList, answer.result).repos;
}

/** The repository at a path: names are changed by people, and paths can lead over links. */
async function findRepo(orca: Orca, repo: RunnerRepo): Promise<OrcaRepo | undefined> {
  const real = await realpath(repo.path).catch(() => undefined);
  if (real === undefined) throw new RelayError('runner_missing', `The repository ${repo.name} is not at ${repo.path} any more.`, { hint: 'Put it back, or remove it and register it where it is now.' });
  for (const known of await listRepos(orca)) {
    if ((await realpath(known.path).catch(() => undefined)) === real) return known;
  }
  return undefined;
}

/** The repository as Orca knows it. Throws `runner_rejected` when it does not. */
export async function requireRepo(orca: Orca, repo: RunnerRepo): Promise<OrcaRepo> {
  const known = await findRepo(orca, repo);
  if (known !== undefined) return known;
  throw new RelayError('runner_rejected', `Orca does not know the repository ${repo.name} at ${repo.path}.`, { hint: 'Register the repository again, or add its folder in Orca.' });
}

/** Adds the repository where Orca does not know it. */
export async function addRepo(orca: Orca, repo: RunnerRepo): Promise<OrcaRepo> {
  const known = await findRepo(orca, repo);
  if (known !== undefined) return known;
  return await makeOrFind({
    async make() {
      const answer = await orca({ verb: 'repo add', args: ['--path', repo.path], timeoutMs: ACT_MS });
      if (!answer.ok) throw refused('repo add', answer);
      return await requireRepo(orca, repo);
    },
    look: () => findRepo(orca, repo),
  });
}
