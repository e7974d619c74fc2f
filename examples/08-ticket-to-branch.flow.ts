/**
 * From a ticket to a pushed branch: an agent implements it, the repository's own tests judge it, and a person takes over.
 *
 * Killed at any moment and resumed, it ends with one commit and one branch: each step that changes something looks first whether it is done already.
 *
 *   node examples/practice-repository.mjs /tmp/practice
 *   cd /tmp/practice/work
 *   PATH="<examples>/agents:$PATH" flows run <examples>/08-ticket-to-branch.flow.ts --input <examples>/ticket.json
 */
import { flow } from '@relayflows/surface';

interface Ticket {
  id: string;
  title: string;
  body: string;
}

export default flow<Ticket>('ticket-to-branch', { version: '1.0.0' }, async (f, ticket) => {
  if (ticket.title.trim() === '') return f.done('needs_human', { detail: `Ticket ${ticket.id} has no title.` });

  // What a stranger wrote reaches commands as data, in variables.
  const names = { BRANCH: branchOf(ticket), TICKET: ticket.id, TITLE: ticket.title.trim() };

  f.phase('implementing');
  const base = (await f.run(START, { env: names })).trim();
  const work = await f.agent('implementer', { cli: 'scripted-agent', task: taskOf(ticket) });

  const changes = await f.run(CHANGES, { env: { BASE: base } });
  if (changes === '') return f.done('needs_human', { detail: `Nothing was changed. The agent says: ${work.summary.trim()}` });

  f.phase('checking');
  const tests = await f.run('npm test', { onNonZero: 'record', onTimeout: 'record', timeout: '15m', secrets: 'scrub' });

  f.phase('publishing');
  const commit = (await f.run(COMMIT, { env: names })).trim();
  await f.run(PUSH, { env: { ...names, COMMIT: commit }, retry: { attempts: 3, backoff: '2s' } });

  // A push that claims success is not proof: ask the remote.
  const published = await f.run('git ls-remote origin "refs/heads/$BRANCH" | cut -f 1', { env: names });
  if (published.trim() !== commit) {
    return f.done('step_failed', { detail: `${names.BRANCH} is ${published.trim() || 'missing'} on the remote, not ${commit}.` });
  }
  f.done('needs_human', { detail: `${names.BRANCH} is ready for review. ${tests.ok ? 'The tests pass.' : `The tests fail:\n${tests.output.slice(-1_000)}`}` });
});

/** Puts the work on a branch of its own and prints the commit it begins at. Somebody's uncommitted changes are not ours to publish. */
const START = `
set -eu
if ! git rev-parse --quiet --verify "refs/heads/$BRANCH" > /dev/null; then
  test -z "$(git status --porcelain)" || { echo 'There are uncommitted changes; commit or stash them first.' >&2; exit 1; }
  git branch --no-track "$BRANCH" HEAD
fi
git switch --quiet "$BRANCH"
git rev-parse HEAD
`;

/** Prints what differs from the base, committed or not; nothing when nothing does. */
const CHANGES = `
set -eu
git status --porcelain
git log --oneline "$BASE..HEAD"
`;

/** Commits what there is to commit, and prints the commit of the branch. */
const COMMIT = `
set -eu
git add --all
git diff --cached --quiet || git commit --quiet --message "$TITLE" --message "Ticket: $TICKET"
git rev-parse HEAD
`;

/** Pushes unless the remote has it. Never forces: a branch that somebody else moved is theirs. */
const PUSH = `
set -eu
published=$(git ls-remote origin "refs/heads/$BRANCH" | cut -f 1)
test "$published" = "$COMMIT" || git push --quiet origin "$COMMIT:refs/heads/$BRANCH"
`;

function branchOf({ id, title }: Ticket): string {
  const words = `${id} ${title}`.toLowerCase().match(/[a-z0-9]+/g) ?? ['untitled'];
  return `ticket/${words.join('-').slice(0, 60).replace(/-$/, '')}`;
}

function taskOf({ id, title, body }: Ticket): string {
  return `Implement ticket ${id} in this repository, with tests. Do not commit.\n\n${title}\n\n${body}`;
}
