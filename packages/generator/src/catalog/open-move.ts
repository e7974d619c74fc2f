import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogText } from './catalog.js';
import { fileAt, type Git } from './git.js';
import { moveText, proposeMove, type Proposal } from './propose.js';
import { CATALOG_FILE } from './published-at.js';

/** Opens change requests at a forge. */
export interface ChangeOpener {
  /** Opens a change request for a branch that was pushed, or finds the one that is open already. Returns its URL; rejects when the forge refuses. */
  readonly open: (change: { readonly head: string; readonly base: string; readonly title: string; readonly body: string }) => Promise<string>;
}

export type OpenedMove =
  | { readonly kind: 'opened'; readonly url: string; readonly branch: string; readonly proposal: Extract<Proposal, { kind: 'move' }> }
  | Extract<Proposal, { kind: 'current' | 'refused' }>;

/**
 * Opens a change request that moves the catalog of the remote's default branch to what that branch has published. The checkout and its branch stay as
 * they are. A version that is not on that branch is not moved to: the commit it would be served from might still be squashed away.
 */
export async function openMove(git: Git, opener: ChangeOpener, remote = 'origin'): Promise<OpenedMove> {
  const base = await defaultBranch(git, remote);
  await git(['fetch', '--quiet', remote, `+refs/heads/${base}:refs/remotes/${remote}/${base}`]);
  const tip = await commitOf(git, `refs/remotes/${remote}/${base}`);
  const proposal = await proposeMove(git, tip);
  if (proposal.kind !== 'move') return proposal;

  const { catalogVersion, flows } = proposal.catalog;
  const branch = `catalog-v${catalogVersion}`;
  const text = catalogText(proposal.catalog);
  const served = flows.filter(({ id }) => proposal.moves.some((moved) => moved.id === id)).map(({ id, version }) => `${id} version ${version}`).join(', ');
  const title = `Serve ${served}`;
  const pushed = await pushedCatalog(git, remote, branch);
  if (pushed !== undefined && pushed !== text) return { kind: 'refused', reasons: [`The remote has a branch ${branch} with another catalog. Merge or remove it first.`], present: proposal.present };
  if (pushed === undefined) await git(['push', '--quiet', remote, `${await commitCatalog(git, tip, text, title)}:refs/heads/${branch}`]);
  const body = ['Moves the catalog to the newest published versions.', '', '```', moveText(proposal), '```', '', 'Merge it without squashing or rebasing what it follows: `ref` names a commit by its id.', ''].join('\n');
  return { kind: 'opened', url: await opener.open({ head: branch, base, title, body }), branch, proposal };
}

async function defaultBranch(git: Git, remote: string): Promise<string> {
  const answer = (await git(['ls-remote', '--symref', remote, 'HEAD'])).toString('utf8');
  const branch = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(answer)?.[1];
  if (branch === undefined) throw new Error(`The remote ${remote} does not say which branch is its default.`);
  return branch;
}

async function commitOf(git: Git, name: string): Promise<string> {
  return (await git(['rev-parse', '--verify', `${name}^{commit}`])).toString('utf8').trim();
}

/** The catalog on a branch of the remote, empty when it has none, or `undefined` when there is no such branch. */
async function pushedCatalog(git: Git, remote: string, branch: string): Promise<string | undefined> {
  const id = (await git(['ls-remote', remote, `refs/heads/${branch}`])).toString('utf8').split('\t')[0];
  if (id === undefined || id === '') return undefined;
  await git(['fetch', '--quiet', remote, `refs/heads/${branch}`]);
  return (await fileAt(git, id, CATALOG_FILE))?.toString('utf8') ?? '';
}

/** A commit on top of another that changes the catalog and nothing else, made beside the checkout's own index. */
async function commitCatalog(git: Git, parent: string, text: string, message: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'relayflows-catalog-'));
  try {
    const env = { GIT_INDEX_FILE: join(folder, 'index') };
    const answer = async (args: readonly string[], input = ''): Promise<string> => (await git(args, { input, env })).toString('utf8').trim();
    await answer(['read-tree', parent]);
    const blob = await answer(['hash-object', '-w', '--stdin'], text);
    await answer(['update-index', '--add', '--cacheinfo', `100644,${blob},${CATALOG_FILE}`]);
    return await answer(['commit-tree', await answer(['write-tree']), '-p', parent, '-m', message]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
