/**
 * A PATH without what a package manager put in front of it: one `node_modules/.bin` per folder up to the root, and npm's `node-gyp-bin`.
 *
 * They depend on where and how the run was started, so a run begun by `npx` and resumed from a terminal would find other programs. Only
 * the front is looked at: an entry that a person placed further back stays.
 */
export function withoutNpmPath(path: string): string {
  const entries = path.split(':');
  const first = entries.findIndex((entry) => !entry.endsWith('/node_modules/.bin') && !entry.endsWith('/node-gyp-bin'));
  return first === -1 ? '' : entries.slice(first).join(':');
}
