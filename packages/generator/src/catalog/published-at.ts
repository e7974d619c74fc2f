import { sha256Of } from '../publish/digest.js';
import type { Folder } from '../publish/folder.js';
import { isVerified, verify } from '../publish/verify.js';
import { isCatalog, readCatalog, type Catalog } from './catalog.js';
import { fileAt, linesOf, type Git } from './git.js';
import type { Newest } from './move.js';

/** Where everything that is published lies, from the root of the repository. */
export const CATALOG_FILE = 'published/catalog.json';
export const FLOWS_FOLDER = 'published/flows';

/** What a commit publishes and serves; or what is wrong with it, one sentence each. */
export interface PublishedAt {
  readonly catalog: Catalog | undefined;
  readonly newest: readonly Newest[];
}

/**
 * Reads what is published from a commit rather than from the checkout: only what is committed has a commit to be served from. Rejects when git fails.
 */
export async function publishedAt(git: Git, commit: string): Promise<PublishedAt | readonly string[]> {
  const text = await fileAt(git, commit, CATALOG_FILE);
  const catalog = text === undefined ? undefined : readCatalog(text.toString('utf8'));
  const problems: string[] = catalog === undefined || isCatalog(catalog) ? [] : [...catalog];
  const newest: Newest[] = [];
  for (const name of await namesAt(git, commit, FLOWS_FOLDER)) {
    const path = `${FLOWS_FOLDER}/${name}`;
    const verified = verify(await folderAt(git, commit, path));
    if (!isVerified(verified)) problems.push(...verified.map((problem) => `${path}: ${problem}`));
    else if (verified.manifest !== undefined) {
      const { catalogId: id, version, path: file, sha256 } = verified.manifest;
      const ref = await addedBy(git, commit, file, sha256);
      if (ref === undefined) problems.push(`${file} has no commit that added it as it is.`);
      else newest.push({ id, version, path: file, sha256, ref });
    }
  }
  return problems.length > 0 ? problems : { catalog: catalog !== undefined && isCatalog(catalog) ? catalog : undefined, newest };
}

export function isPublishedAt(published: PublishedAt | readonly string[]): published is PublishedAt {
  return !Array.isArray(published);
}

/** The newest commit that added a file with this content, among a commit and those before it. */
export async function addedBy(git: Git, commit: string, path: string, sha256: string): Promise<string | undefined> {
  const commits = linesOf(await git(['log', '--no-renames', '--diff-filter=A', '--format=%H', commit, '--', path]));
  for (const candidate of commits) {
    const content = await fileAt(git, candidate, path);
    if (content !== undefined && sha256Of(content) === sha256) return candidate;
  }
  return undefined;
}

async function namesAt(git: Git, commit: string, folder: string): Promise<string[]> {
  const listed = await git(['ls-tree', '-z', '--name-only', `${commit}:${folder}`]).catch(() => Buffer.alloc(0));
  return listed.toString('utf8').split('\0').filter((name) => name !== '');
}

/** A folder of published versions as a commit has it. */
async function folderAt(git: Git, commit: string, path: string): Promise<Folder> {
  const folder = new Map<string, Uint8Array | undefined>();
  const listed = (await git(['ls-tree', '-z', `${commit}:${path}`])).toString('utf8').split('\0').filter((entry) => entry !== '');
  for (const entry of listed) {
    const [, mode = '', name = ''] = /^(\d+) \S+ \S+\t([^]*)$/.exec(entry) ?? [];
    folder.set(name, mode.startsWith('100') ? await fileAt(git, commit, `${path}/${name}`) : undefined);
  }
  return folder;
}
