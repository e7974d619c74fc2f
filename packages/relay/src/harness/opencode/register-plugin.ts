import { join } from 'node:path';
import { readIfThere, replaceFile } from './config-file.js';
import { withPlugin, withoutPlugin } from './plugin-entry.js';

/** The configuration files of a repository that name plugins, each under two names, and what a new one says of itself. */
const FILES = [
  { folder: '', name: 'opencode', schema: 'https://opencode.ai/config.json' },
  { folder: '.opencode', name: 'tui', schema: 'https://opencode.ai/tui.json' },
] as const;

/**
 * Enters the plugin in the configuration of a repository, for OpenCode's server and for its terminal. Whatever else stands there stays as it is, comments
 * and layout included. May happen twice. Throws `harness_rejected` when a file cannot be read as meant; then nothing is changed.
 */
export async function registerPlugin({ repo, plugin }: { readonly repo: string; readonly plugin: string }): Promise<void> {
  const changes: { readonly path: string; readonly before: string | undefined; readonly after: string }[] = [];
  for (const { folder, name, schema } of FILES) {
    const [json, jsonc] = [join(repo, folder, `${name}.json`), join(repo, folder, `${name}.jsonc`)];
    const present = [json, jsonc].flatMap((path) => {
      const text = readIfThere(path);
      return text === undefined ? [] : [{ path, text }];
    });
    const [target = { path: json, text: undefined }, other] = present;
    changes.push({ path: target.path, before: target.text, after: withPlugin({ path: target.path, text: target.text, plugin, schema }) });
    // OpenCode reads both, and would load the plugin twice.
    if (other !== undefined) changes.push({ path: other.path, before: other.text, after: withoutPlugin({ path: other.path, text: other.text, plugin }) });
  }
  for (const { path, before, after } of changes) if (before !== after) replaceFile(path, after);
}
