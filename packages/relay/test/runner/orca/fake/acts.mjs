import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { end, press, runs, screenOf, start, type } from './programs.mjs';
import { Refusal } from './refusal.mjs';
import { home } from './state.mjs';

export { Refusal } from './refusal.mjs';

export function act(state, name, flags) {
  return ACTS[name](state, flags);
}

const ACTS = {
  'repo list': (state) => ({ repos: state.repos }),
  'repo add': (state, flags) => ({ repo: addRepo(state, flags.path) }),
  'worktree list': (state) => {
    const limit = state.worktreeLimit ?? Infinity;
    const all = state.worktrees.map(({ status: _, ...worktree }) => ({ ...worktree, branch: branchAt(worktree.path) }));
    return { worktrees: all.slice(0, limit), totalCount: all.length, truncated: all.length > limit };
  },
  'worktree create': createWorktree,
  'worktree set': (state, flags) => {
    const worktree = worktreeBy(state, flags.worktree);
    if (!['todo', 'in-progress', 'in-review', 'completed'].includes(flags['workspace-status'])) throw new Refusal('invalid_argument', 'Unknown status');
    worktree.status = flags['workspace-status'];
    return { worktree };
  },
  'worktree rm': removeWorktree,
  'terminal list': listTerminals,
  'terminal show': (state, flags) => {
    const terminal = terminalBy(state, flags.terminal);
    return { terminal: { handle: flags.terminal, title: terminal.paneTitle, ...liveness(terminal) } };
  },
  'terminal create': (state, flags) => ({ terminal: { handle: handleOf(state, createTerminal(state, flags)) } }),
  'terminal send': send,
  'terminal read': (state, flags) => ({ terminal: { handle: flags.terminal, text: screenOf(terminalBy(state, flags.terminal)) } }),
  'terminal close': (state, flags) => {
    const terminal = terminalBy(state, flags.terminal);
    end(terminal);
    state.terminals = state.terminals.filter((each) => each !== terminal);
    return { closed: true };
  },
};

function addRepo(state, at) {
  if (!existsSync(path.join(at, '.git'))) throw new Refusal('not_a_repository', `Not a git repository: ${at}`);
  const repo = { id: `repo-${(state.next += 1)}`, displayName: path.basename(at), path: at };
  state.repos.push(repo);
  state.made.repos += 1;
  state.worktrees.push({ id: `${repo.id}::${at}`, repoId: repo.id, displayName: 'main', path: at, isMainWorktree: true });
  return repo;
}

function createWorktree(state, flags) {
  const repo = state.repos.find(({ id }) => flags.repo === `id:${id}`);
  if (repo === undefined) throw new Refusal('selector_not_found', 'No such repository');
  const parent = flags['parent-worktree'];
  if (parent === undefined && flags['no-parent'] !== true) throw new Refusal('invalid_argument', 'It would become a child of the caller\'s worktree');
  if (parent !== undefined && !state.worktrees.some(({ id }) => parent === `worktree:${id}`)) throw new Refusal('selector_not_found', 'No such parent');
  // Asked for twice, it makes two.
  const again = state.worktrees.filter(({ repoId, displayName }) => repoId === repo.id && displayName === flags.name).length;
  const branch = again === 0 ? flags.name : `${flags.name}-${again + 1}`;
  const at = path.join(home, 'worktrees', repo.id, branch);
  mkdirSync(path.dirname(at), { recursive: true });
  const existing = git(repo.path, 'branch', '--list', '--format=%(refname:short)', branch) !== '';
  try {
    git(repo.path, 'worktree', 'add', ...(existing ? [at, branch] : ['-b', branch, at, flags['base-branch']]));
  } catch (error) {
    throw new Refusal('git_error', String(error.stderr).trim());
  }
  const worktree = { id: `${repo.id}::${at}`, repoId: repo.id, displayName: flags.name, path: at, isMainWorktree: false };
  state.worktrees.push(worktree);
  state.made.worktrees += 1;
  return { worktree };
}

/** Deletes the branch that is checked out as well, merged or not. */
function removeWorktree(state, flags) {
  const worktree = worktreeBy(state, flags.worktree);
  if (worktree.isMainWorktree) throw new Refusal('invalid_argument', 'The main worktree cannot be removed');
  const repo = state.repos.find(({ id }) => id === worktree.repoId);
  const branch = branchAt(worktree.path);
  if (existsSync(worktree.path) && git(worktree.path, 'status', '--porcelain') !== '' && flags.force !== true) throw new Refusal('worktree_dirty', `The worktree at ${worktree.path} has changes`);
  git(repo.path, 'worktree', 'remove', ...(flags.force === true ? ['--force'] : []), worktree.path);
  if (branch !== undefined) git(repo.path, 'branch', '-D', branch.replace('refs/heads/', ''));
  for (const terminal of state.terminals.filter(({ worktreeId }) => worktreeId === worktree.id)) end(terminal);
  state.terminals = state.terminals.filter(({ worktreeId }) => worktreeId !== worktree.id);
  state.worktrees = state.worktrees.filter((each) => each !== worktree);
  return { removed: true };
}

