import { git, splitNames } from '../directory/git.js';
import { findWorkTree, type SnapshotPlace } from '../directory/work-tree.js';
import type { RepositoryState } from './repository-state.js';

/** Puts the entries of some files in git's index back to what they were, and leaves all others. Answers with what could not be. */
export async function stageAgain({ place, before: state, names }: { readonly place: SnapshotPlace; readonly before: RepositoryState; readonly names: readonly string[] }): Promise<string[]> {
  const tree = await findWorkTree(place);
  const copy = state.indexCopy;
  if (tree === undefined) return [];
  const { hostEnv } = place;
  const entries = async (env: Readonly<Record<string, string>>): Promise<Map<string, string>> => {
    const listed = await git({ cwd: tree.top, hostEnv, args: ['ls-files', '--stage', '-z'], env });
    return new Map(splitNames(listed.stdout).map((line) => [line.slice(line.indexOf('\t') + 1), line.slice(0, line.indexOf('\t'))]));
  };
  // A repository in which nothing was ever added has no index to copy.
  const [before, now] = await Promise.all([copy === undefined ? new Map<string, string>() : entries({ GIT_INDEX_FILE: copy }), entries({})]);
  const prefix = Buffer.from(tree.prefix).toString('latin1');
  const lines = names.flatMap((name) => {
    const [was, is] = [before.get(prefix + name), now.get(prefix + name)];
    return was === is ? [] : [`${was ?? `0 ${'0'.repeat(tree.objectFormat === 'sha256' ? 64 : 40)}`}\t${prefix}${name}\0`];
  });
  if (lines.length === 0) return [];
  const done = await git({ cwd: tree.top, hostEnv, args: ['update-index', '-z', '--index-info'], input: Buffer.from(lines.join(''), 'latin1') });
  return done.exitCode === 0 ? [] : [`what was staged of these files could not be taken back: ${done.stderr}`];
}
