import type { Ctx } from '@relayflows/surface';
import { comparisonTask, prototypeTask } from '../prompts.js';
import { tell } from '../steps.js';
import type { Work } from '../work.js';

const PROTOTYPES = [1, 2, 3];

/**
 * Lets three agents try the ticket side by side, each in a worktree of its own, and another compare what they
 * made. Names the file to follow.
 */
export async function prototypes(f: Ctx, { ticket }: Work): Promise<string> {
  const made = await Promise.all(PROTOTYPES.map(async (number) => {
    const tree = `.relayflow/worktrees/${number}`;
    const added = await f.run(ADD_WORKTREE, { env: { TREE: tree }, onNonZero: 'record' });
    if (!added.ok) return false;
    await tell(f, `prototype-${number}`, prototypeTask(ticket), 40, tree);
    return true;
  }));
  if (!made.includes(true)) return '';
  await tell(f, 'comparator', comparisonTask(ticket), 20);
  const { ok } = await f.run('test -s comparison.md', { onNonZero: 'record' });
  for (const number of PROTOTYPES) {
    await f.run(REMOVE_WORKTREE, { env: { TREE: `.relayflow/worktrees/${number}` }, onNonZero: 'record' });
  }
  return ok ? 'comparison.md' : '';
}

/** What a run that was killed left of an earlier one is kept: its agents may have worked in it. */
const ADD_WORKTREE = '[ -e "$TREE/.git" ] || git worktree add --quiet --detach "$TREE" HEAD';
const REMOVE_WORKTREE = 'git worktree remove --force "$TREE"';