function listTerminals(state, flags) {
  const worktree = flags.worktree === undefined ? undefined : worktreeBy(state, flags.worktree);
  const all = state.terminals.filter(({ worktreeId }) => worktree === undefined || worktreeId === worktree.id);
  const limit = Math.min(flags.limit === undefined ? (state.terminalLimit ?? 50) : Number(flags.limit), state.terminalMost ?? Infinity);
  const shown = all.slice(0, limit);
  const tabIds = [...new Set(shown.map(({ tabId }) => tabId))];
  return {
    terminals: shown.map((terminal) => ({ handle: handleOf(state, terminal), ptyId: terminal.pid, worktreePath: terminal.cwd, tabId: terminal.tabId, leafId: terminal.leafId, title: terminal.paneTitle, ...liveness(terminal) })),
    totalCount: all.length,
    truncated: all.length > limit,
    ...(flags['include-visual-layouts'] === true ? { visualLayouts: [{ root: { tabs: tabIds.map((tabId) => tab(state, shown.filter((each) => each.tabId === tabId))) } }] } : {}),
  };
}

function tab(state, terminals) {
  const leaves = terminals.map((terminal) => ({ type: 'terminal', handle: handleOf(state, terminal), leafId: terminal.leafId, title: terminal.paneTitle, connected: liveness(terminal).connected }));
  const [first, ...others] = leaves;
  return {
    tabId: terminals[0].tabId,
    activeLeafId: leaves.at(-1).leafId,
    title: terminals[0].title,
    panes: others.length === 0 ? { handle: first.handle, connected: first.connected, title: first.title } : { type: 'split', direction: 'row', children: [first, { type: 'split', direction: 'column', children: others }] },
  };
}

export function createTerminal(state, flags) {
  const worktree = worktreeBy(state, flags.worktree);
  const id = (state.next += 1);
  const terminal = { id, tabId: `tab-${id}`, leafId: `leaf-${id}`, worktreeId: worktree.id, title: flags.title, paneTitle: 'sh', cwd: worktree.path, composer: '' };
  Object.assign(terminal, start({ id, cwd: worktree.path, command: flags.command, handle: handleOf(state, terminal) }));
  state.terminals.push(terminal);
  state.made.terminals += 1;
  return terminal;
}

function send(state, flags) {
  const terminal = terminalBy(state, flags.terminal);
  if (!liveness(terminal).writable) throw new Refusal('terminal_not_writable', 'The terminal cannot be written to');
  if (flags.text === undefined && flags.enter !== true) throw new Refusal('invalid_argument', 'Nothing to send');
  if (terminal.asks) throw new Refusal('agent_prompt_blocked', `The agent asks something, so "${flags.text}" was not sent`);
  if (state.refuseSend) return { send: { accepted: false } };
  const payload = JSON.stringify([flags.terminal, flags.text, flags.enter]);
  const again = flags['retry-request'];
  if (again !== undefined && state.requests[again]?.payload !== payload) throw new Refusal('invalid_argument', 'The request was another one');
  if (again === undefined || !state.requests[again].typed) typeIn(state, terminal, flags);
  if (state.unclearSend !== undefined && again === undefined) {
    const id = `request-${(state.next += 1)}`;
    state.requests[id] = { payload, typed: true };
    state.unclearSend = undefined;
    throw new Refusal('runtime_error', `The runtime failed on "${flags.text}"`, { orchestrationRequestId: id });
  }
  return { send: { accepted: true, state: 'submitted' } };
}

function typeIn(state, terminal, flags) {
  if (terminal.leader !== undefined) {
    // Nothing between the text and the key: programs may take both for something pasted, and leave it unsubmitted.
    press(terminal, `${flags.text ?? ''}${flags.enter === true ? '\r' : ''}`);
    return;
  }
  // An older version: a text ends with its first line.
  if (flags.text !== undefined) terminal.composer += flags.text.split('\n')[0];
  if (flags.enter !== true) return;
  if (flags.text !== undefined && state.swallow > 0) {
    state.swallow -= 1;
    return;
  }
  const text = terminal.composer;
  terminal.composer = '';
  type(terminal, text);
}

export function worktreeBy(state, selector) {
  const [, kind, value] = /^(id|name|path):(.*)$/s.exec(selector) ?? [];
  const key = { id: 'id', name: 'displayName', path: 'path' }[kind];
  if (key === undefined) throw new Refusal('invalid_argument', `Unknown selector ${selector}`);
  const found = state.worktrees.filter((worktree) => worktree[key] === value);
  if (found.length > 1) throw new Refusal('selector_ambiguous', 'Several worktrees match');
  if (found.length === 0) throw new Refusal('selector_not_found', 'No worktree matches');
  return found[0];
}

export function terminalBy(state, handle) {
  const [, runtime, id] = /^term_(\d+)x(\d+)$/.exec(handle) ?? [];
  if (id === undefined) throw new Refusal('terminal_not_found', 'No such terminal');
  if (Number(runtime) !== state.runtime) throw new Refusal('terminal_handle_stale', 'The handle is of another runtime');
  const terminal = state.terminals.find((each) => each.id === Number(id));
  if (terminal === undefined) throw new Refusal('terminal_gone', 'The terminal is gone');
  return terminal;
}

export function handleOf(state, { id }) {
  return `term_${state.runtime}x${id}`;
}

function liveness(terminal) {
  const connected = runs(terminal);
  return { connected, writable: connected };
}

function branchAt(at) {
  try {
    return git(at, 'symbolic-ref', '--quiet', 'HEAD');
  } catch {
    return undefined;
  }
}

function git(at, ...args) {
  return execFileSync('git', ['-C', realpathSync(at), ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}
