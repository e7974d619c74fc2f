import { posix } from 'node:path';
import { sha256Of } from '../publish/digest.js';
import { versionOf } from '../publish/names.js';
import { isCatalog, readCatalog, type Catalog } from './catalog.js';
import { fileAt, linesOf, type Git } from './git.js';
import { CATALOG_FILE, FLOWS_FOLDER } from './published-at.js';
import { successionProblems } from './verify.js';

/** Published files that `commit` or one before it added, each with the digest of what was added first. Needs a whole history. */
export async function publishedFiles(git: Git, commit: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const { id, status, path } of await changesOf(git, commit, FLOWS_FOLDER)) {
    if (status !== 'A' || versionOf(posix.basename(path)) === undefined || files.has(path)) continue;
    const content = await fileAt(git, id, path);
    if (content !== undefined) files.set(path, sha256Of(content));
  }
  return files;
}

/** Commits that changed or removed a published version: what none may do. Needs a whole history. */
export async function rewriteProblems(git: Git, commit: string): Promise<readonly string[]> {
  const changes = await changesOf(git, commit, FLOWS_FOLDER);
  return changes
    .filter(({ status, path }) => status !== 'A' && versionOf(posix.basename(path)) !== undefined)
    .map(({ id, status, path }) => `Commit ${id.slice(0, 12)} ${status === 'D' ? 'removed' : 'changed'} ${path}, which was published.`);
}

/** What is wrong in how the catalog came to be what it is in a commit, step by step. Needs a whole history. */
export async function catalogHistoryProblems(git: Git, commit: string): Promise<readonly string[]> {
  const problems: string[] = [];
  let before: Catalog | undefined;
  for (const { id, status } of await changesOf(git, commit, CATALOG_FILE)) {
    const text = status === 'D' ? undefined : await fileAt(git, id, CATALOG_FILE);
    const catalog = text === undefined ? [`${CATALOG_FILE} was removed.`] : readCatalog(text.toString('utf8'));
    const found = isCatalog(catalog) ? (before === undefined ? [] : successionProblems(before, catalog)) : catalog;
    problems.push(...found.map((problem) => `Commit ${id.slice(0, 12)}: ${problem}`));
    if (isCatalog(catalog)) before = catalog;
  }
  return problems;
}

/** Pins whose `ref` is no commit before `commit`, or has another file at their path. Needs a whole history. */
export async function refProblems(git: Git, commit: string, { history }: Catalog): Promise<readonly string[]> {
  const problems: string[] = [];
  const known = new Set(linesOf(await git(['rev-list', commit])));
  for (const { catalogVersion, flows } of history) {
    for (const { source: { path, ref, sha256 } } of flows) {
      const content = known.has(ref) ? await fileAt(git, ref, path) : undefined;
      if (!known.has(ref)) problems.push(`catalog.json: the row of catalogVersion ${catalogVersion} names the commit ${ref}, which is not in the history.`);
      else if (content === undefined || sha256Of(content) !== sha256) problems.push(`catalog.json: the row of catalogVersion ${catalogVersion} names the commit ${ref}, which does not have ${path} with its sha256.`);
    }
  }
  return problems;
}

interface Change {
  readonly id: string;
  readonly status: string;
  readonly path: string;
}

/** How the commits of the main line changed what is below a path, the oldest first. A merge counts as what it brought to the line. */
async function changesOf(git: Git, commit: string, path: string): Promise<Change[]> {
  const changes: Change[] = [];
  for (const line of linesOf(await git(['log', '--first-parent', '--reverse', '--format=%H %P', commit, '--', path]))) {
    const [id = '', parent] = line.trimEnd().split(' ');
    const between = parent === undefined ? ['--root', id] : [parent, id];
    const fields = (await git(['diff-tree', '-r', '-z', '--no-renames', '--no-commit-id', '--name-status', ...between, '--', path])).toString('utf8').split('\0');
    for (let at = 0; at + 1 < fields.length; at += 2) changes.push({ id, status: fields[at] ?? '', path: fields[at + 1] ?? '' });
  }
  return changes;
}
