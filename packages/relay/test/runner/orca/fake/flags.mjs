import { Refusal } from './refusal.mjs';

/** The flags of each verb: `value` takes one, `switch` none. Those in `needs` must be there. */
const VERBS = {
  'repo list': { flags: {} },
  'repo add': { flags: { path: 'value' }, needs: ['path'] },
  'worktree list': { flags: {} },
  'worktree create': { flags: { name: 'value', repo: 'value', 'parent-worktree': 'value', 'no-parent': 'switch', 'base-branch': 'value' }, needs: ['name', 'repo', 'base-branch'] },
  'worktree set': { flags: { worktree: 'value', 'workspace-status': 'value' }, needs: ['worktree', 'workspace-status'] },
  'worktree rm': { flags: { worktree: 'value', force: 'switch' }, needs: ['worktree'] },
  'terminal list': { flags: { worktree: 'value', 'include-visual-layouts': 'switch', limit: 'value' }, needs: [] },
  'terminal show': { flags: { terminal: 'value' }, needs: ['terminal'] },
  'terminal create': { flags: { worktree: 'value', title: 'value', command: 'value' }, needs: ['worktree', 'title', 'command'] },
  'terminal send': { flags: { terminal: 'value', text: 'value', enter: 'switch', 'retry-request': 'value' }, needs: ['terminal'] },
  'terminal read': { flags: { terminal: 'value', screen: 'switch', cursor: 'value', limit: 'value' }, needs: ['terminal'] },
  'terminal close': { flags: { terminal: 'value' }, needs: ['terminal'] },
};

/** The flags of a call. Refuses verbs and flags that Orca does not have, flags that are missing, and a call whose answer nobody could read. */
export function parse(name, args) {
  const verb = VERBS[name];
  if (verb === undefined) throw new Refusal('invalid_argument', `Unknown command ${name}`);
  const given = { json: false };
  for (let at = 0; at < args.length; at += 1) {
    const flag = args[at].startsWith('--') ? args[at].slice(2) : undefined;
    if (flag === 'json') given.json = true;
    else if (verb.flags[flag] === 'switch') given[flag] = true;
    else if (verb.flags[flag] === 'value' && at + 1 < args.length) given[flag] = args[(at += 1)];
    else throw new Refusal('invalid_argument', `Unknown or incomplete argument ${args[at]}`);
  }
  const missing = (verb.needs ?? []).find((flag) => given[flag] === undefined);
  if (missing !== undefined) throw new Refusal('invalid_argument', `Missing --${missing}`);
  if (!given.json) throw new Refusal('invalid_argument', 'A program must pass --json');
  return given;
}
