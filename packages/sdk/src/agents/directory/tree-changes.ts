import { blobId, type FileStat } from './content-cache.js';
import { walkTree } from './directory-tree.js';
import { git } from './git.js';
import { fileIn, isRecent, noteOther, type SnapshotFile, type TreeRequest, type TreeSnapshot, type WholeTree } from './tree-snapshot.js';

/** How something in a directory differs from what it was. */
export interface TreeChange {
  readonly name: string;
  /** `changed`: another content, or something of another kind in its place. `mode`: only its permission bits. */
  readonly how: 'created' | 'changed' | 'deleted' | 'mode';
  /** What is there now; absent when nothing is. */
  readonly now?: 'file' | 'link' | 'other';
}

const MODE_BITS = 0o7777;

/** Everything that is not as it was, by content: what came back to its old content is no change. In no particular order. */
export async function changesOf(before: WholeTree, request: TreeRequest): Promise<TreeChange[]> {
  const changes: TreeChange[] = [];
  const unsure: { readonly name: string; readonly stat: FileStat }[] = [];
  const seen = new Set<string>();
  const links = new Map<string, string>();
  const others = new Set<string>();
  const was = (name: string): boolean => before.files.has(name) || before.links.has(name) || before.others.has(name);
  const report = (name: string, how: 'created' | 'changed' | 'mode', now: 'file' | 'link' | 'other'): void => {
    seen.add(name);
    changes.push({ name, how, now });
  };

  for await (const level of walkTree({ root: request.directory, skip: request.dataDir })) {
    for (const { name, stat } of level.files) {
      const then = before.files.get(name);
      if (then === undefined || then.size !== stat.size) {
        report(name, was(name) ? 'changed' : 'created', 'file');
        continue;
      }
      const verdict = then.recent !== true && sameStat(then, stat) ? 'same' : await compare(then, fileIn(request.directory, name), stat, request);
      if (verdict === 'gone') continue;
      if (verdict === 'changed') report(name, 'changed', 'file');
      else if (verdict === 'unsure') unsure.push({ name, stat });
      else if (otherMode(then, stat)) report(name, 'mode', 'file');
      seen.add(name);
    }
    for (const name of level.others) noteOther(request.directory, name, { links, others });
  }
  for (const [name, target] of links) {
    if (before.links.get(name) !== target) report(name, was(name) ? 'changed' : 'created', 'link');
    seen.add(name);
  }
  for (const name of others) {
    if (!before.others.has(name)) report(name, was(name) ? 'changed' : 'created', 'other');
    seen.add(name);
  }
  const differing = new Set(await changedForGit(unsure.map(({ name }) => name), before.files, request));
  for (const { name, stat } of unsure) {
    const then = before.files.get(name);
    if (differing.has(name)) report(name, 'changed', 'file');
    else if (then !== undefined && otherMode(then, stat)) report(name, 'mode', 'file');
  }
  for (const names of [before.files.keys(), before.links.keys(), before.others]) {
    for (const name of names) if (!seen.has(name)) changes.push({ name, how: 'deleted' });
  }
  return changes;
}

async function compare(then: SnapshotFile, file: Buffer, stat: FileStat, request: TreeRequest): Promise<'same' | 'changed' | 'unsure' | 'gone'> {
  if (then.content.startsWith('sha256:')) {
    const content = await request.contents.sha256(file, stat, isRecent(stat, request.now));
    return content === undefined ? 'gone' : content === then.content ? 'same' : 'changed';
  }
  const id = await blobId(file, stat.size, then.content.length - 'git:'.length);
  if (id === undefined) return 'gone';
  // Git may store a file in another form than the one in the working tree (line endings, filters): only git can tell then.
  return `git:${id}` === then.content ? 'same' : 'unsure';
}

async function changedForGit(names: readonly string[], before: TreeSnapshot, request: TreeRequest): Promise<string[]> {
  // A name with a newline cannot be asked about; that its bytes differ from what git stores must do.
  const askable = names.filter((name) => !name.includes('\n'));
  if (askable.length === 0) return [...names];
  const input = Buffer.from(askable.map((name) => `${name}\n`).join(''), 'latin1');
  const hashed = await git({ cwd: request.directory, hostEnv: request.hostEnv, args: ['hash-object', '--stdin-paths'], input });
  const ids = hashed.stdout.toString('utf8').split('\n');
  const idOf = new Map(askable.map((name, at) => [name, ids[at]]));
  return names.filter((name) => {
    const id = idOf.get(name);
    return id === undefined || `git:${id}` !== before.get(name)?.content;
  });
}

function otherMode(then: FileStat, now: FileStat): boolean {
  return (then.mode & MODE_BITS) !== (now.mode & MODE_BITS);
}

function sameStat(a: FileStat, b: FileStat): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.ino === b.ino;
}
