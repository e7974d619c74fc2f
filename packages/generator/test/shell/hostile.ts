import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a person may have configured, and what a hook or a wrapper leaves in the environment: each of it changes what git does or prints. */
export interface Hostile {
  readonly name: string;
  /** `section.key=value`. */
  readonly config: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const settings: Readonly<Record<string, readonly string[]>> = {
  'names in quotes': ['core.quotePath=true'],
  'a diff program': ['diff.external=false', 'diff.tool=false'],
  'diffs of another shape': ['diff.noprefix=true', 'diff.mnemonicPrefix=true', 'diff.renames=copies', 'diff.relative=true', 'diff.orderFile=/nonexistent/order', 'diff.autoRefreshIndex=false', 'diff.ignoreSubmodules=all'],
  'a short status': ['status.showUntrackedFiles=no', 'status.short=true', 'status.branch=true', 'status.relativePaths=false', 'status.submoduleSummary=true'],
  'signatures that fail': ['commit.gpgSign=true', 'tag.gpgSign=true', 'gpg.program=false', 'log.showSignature=true'],
  'a file monitor': ['core.fsmonitor=/nonexistent/monitor', 'core.untrackedCache=true'],
  'colours always': ['color.ui=always', 'color.diff=always', 'color.status=always', 'color.grep=always', 'color.branch=always'],
  aliases: ['alias.diff=!false', 'alias.status=!false', 'alias.rev-parse=!false', 'alias.checkout=!false'],
  'other defaults': ['push.default=nothing', 'submodule.recurse=true', 'grep.patternType=fixed', 'core.editor=false', 'core.pager=false', 'core.commentChar=%', 'fetch.prune=true', 'advice.detachedHead=true', 'core.abbrev=4', 'init.defaultBranch=trunk'],
};

/** One at a time, and all of them at once with hooks that fail and an environment of somebody else's. */
export const HOSTILE: readonly Hostile[] = [
  ...Object.entries(settings).map(([name, config]) => ({ name, config, env: {} })),
  {
    name: 'all of it, with hooks that fail, inside a hook',
    config: Object.values(settings).flat(),
    env: {
      GIT_DIR: '/nonexistent/git', GIT_INDEX_FILE: '/nonexistent/index', GIT_WORK_TREE: '/nonexistent', GIT_PREFIX: 'sub/', GIT_EXTERNAL_DIFF: 'false', GIT_LITERAL_PATHSPECS: '1', GIT_EDITOR: 'false',
      GIT_PAGER: 'false', PAGER: 'false', CDPATH: '/tmp:/', QUOTING_STYLE: 'shell-always', GIT_ASKPASS: 'false', LC_ALL: 'C.UTF-8',
    },
  },
];

const HOOKS = ['applypatch-msg', 'commit-msg', 'post-checkout', 'post-commit', 'post-index-change', 'pre-commit', 'prepare-commit-msg'];

/** Hooks that fail whatever they are asked, in a folder for `core.hooksPath`. Pushing is the user's own: its hook is not among them. */
export function failingHooks(folder: string): string {
  const hooks = join(folder, 'hooks');
  mkdirSync(hooks, { recursive: true });
  for (const name of HOOKS) {
    writeFileSync(join(hooks, name), '#!/bin/sh\necho hook >&2\nexit 1\n');
    chmodSync(join(hooks, name), 0o755);
  }
  return hooks;
}
