import type { SettingFile, WholeState } from './repository-state.js';

/** How a repository differs from what it was. */
export type RepositoryChange =
  | { readonly kind: 'setting'; readonly path: string; readonly name: string; readonly before?: SettingFile; readonly now?: SettingFile; readonly text: string }
  | { readonly kind: 'head'; readonly before: string; readonly now: string; readonly text: string }
  | { readonly kind: 'ref'; readonly name: string; readonly before?: string; readonly now?: string; readonly text: string }
  | { readonly kind: 'staged'; readonly text: string };

/** Settings that are not as they were. A `config` whose entries are the same is; `entries` gives them, keys and values, for the bytes of one. */
export function settingChanges(before: readonly SettingFile[], now: readonly SettingFile[], keys: (before: SettingFile | undefined, now: SettingFile | undefined) => readonly string[] | undefined): RepositoryChange[] {
  const then = new Map(before.map((file) => [file.path, file]));
  const present = new Map(now.map((file) => [file.path, file]));
  return [...new Set([...then.keys(), ...present.keys()])].flatMap((path): RepositoryChange[] => {
    const [was, is] = [then.get(path), present.get(path)];
    if (was !== undefined && is !== undefined && was.bytes === is.bytes && was.link === is.link && (was.mode & 0o7777) === (is.mode & 0o7777)) return [];
    const name = is?.name ?? was?.name ?? path;
    const changed = name.startsWith('config') ? keys(was, is) : undefined;
    if (changed?.length === 0) return [];
    const how = was === undefined ? 'created' : is === undefined ? 'deleted' : 'changed';
    const text = `${how} .git/${name}${changed === undefined ? '' : ` (${changed.join(', ')})`}`;
    return [{ kind: 'setting', path, name, text, ...(was === undefined ? {} : { before: was }), ...(is === undefined ? {} : { now: is }) }];
  });
}

/**
 * Branches, HEAD and what is staged, compared. Pure. Remote-tracking branches and new tags do not count: a fetch makes them, and a fetch changes nothing
 * of one's own.
 */
export function wholeChanges(before: WholeState, now: WholeState): RepositoryChange[] {
  const changes: RepositoryChange[] = [];
  if (before.head !== now.head) changes.push({ kind: 'head', before: before.head, now: now.head, text: `HEAD from ${shownHead(before.head)} to ${shownHead(now.head)}` });
  for (const name of new Set([...Object.keys(before.refs), ...Object.keys(now.refs)])) {
    const [was, is] = [before.refs[name], now.refs[name]];
    if (was === is || (was === undefined && name.startsWith('refs/tags/'))) continue;
    const text = was === undefined ? `created ${name}` : is === undefined ? `deleted ${name}` : `moved ${name} from ${short(was)} to ${short(is)}`;
    changes.push({ kind: 'ref', name, text, ...(was === undefined ? {} : { before: was }), ...(is === undefined ? {} : { now: is }) });
  }
  if (before.staged !== now.staged) changes.push({ kind: 'staged', text: 'staged other files' });
  return changes;
}

function shownHead(head: string): string {
  return head.startsWith('ref: ') ? head.slice('ref: refs/heads/'.length) : head === '' ? 'nothing' : short(head);
}

function short(id: string): string {
  return id.slice(0, 10);
}
