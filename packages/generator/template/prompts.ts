import type { Work } from './work.js';

/** The ticket as agents read it: data, and no instruction to this flow. */
export function ticketText({ reference, title, ticket }: Work) {
  return `The ticket (${reference}):\n\n# ${title}\n\n${ticket.body || 'It says no more than its title.'}`;
}

/** Said to whoever builds, whatever else it is told. */
export const NEEDS_INPUT_HINT = `When the ticket is ambiguous, or what it is about cannot be found here, do not guess
and do not commit anything: write .relayflow/needs-input.md with your questions and the candidates that you found.`;

const NOTHING_ELSE = 'Change nothing else, and commit nothing.';

const COMMIT = `Commit your work on the current branch, without summary.md or anything in .relayflow/.
Do not push or switch branches.`;

/** What each role is asked: how to go about it, where a draft may put its own words, and what this flow relies on. */
export const TASKS: Record<string, [how: string, rules: string]> = {
  'check-discovery': [
    `Find out how this repository checks itself: read its CI configuration, its scripts and its documentation,
and follow what CI does, setup included (dependencies, builds that tests need, services it starts).`,
    `Write a POSIX shell script to .relayflow/check.sh that does the same here, from a fresh checkout, without
questions, and exits with a status other than 0 when a check fails. Leave out publishing, deployment and what
needs secrets. Do not run it. With nothing to check, write no script. ${NOTHING_ELSE}`,
  ],
  planner: [
    `Plan how to resolve the ticket in this repository. Read the code that it touches first. Name the files to
change, the tests to add or change, and what could go wrong. Prefer the smallest change that is right.`,
    `Write the plan to plan.md. ${NOTHING_ELSE}`,
  ],
  'plan-reviewer': [
    'Check plan.md, which another agent wrote, against the code: what does it miss, what is wrong or not needed?',
    `Write the corrected plan, whole, to reviewed-plan.md. ${NOTHING_ELSE}`,
  ],
  prototype: [
    `Try one way to resolve the ticket, far enough to know what it takes and whether it works. Others try theirs at
the same time. This directory is a checkout of your own.`,
    'Write prototype-notes.md: how you went about it, what works, what does not, what it would take. Do not push.',
  ],
  comparator: [
    `Prototypes for the ticket lie in .relayflow/worktrees/1, 2 and 3, each with its prototype-notes.md. Compare
them: correctness, tests, size, risk. Decide which way to go, and what to take from the others.`,
    `Write comparison.md: the decision with its reasons, then the plan. ${NOTHING_ELSE}`,
  ],
  implementer: [
    `Resolve the ticket in this repository. Keep to the style of the code around you. Add or change tests so that
they would fail without your change.{plan}`,
    `${COMMIT}
Write summary.md: what changed and why, for the person who reviews it.
${NEEDS_INPUT_HINT}`,
  ],
  'check-repair': [
    `The checks of this repository ended with "{check}" on the branch that resolves the ticket. The script is
.relayflow/check.sh, its output .relayflow/check.log. Find out why. If the setup is incomplete, complete the script.
If the change is at fault, fix it.`,
    `Never skip, delete or weaken a test or a check. If the failure has nothing to do with the change, leave it.
${COMMIT}
Say in your last message what was wrong and what you did.`,
  ],
  adversary: [
    `Review the change that resolves the ticket, as somebody who wants to find what is wrong with it:
git diff {base} HEAD. Does it do what the ticket asks? Which input breaks it? Do the tests prove it?`,
    `Write what must change to review.md: a paragraph for each finding, with the file and the reason. If nothing
must, write no findings and create the empty file review.clean. ${NOTHING_ELSE}`,
  ],
  fixer: [
    'Resolve each finding of review.md, or say in your last message why it is wrong.',
    `${COMMIT}
Bring summary.md up to date.`,
  ],
};
