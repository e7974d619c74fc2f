import { changesOf } from './tree-changes.js';
import { shownName, type TreeRequest, type TreeSnapshot } from './tree-snapshot.js';

const NOTHING: ReadonlySet<string> = new Set();

/** The regular files whose content is not what it was in `before`, new ones included, relative to the directory and sorted. */
export async function changedSince(before: TreeSnapshot, request: TreeRequest): Promise<string[]> {
  const changes = await changesOf({ files: before, links: new Map(), others: NOTHING, folders: NOTHING }, request);
  return changes.flatMap(({ name, how, now }) => (now === 'file' && (how === 'created' || how === 'changed') ? [shownName(name)] : [])).sort();
}
