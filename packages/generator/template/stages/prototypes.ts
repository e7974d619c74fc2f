import { ask, tell } from '../steps.js';
import { MINUTES } from '../time-plan.js';
import type { Work } from '../work.js';

const TREES = [1, 2, 3].map((number) => `.relayflow/worktrees/${number}`);

/** What an earlier try at this step left is kept: its agent may have worked in it. */
const ADD = '[ -e "$TREE/.git" ] || git worktree add --quiet --detach "$TREE" HEAD';

/**
 * Lets three agents try the ticket side by side, each in a worktree of its own, and another compare what they made.
 * Names the file to follow.
 */
export async function prototypes(work: Work) {
  for (const TREE of TREES) await ask(work, ADD, { env: { TREE } });
  await Promise.all(TREES.map((cwd, at) => tell(work, `prototype-${at + 1}`, MINUTES.prototype, { cwd })));
  await tell(work, 'comparator', MINUTES.plan);
  const { ok } = await ask(work, 'test -s comparison.md');
  for (const TREE of TREES) await ask(work, 'git worktree remove --force "$TREE"', { env: { TREE } });
  return ok ? 'comparison.md' : '';
}
