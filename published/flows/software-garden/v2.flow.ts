/**
 * Turns a ticket into a change request: finds out how the repository checks itself, lets agents do the work,
 * and publishes what they did.
 *
 * Made by @relayflows/generator: workflow traditional, agents claude and codex, tickets of github, gitlab,
 * linear, jira, shortcut, slack, markdown, target cloud.
 * Run it in a checkout with an origin:
 *
 *   flows run software-garden.flow.ts --input ticket.json
 */

import { flow, type Ctx, type RunOptions, type RunResult } from '@relayflows/surface';

/**
 * The time of a run, in minutes. A step gets its share, as far as that leaves enough for what must still come: the
 * branch is pushed and a change is opened, whatever took long before.
 */
const MINUTES = {
  /** The whole run. A step that begins later is refused. */
  total: 180,
  /** For steps that take a moment longer than their limit, since they have to be stopped. */
  slack: 6,
  /** A step that only asks git, or writes a file. */
  small: 1,
  discovery: 10,
  plan: 15,
  planReview: 10,
  /** Each of three that work at the same time: what they take adds up. */
  prototype: 15,
  implement: 70,
  /** The checks, each time they run, and the least that is kept for them. */
  check: 60,
  checkFloor: 8,
  repair: 20,
  push: 5,
  /** A review, and the least that is kept for one. */
  review: 20,
  reviewFloor: 10,
  fix: 25,
};

/** What the runtime holds the run to. */
const BUDGET = { wallclock: `${MINUTES.total}m` };

/** Drop, check, report twice, validate, push, open; a moment more for opening. */
const PUBLISHING = MINUTES.push + 7 * MINUTES.small;

/** A review, what it wrote, and the word that it stands in the way. */
const REVIEWING = MINUTES.reviewFloor + 3 * MINUTES.small;

/** Drop, report and push of what was fixed, and another review. */
const FIXED = MINUTES.push + 2 * MINUTES.small + REVIEWING;

/** The host that starts this flow has chosen the ticket. */
function unwanted(_input: unknown): string {
  return '';
}

/**
 * Who plays a part in this flow: a coding agent, perhaps a model of it, and instructions that replace the
 * usual ones.
 */
interface Player {
  cli: string;
  model?: string;
  prompt?: string;
}

const PLAYERS: Record<string, Player> = {
  planner: { cli: 'claude' },
  'plan-reviewer': { cli: 'codex' },
  implementer: { cli: 'claude' },
  adversary: { cli: 'codex' },
  fixer: { cli: 'claude' },
  'check-discovery': { cli: 'claude' },
  'check-repair': { cli: 'claude' },
};

/** Instructions that everybody who builds gets besides the ticket. */
const TASK = '';

/** How this repository checks itself, when you know it: 'npm ci && npm test'. Empty: the flow finds out. */
const checkCommand = '';

export default flow<unknown>('software-garden', { version: '2.0.0', budget: BUDGET }, async (f, input) => {
  const ticket = readTicket(input);
  const refused = refusalOf(ticket) || unwanted(input);
  if (refused !== '') return stop(f, refused);

  const work = await begin(f, ticket);
  await settleChecks(f, work);
  await implement(f, work, await plan(f, work));
  await check(f, work, PUBLISHING + REVIEWING);

  const unpublished = await publish(f, work, approverOf(input));
  if (unpublished !== '') return stop(f, unpublished);

  const outcome = outcomeOf(work);
  const objection = outcome.review ? await review(f, work) : '';
  f.done(objection === '' ? outcome.end : 'step_failed', { detail: `${work.url}\n${objection || outcome.reason}` });
});

/** A ticket as a tracker hands it over. What is missing, or is no text, reads as blank. */
interface Ticket {
  source: string;
  title: string;
  body: string;
  identifier: string;
  url: string;
}

function readTicket(input: unknown): Ticket {
  const issue = memberOf(input, 'issue');
  const text = (name: string): string => {
    const value = memberOf(issue, name);
    return typeof value === 'string' ? value.trim() : '';
  };
  return {
    source: text('source'),
    title: text('title'),
    body: text('body'),
    identifier: text('identifier'),
    url: text('url'),
  };
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

const PLACEHOLDERS = ['software factory change', 'replace with your ticket title'];

/** Why a ticket cannot be worked on; empty when it can. */
function refusalOf({ source, title, identifier }: Ticket): string {
  if (title === '') return 'The ticket has no title.';
  if (PLACEHOLDERS.includes(title.toLowerCase())) return `"${title}" is a placeholder, not a ticket.`;
  if (source === 'github' && identifier !== '' && !/^#\d+$/.test(identifier)) {
    return `"${identifier}" does not name a GitHub issue: it is written #<number>.`;
  }
  return '';
}

const TITLE_MAX = 240;

/** The title of the change: one line, at most 240 code points. */
function titleOf(ticket: Ticket): string {
  return Array.from(ticket.title.replaceAll(/\s+/g, ' ')).slice(0, TITLE_MAX).join('').trim();
}

/** The line of the change that names, or closes, the ticket. */
function referenceOf({ source, identifier, url, title }: Ticket): string {
  const closes = { github: 'Fixes', gitlab: 'Closes' }[source];
  if (closes !== undefined && /^#\d+$/.test(identifier)) return `${closes} ${identifier}`;
  return `Ticket: ${(url || identifier || title).replaceAll(/\s+/g, ' ')}`;
}

/** The ticket in the name of a branch. */
function slugOf({ identifier, title }: Ticket): string {
  const slug = `${identifier} ${title}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return slug.slice(0, 50).replaceAll(/^-+|-+$/g, '') || 'change';
}

/** Who is asked to review the change; empty when nobody is named. */
function approverOf(input: unknown): string {
  const approver = memberOf(input, 'approver');
  return typeof approver === 'string' ? approver.trim() : '';
}

/** Ends the run without a change request, and says why where the person who reads the log looks. */
function stop(f: Ctx, reason: string): void {
  console.error(`relayflow: ${reason}`);
  f.done('needs_human', { detail: reason });
}

/** Names a branch before anything is done, and keeps the working files of this flow out of commits. */
async function begin(f: Ctx, ticket: Ticket): Promise<Work> {
  const work = newWork(ticket);
  const base = await answerOf(f, work, START, { RELAYFLOW_SLUG: slugOf(ticket) }, MINUTES.push);
  work.base = base === 'none' ? '' : base;
  await answerOf(f, work, EXCLUDE_WORKING_FILES);
  return work;
}

/** What is known so far. Each stage adds what it found out. */
interface Work {
  ticket: Ticket;
  /** The commit that the branch grew from. */
  base: string;
  /** Where the check script came from: 'repository', 'discovered' or 'default'; empty when there is none. */
  checkSource: string;
  /** How the checks ended on the branch: 'pass', 'fail', 'timeout', 'none', 'unrunnable', or 'skipped'. */
  check: string;
  /** How they ended on the base commit, when that was asked; else 'skipped'. */
  baseCheck: string;
  /** What the repair agent says it did. */
  notes: string;
  /** Why the implementer did not finish; empty when it did. */
  stopped: string;
  /** Milliseconds that steps took so far. */
  spent: number;
  /** The change request, once it is open. */
  url: string;
}

function newWork(ticket: Ticket): Work {
  return {
    ticket,
    base: '',
    checkSource: '',
    check: 'skipped',
    baseCheck: 'skipped',
    notes: '',
    stopped: '',
    spent: 0,
    url: '',
  };
}

type Env = Record<string, string>;

/**
 * Runs a shell part and gives the word that it answers with; empty when it could not be run. The part begins with a
 * sentence on what it does, which stands first, where lists of steps show it.
 */
async function answerOf(
  f: Ctx,
  work: Work,
  script: string,
  env: Env = {},
  minutes = MINUTES.small,
  secrets: RunOptions['secrets'] = 'inherit',
): Promise<string> {
  const [sentence = ''] = script.trim().split('\n', 1);
  return await timed(f, work, minutes, async () => {
    const ran = await f.run(`${sentence}\n${SHELL_LIBRARY}${script}`, {
      env,
      secrets,
      timeout: `${minutes}m`,
      onNonZero: 'record',
      onTimeout: 'record',
    });
    return ran.timedOut === true ? '' : ran.stdout.trim();
  });
}

/** Runs a short command and says whether it worked, and what it printed. */
async function ask(f: Ctx, work: Work, command: string, env: Env = {}): Promise<RunResult> {
  return await timed(f, work, MINUTES.small, () =>
    f.run(command, { env, timeout: `${MINUTES.small}m`, onNonZero: 'record', onTimeout: 'record' }));
}

/** What a role is asked to do. */
interface Task {
  /** How to go about it. A draft may put its own words here. */
  how: string;
  /** What the flow relies on, whatever the words above say. */
  rules: string;
  /** What it is about. */
  about: string;
}

interface Told {
  /** What it said last. */
  summary: string;
  /** Why it did not finish; empty when it did. */
  stopped: string;
}

/** Lets the player of a role work. That it was stopped, or failed, is part of the answer: what it did is there. */
async function tell(f: Ctx, work: Work, role: string, task: Task, minutes: number, cwd?: string): Promise<Told> {
  if (minutes === 0) return { summary: '', stopped: `There was no time left for the ${role}.` };
  const { cli = 'claude', model, prompt } = PLAYERS[role] ?? {};
  try {
    const { completionReason, summary } = await timed(f, work, minutes, () =>
      f.agent(role, {
        cli,
        task: [prompt ?? task.how, task.rules, TASK, task.about].filter((text) => text !== '').join('\n\n'),
        timeout: `${minutes}m`,
        recoveryMode: 'inspect',
        ...(model === undefined ? {} : { model }),
        ...(cwd === undefined ? {} : { cwd }),
      }));
    const stopped = completionReason === 'timeout' ? `The ${role} was stopped after ${minutes} minutes.` : '';
    return { summary: typeof summary === 'string' ? summary : '', stopped };
  } catch (error) {
    return { summary: '', stopped: `The ${role} failed: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Whole minutes for a step that wants so many, with so many kept for what comes after it. */
function minutesFor({ spent }: Work, wanted: number, kept: number): number {
  return Math.max(0, Math.floor(Math.min(wanted, MINUTES.total - MINUTES.slack - spent / 60_000 - kept)));
}

/** Puts what a step took on the account: its limit at most, since a run that rested meanwhile spent nothing. */
async function timed<T>(f: Ctx, work: Work, minutes: number, action: () => PromiseLike<T>): Promise<T> {
  const begun = await f.now();
  try {
    return await action();
  } finally {
    work.spent += Math.min((await f.now()) - begun, (minutes + 1) * 60_000);
  }
}

/**
 * Settles how this repository is checked: the author knows, the repository says, an agent finds out, or its kind of
 * project tells.
 */
async function settleChecks(f: Ctx, work: Work): Promise<void> {
  const env = { RELAYFLOW_CHECK_COMMAND: checkCommand.trim() };
  const committed = (await ask(f, work, 'git ls-files -- .relayflow/check.sh')).stdout.trim() !== '';
  if (env.RELAYFLOW_CHECK_COMMAND !== '' || committed) {
    await answerOf(f, work, CHECK_RESOLVE, env);
    work.checkSource = env.RELAYFLOW_CHECK_COMMAND === '' ? 'repository' : 'input';
    return;
  }
  const { stopped } = await tell(f, work, 'check-discovery', discoveryTask(), MINUTES.discovery);
  // What it was stopped while writing is no script.
  if (stopped !== '') await ask(f, work, 'rm -f .relayflow/check.sh');
  const settled = await answerOf(f, work, CHECK_RESOLVE, env);
  work.checkSource = { script: 'discovered', default: 'default' }[settled] ?? '';
}

/** Lets the implementer work on the branch. */
async function implement(f: Ctx, work: Work, plan: string): Promise<Told> {
  const kept = MINUTES.checkFloor + PUBLISHING + REVIEWING;
  const minutes = minutesFor(work, MINUTES.implement, kept);
  const told = await tell(f, work, 'implementer', implementTask(work.ticket, plan), minutes);
  work.stopped = told.stopped;
  return told;
}

/** Lets one agent plan and another correct the plan. Names the file to follow; empty when there is none. */
async function plan(f: Ctx, work: Work): Promise<string> {
  await tell(f, work, 'planner', planTask(work.ticket), MINUTES.plan);
  if (!(await ask(f, work, 'test -s plan.md')).ok) return '';
  await tell(f, work, 'plan-reviewer', planReviewTask(work.ticket), MINUTES.planReview);
  return (await ask(f, work, 'test -s reviewed-plan.md')).ok ? 'reviewed-plan.md' : 'plan.md';
}

const REPAIRS = 2;

/**
 * Runs the checks, lets an agent repair what fails, and finds out whether what still fails did so before. Keeps so many
 * minutes for what comes after.
 */
async function check(f: Ctx, work: Work, kept: number): Promise<void> {
  if (work.checkSource === '') {
    // The change may have brought the first checks with it.
    work.checkSource = (await answerOf(f, work, CHECK_RESOLVE)) === 'default' ? 'default' : '';
  }
  work.check = await runChecks(f, work, CHECK_RUN, kept);
  for (let round = 1; round <= REPAIRS && (work.check === 'fail' || work.check === 'timeout'); round += 1) {
    const minutes = minutesFor(work, MINUTES.repair, MINUTES.checkFloor + kept);
    if (minutes < 2) break;
    const { summary, stopped } = await tell(f, work, 'check-repair', repairTask(work.ticket, work.check), minutes);
    work.notes = [work.notes, summary || stopped].filter((note) => note !== '').join('\n\n');
    work.check = await runChecks(f, work, CHECK_RUN, kept);
  }
  work.baseCheck = work.check === 'fail' ? await runChecks(f, work, BASE_CHECK, kept) : 'skipped';
}

/**
 * Runs checks without the credentials of whoever runs this flow: what a repository's own scripts do with them is not
 * known. They stop themselves a minute before their step would be stopped.
 */
async function runChecks(f: Ctx, work: Work, script: string, kept: number): Promise<string> {
  const minutes = minutesFor(work, MINUTES.check, kept);
  if (minutes < 2) return 'skipped';
  const env = { RELAYFLOW_BASE: work.base, RELAYFLOW_CHECK_LIMIT: String((minutes - 1) * 60) };
  return (await answerOf(f, work, script, env, minutes, 'scrub')) || 'unrunnable';
}

/**
 * Pushes the branch, whatever its checks say, and opens the change request. Says what went wrong; empty when nothing
 * did.
 */
async function publish(f: Ctx, work: Work, approver: string): Promise<string> {
  const env = changeOf(work);
  await answerOf(f, work, DROP_WORKING_FILES, env);
  if ((await answerOf(f, work, PUBLISH_CHECK, env)) === 'no-commits') {
    return 'Nothing was committed, so there is nothing to publish.';
  }
  await answerOf(f, work, CHECK_REPORT, env);
  const metadata = await answerOf(f, work, CHANGE_METADATA, env);
  const pushed = await answerOf(f, work, PUSH, env, MINUTES.push);
  if (!/^(pushed|up-to-date)/.test(pushed)) {
    return 'The branch could not be pushed. It is here, with all that was done.';
  }
  if (metadata !== 'valid') {
    return `The branch is pushed. No change was opened, since its description cannot be used: ${metadata}`;
  }
  // What the forge did not take stands in the description.
  if (pushed === 'pushed-without-workflows') await answerOf(f, work, CHECK_REPORT, env);
  const draft = outcomeOf(work).draft ? '1' : '';
  const open = { ...env, RELAYFLOW_DRAFT: draft, RELAYFLOW_REVIEWER: approver };
  const url = await answerOf(f, work, OPEN_CHANGE, open, 2 * MINUTES.small);
  if (url === '' || url === 'failed') return 'The branch is pushed. The change request could not be opened.';
  work.url = url;
  return '';
}

/** What the parts that publish are told. */
function changeOf(work: Work): Record<string, string> {
  return {
    RELAYFLOW_BASE: work.base,
    RELAYFLOW_TITLE: titleOf(work.ticket),
    RELAYFLOW_REFERENCE: referenceOf(work.ticket),
    RELAYFLOW_CHECK_RESULT: work.check,
    RELAYFLOW_BASE_RESULT: work.baseCheck,
    RELAYFLOW_CHECK_SOURCE: work.checkSource,
    RELAYFLOW_CHECK_NOTES: work.notes,
    RELAYFLOW_OUTCOME: outcomeOf(work).reason,
  };
}

/** What becomes of a change once it is known how its checks ended. */
interface Outcome {
  draft: boolean;
  /** Whether somebody reviews it. */
  review: boolean;
  end: 'needs_human' | 'step_failed';
  reason: string;
}

function outcomeOf({ check, baseCheck, stopped }: Pick<Work, 'check' | 'baseCheck' | 'stopped'>): Outcome {
  const draft = (reason: string): Outcome => ({ draft: true, review: true, end: 'needs_human', reason });
  if (check === 'fail') {
    if (baseCheck === 'fail' || baseCheck === 'timeout') {
      return draft('The checks fail, and they fail on the base commit as well.');
    }
    if (baseCheck === 'pass' || baseCheck === 'none') {
      const reason = 'The change breaks checks that pass on its base commit.';
      return { draft: true, review: false, end: 'step_failed', reason };
    }
    return draft('The checks fail, and it could not be found out whether they fail on the base commit as well.');
  }
  if (check !== 'pass' && check !== 'none') return draft(`The checks did not come to an end: ${check}.`);
  if (stopped !== '') return draft(stopped);
  return { draft: false, review: true, end: 'needs_human', reason: 'A person reviews and merges the change.' };
}

const FINDINGS = 'findings';

/**
 * Lets somebody else review the change, the builder fix what was found, and reviews the fix. Says what stands against
 * the change; empty when nothing does.
 */
async function review(f: Ctx, work: Work): Promise<string> {
  const first = await lookAt(f, work);
  if (first === '') return '';
  const minutes = minutesFor(work, MINUTES.fix, MINUTES.checkFloor + FIXED);
  if (first !== FINDINGS || minutes < 2) {
    return await block(f, work, first === FINDINGS ? 'There was no time left for its findings.' : first);
  }
  const before = work.check;
  await tell(f, work, 'fixer', fixTask(work.ticket), minutes);
  await check(f, work, FIXED);
  const env = changeOf(work);
  await answerOf(f, work, DROP_WORKING_FILES, env);
  await answerOf(f, work, CHECK_REPORT, env);
  await answerOf(f, work, PUSH, env, MINUTES.push);
  if (before === 'pass' && work.check !== 'pass') {
    return await block(f, work, 'What the fixer did breaks checks that passed before.');
  }
  const second = await lookAt(f, work);
  if (second === '') return '';
  return await block(f, work, second === FINDINGS ? 'The review found what is not resolved.' : second);
}

const VERDICT = 'if [ -s review.md ]; then echo findings; elif [ -e review.clean ]; then echo clean; fi';

/** One review: empty when it is clean, `findings`, or why it came to no end. */
async function lookAt(f: Ctx, work: Work): Promise<string> {
  await ask(f, work, 'rm -f review.md review.clean');
  const minutes = minutesFor(work, MINUTES.review, 2 * MINUTES.small);
  const { stopped } = await tell(f, work, 'adversary', reviewTask(work.ticket, work.base), minutes);
  if (stopped !== '') return stopped;
  const { stdout } = await ask(f, work, VERDICT);
  return { findings: FINDINGS, clean: '' }[stdout.trim()] ?? 'The review came to no verdict.';
}

async function block(f: Ctx, work: Work, reason: string): Promise<string> {
  await answerOf(f, work, REVIEW_BLOCKED, { ...changeOf(work), RELAYFLOW_OUTCOME: reason });
  return reason;
}

/** The ticket as agents read it. It is data: nothing in it is an instruction to this flow. */
function ticketText(ticket: Ticket): string {
  const body = ticket.body || 'It says no more than its title.';
  return `The ticket (${referenceOf(ticket)}):\n\n# ${titleOf(ticket)}\n\n${body}`;
}

function planTask(ticket: Ticket): Task {
  return {
    how: `Plan how to resolve the ticket in this repository. Read the code that it touches first.
Name the files to change, the tests to add or change, and what could go wrong.
Prefer the smallest change that resolves the ticket for good.`,
    rules: 'Write the plan to plan.md. Change nothing else, and commit nothing.',
    about: ticketText(ticket),
  };
}

function planReviewTask(ticket: Ticket): Task {
  return {
    how: `Another agent wrote plan.md for the ticket. Check it against the code:
what does it miss, what does it get wrong, what is not needed?`,
    rules: 'Write the corrected plan, whole, to reviewed-plan.md. Change nothing else, and commit nothing.',
    about: ticketText(ticket),
  };
}

function implementTask(ticket: Ticket, plan: string): Task {
  const follow = plan === '' ? '' : `Follow the plan in ${plan}, unless the code proves it wrong.\n`;
  return {
    how: `Resolve the ticket in this repository. Keep to the style of the code around you.
Add or change tests so that they would fail without your change.`,
    rules: `${follow}Commit your work on the current branch, in one or more commits.
Do not push, and do not switch branches.
Write summary.md: what changed and why, for the person who reviews it.
Do not commit summary.md or anything in .relayflow/.`,
    about: ticketText(ticket),
  };
}

function discoveryTask(): Task {
  return {
    how: `Find out how this repository checks itself: read its CI configuration, its scripts and its documentation,
and follow what CI does, setup included (dependencies, builds that tests need, services it starts).`,
    rules: `Write a POSIX shell script to .relayflow/check.sh that does the same here, from a fresh checkout, without
questions, and exits with a status other than 0 when a check fails. Leave out publishing, deployment and what needs
secrets. Do not run it, change nothing else, and commit nothing. If there is nothing to check, write no script.`,
    about: '',
  };
}

function repairTask(ticket: Ticket, ended: string): Task {
  return {
    how: `The checks of this repository ended with "${ended}" on the branch that resolves the ticket.
The script is .relayflow/check.sh, its output .relayflow/check.log. Find out why.
If the setup is incomplete, complete the script. If the change is at fault, fix it and commit the fix.`,
    rules: `Never skip, delete or weaken a test or a check. If the failure has nothing to do with the change, leave it.
Do not push. Say in your last message what was wrong and what you did.`,
    about: ticketText(ticket),
  };
}

function reviewTask(ticket: Ticket, base: string): Task {
  return {
    how: `Review the change that resolves the ticket, as somebody who wants to find what is wrong with it:
git diff ${base} HEAD. Does it do what the ticket asks? Which input breaks it? Do the tests prove it?`,
    rules: `Write what must change to review.md: a paragraph for each finding, with the file and the reason. If nothing
must change, write no findings and create the empty file review.clean. Change nothing else, and commit nothing.`,
    about: ticketText(ticket),
  };
}

function fixTask(ticket: Ticket): Task {
  return {
    how: 'Resolve each finding of review.md, or say in your last message why it is wrong.',
    rules: `Commit your work on the current branch. Do not push. Bring summary.md up to date.
Do not commit summary.md, review.md or anything in .relayflow/.`,
    about: ticketText(ticket),
  };
}

const SHELL_LIBRARY = `
# Says something to people. Only the answer of a part goes to standard output.
say() {
  printf 'relayflow: %s\\n' "$*" >&2
}

# Prints the one word that a part ($2) answers with, or $1 when it has none. Always succeeds.
reply() {
  word=$(
    set +e
    # A git that started this, a hook say, means another index or reads paths in another way.
    unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX GIT_EXTERNAL_DIFF CDPATH
    unset GIT_LITERAL_PATHSPECS GIT_GLOB_PATHSPECS GIT_NOGLOB_PATHSPECS GIT_ICASE_PATHSPECS
    mkdir -p .relayflow
    restore_head && "$2"
  ) || :
  printf '%s\\n' "\${word:-$1}"
}

# Git without what its user's configuration changes: it runs no hooks, asks nothing and takes no lock in passing.
git() {
  GIT_TERMINAL_PROMPT=0 GIT_OPTIONAL_LOCKS=0 command git -c core.quotePath=false -c core.fsmonitor=false \\
    -c core.hooksPath=/dev/null -c submodule.recurse=false -c diff.orderFile=/dev/null "$@"
}

# The branch that is checked out; empty when none is.
current_branch() {
  ref=$(git symbolic-ref -q HEAD 2>/dev/null) && printf '%s\\n' "\${ref#refs/heads/}"
}

# The commit that is checked out. Fails when there is none.
head_commit() {
  git rev-parse -q --verify 'HEAD^{commit}' 2>/dev/null
}

# The commit that the branch grew from. Fails when it is not known, or not here.
base_commit() {
  git rev-parse -q --verify "\${RELAYFLOW_BASE:-}^{commit}" 2>/dev/null
}

# Where the run is within the repository: empty, or a folder with a slash at its end.
run_prefix() {
  git rev-parse --show-prefix
}

# Removes the lock of an index whose git was killed. One that a living process has open stays.
clear_index_lock() {
  lock=$(git rev-parse --git-path index.lock 2>/dev/null) && [ -e "$lock" ] || return 0
  lock=$(cd "$(dirname "$lock")" && pwd -P)/index.lock
  # Where nobody can tell which files are open, it stays too.
  case $(ls -l /proc/[0-9]*/fd 2>/dev/null) in
    *"$lock"* | '') ;;
    *) rm -f "$lock" && say "removed $lock, which a git that was stopped had left" ;;
  esac
}

# Comes back from the base commit to the branch that a killed run had left.
restore_head() {
  clear_index_lock
  [ -f .relayflow/base-check.restore ] || return 0
  read -r at from <.relayflow/base-check.restore
  now=$(current_branch)
  # On the base there is only what checks did; on a branch that somebody went to, their work is kept.
  if [ -n "$at" ] && { [ -z "$now" ] || [ "$now" != "$from" ]; }; then
    force=-qf
    [ -z "$now" ] || force=-q
    git checkout "$force" "\${from:-$at}" -- || git checkout "$force" "$at" -- || return
    say "came back to \${from:-$at} from the base commit"
  fi
  [ ! -f .relayflow/base-check.script ] || mv -f .relayflow/base-check.script .relayflow/check.sh
  rm -f .relayflow/base-check.restore
}

# The working files of a flow, one a line, relative to where it runs. A folder ends with a slash.
working_files() {
  printf '%s\\n' summary.md plan.md reviewed-plan.md review.md review.clean review-blocked.md comparison.md \\
    prototype-notes.md .relayflow/ .relayflowd/ START-HERE.txt flow-input.json relay-preflight.mjs \\
    software-factory.flow.mts
}

# The usual checks of the kind of project that the current folder is, as the lines of a script.
default_checks() {
  if has_target GNUmakefile makefile Makefile; then
    using make 'make test'
  elif has_target justfile Justfile .justfile; then
    using just 'just test'
  elif node_checks; then
    :
  elif any_file Cargo.toml; then
    using cargo 'cargo test'
  elif any_file go.mod; then
    using go 'go test ./...'
  elif any_file pyproject.toml setup.py setup.cfg requirements.txt tox.ini &&
    git ls-files '*test*.py' | grep -q .; then
    python_checks
  elif any_file Gemfile && [ -d spec ]; then
    using bundle 'bundle install --quiet' 'bundle exec rspec'
  elif any_file Gemfile && any_file Rakefile; then
    using bundle 'bundle install --quiet' 'bundle exec rake'
  elif any_file pom.xml; then
    # A wrapper that the repository brings comes before the tool itself.
    if [ -x mvnw ]; then echo './mvnw -B -q verify'; else using mvn 'mvn -B -q verify'; fi
  elif any_file build.gradle build.gradle.kts; then
    if [ -x gradlew ]; then echo './gradlew check'; else using gradle 'gradle check'; fi
  elif any_file ./*.sln ./*.slnx ./*.csproj ./*.fsproj; then
    using dotnet 'dotnet test'
  elif any_file mix.exs; then
    using mix 'mix local.hex --force --if-missing' 'mix deps.get' 'mix test'
  else
    return 1
  fi
}

any_file() {
  for file in "$@"; do [ ! -f "$file" ] || return 0; done
  return 1
}

# The lines $2… of a script that needs the tool $1, and says so when it is missing.
using() {
  echo "command -v $1 >/dev/null || { echo '$1 is not installed' >&2; exit 127; }"
  shift
  [ $# -eq 0 ] || printf '%s\\n' "$@"
}

# Whether one of the files of make or just has a target \`test\`, perhaps beside others, or calls it phony.
has_target() {
  cat "$@" 2>/dev/null | grep -Eq \\
    -e '^@?([^[:space:]#:=][^#:=]*[[:space:]])?test([[:space:]]+[^:=[:space:]][^:]*)?[[:space:]]*:([^=]|$)' \\
    -e '^\\.PHONY[[:space:]]*:(.*[[:space:]])?test([[:space:]]|$)'
}

# The package manager is the one whose lockfile is there; of several, the one that package.json names.
node_checks() {
  grep -q '"test"[[:space:]]*:' package.json 2>/dev/null && ! grep -q 'no test specified' package.json || return
  declared=$(sed -nE 's/.*"packageManager"[[:space:]]*:[[:space:]]*"(pnpm|yarn|bun|npm)@.*/\\1/p' package.json)
  for manager in $declared pnpm yarn bun npm; do
    install='install --frozen-lockfile'
    case $manager in
      pnpm) any_file pnpm-lock.yaml ;;
      yarn) any_file yarn.lock ;;
      bun) any_file bun.lock bun.lockb ;;
      npm) any_file package-lock.json npm-shrinkwrap.json && install=ci ;;
    esac && break
    install='install'
  done
  [ "$install" != 'install' ] || manager=\${declared:-npm}
  ! grep -q '^__metadata:' yarn.lock 2>/dev/null || [ "$manager" != yarn ] || install='install --immutable'
  case $manager in
    pnpm | yarn)
      # Corepack brings them, without questions, and whatever package.json names.
      cat <<'END'
export COREPACK_ENABLE_DOWNLOAD_PROMPT=0 COREPACK_ENABLE_STRICT=0 PATH="$PATH:$work/bin"
mkdir -p "$work/bin" && corepack enable --install-directory "$work/bin" || :
END
      ;;
  esac
  using "$manager" "$manager $install" "$manager run test"
}

python_checks() {
  if any_file uv.lock; then
    using uv 'uv run --frozen pytest'
  elif any_file poetry.lock; then
    using poetry 'poetry install --no-interaction' 'poetry run pytest'
  else
    using python3
    cat <<'END'
python3 -m venv "$work/venv"
. "$work/venv/bin/activate"
pip install -q pytest
END
    ! any_file requirements.txt || echo 'pip install -q -r requirements.txt'
    ! any_file pyproject.toml setup.py || echo 'pip install -q -e .'
    echo 'python -m pytest'
  fi
}

# Runs .relayflow/check.sh, its output in $1.log and how it ended in $1.exit, .elapsed and .limit. Answers how.
run_checks() {
  limit=\${RELAYFLOW_CHECK_LIMIT:-840}
  rm -f "$1.log" "$1.exit" "$1.elapsed" "$1.stopped"
  [ -s .relayflow/check.sh ] || {
    echo none
    return
  }
  begun=$(date +%s)
  (limited_checks "$1") 2>/dev/null
  echo "$(($(date +%s) - begun))" >"$1.elapsed"
  echo "$limit" >"$1.limit"
  tail -n 40 "$1.log" >&2
  if [ -e "$1.stopped" ]; then
    echo 124 >"$1.exit"
    say "the checks were stopped after $limit seconds"
    echo timeout
    return
  fi
  case $(cat "$1.exit") in
    0) echo pass ;;
    126 | 127) echo unrunnable ;;
    *) echo fail ;;
  esac
}

# The check script in a process group of its own, without a terminal and the host's git configuration. At the limit,
# and when the script has ended, the whole group is stopped.
limited_checks() {
  unset GIT_CONFIG_COUNT GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM GIT_CONFIG_SYSTEM GIT_CONFIG_PARAMETERS
  set -- "$1" sh setsid
  if head -n 1 .relayflow/check.sh | grep -q '^#!.*bash' && command -v bash >/dev/null; then set -- "$1" bash setsid; fi
  set +m
  sleep "$limit" &
  sleeper=$!
  (
    # Without it, only a shell that makes groups without a terminal can stop what the script starts.
    command -v setsid >/dev/null || { set -- "$1" "$2" env && set -m; }
    "$3" "$2" .relayflow/check.sh >"$1.log" 2>&1 </dev/null &
    echo "$!" >"$1.group"
    wait "$!"
    echo "$?" >"$1.exit"
    kill "$sleeper"
  ) &
  if wait "$sleeper"; then
    : >"$1.stopped"
    signal_group TERM "$1.group"
    # Five seconds to clean up, if it takes them.
    for _ in 1 2 3 4 5; do
      signal_group 0 "$1.group" || break
      sleep 1
    done
  fi
  signal_group KILL "$1.group"
  wait
}

signal_group() {
  group=$(cat "$2")
  kill "-$1" "-$group" || kill "-$1" "$group"
}

# Runs a command that makes a commit, in the name of the flow when nobody's is configured.
with_identity() {
  if git var GIT_COMMITTER_IDENT >/dev/null 2>&1 && git var GIT_AUTHOR_IDENT >/dev/null 2>&1; then
    "$@"
  else
    GIT_AUTHOR_NAME=relayflow GIT_AUTHOR_EMAIL=relayflow@localhost \\
      GIT_COMMITTER_NAME=relayflow GIT_COMMITTER_EMAIL=relayflow@localhost "$@"
  fi
}

# Takes user names, passwords and tokens out of addresses.
without_credentials() {
  LC_ALL=C sed -e 's#\\(://\\)[^/[:space:]]*@#\\1***@#g' -e 's#\\([?&][a-z_]*token=\\)[^&[:space:]]*#\\1***#g'
}

# The first or last (\`head\`, \`tail\`) $2 bytes of a text, cut between characters.
keep() {
  "$1" -c "$(($2 + 1))" | LC_ALL=C awk -v end="$1" -v most="$2" '
    function half(byte) { return byte >= "\\200" && byte < "\\300" }
    { text = text $0 "\\n" }
    END {
      if (length(text) > most + 1 && end == "tail") {
        text = substr(text, length(text) - most + 1)
        while (half(substr(text, 1, 1))) text = substr(text, 2)
        print "…"
      } else if (length(text) > most + 1) {
        text = substr(text, 1, most)
        while (half(substr(text, length(text)))) text = substr(text, 1, length(text) - 1)
        text = substr(text, 1, length(text) - 1) "\\n…\\n"
      }
      printf "%s", text
    }'
}

# The commit that a branch of the remote is at; empty when it has none.
remote_commit() {
  {
    git ls-remote --heads "$(git remote get-url --push origin)" "refs/heads/$1" | cut -f 1
  } 2>/dev/null
}

# Pushes a branch with its hooks, and reads back what arrived: that a push says it worked does not prove it.
push_branch() {
  GIT_TERMINAL_PROMPT=0 command git push -u origin "HEAD:refs/heads/$1" </dev/null >.relayflow/push.raw 2>&1
  pushed=$?
  without_credentials <.relayflow/push.raw >.relayflow/push.log
  rm -f .relayflow/push.raw
  tail -n 20 .relayflow/push.log >&2
  [ "$pushed" -eq 0 ] || return
  [ "$(remote_commit "$1")" = "$(head_commit)" ] || {
    say 'the push said that it worked, and the remote does not have the commit'
    return 1
  }
}
`;

const START = `
# Names a branch for the work before it begins, and finds the commit that it grows from.
# Answers with the id of that commit, or \`none\`.

default_branch() {
  {
    git symbolic-ref -q refs/remotes/origin/HEAD || git ls-remote --symref origin HEAD 2>/dev/null
  } | sed -nE 's#^(ref: refs/heads|refs/remotes/origin)/([^[:blank:]]*).*#\\2#p' | grep . ||
    current_branch | grep -Ex 'main|master'
}

# A name of which no branch exists, here or there.
free_branch() {
  name=relayflow/\${RELAYFLOW_SLUG:-change}
  ! git rev-parse -q --verify refs/heads/relayflow >/dev/null || name=relayflow-\${RELAYFLOW_SLUG:-change}
  free=$name
  number=2
  while git rev-parse -q --verify "refs/heads/$free" >/dev/null || remote_commit "$free" | grep -q .; do
    free=$name-$number
    number=$((number + 1))
  done
  printf '%s\\n' "$free"
}

# Where the branch left the remote's default branch. A clone that is not deep enough to know is deepened.
fork_point() {
  upstream=refs/remotes/origin/$1
  git rev-parse -q --verify "$upstream" >/dev/null || return
  deeper=50
  until git merge-base HEAD "$upstream" 2>/dev/null; do
    [ "$(git rev-parse --is-shallow-repository)" = true ] || return
    git fetch -q --deepen="$deeper" origin >&2 || {
      say 'this clone is shallow and could not be deepened: its newest commit is taken for the base'
      return 1
    }
    deeper=$((deeper * 4))
  done
}

name_what_is_missing() {
  [ ! -f "$(git rev-parse --show-cdup).gitmodules" ] ||
    git submodule status 2>/dev/null | sed -n 's/^-[0-9a-f]* //p' | while IFS= read -r path; do
      say "the submodule $path is not initialised: what needs it fails until git submodule update --init"
    done
  git ls-files ':(attr:filter=lfs)' 2>/dev/null | head -n 20 | while IFS= read -r path; do
    dd if="$path" bs=50 count=1 2>/dev/null | grep -q '^version https://git-lfs' || continue
    say "$path is a pointer to Git LFS, not the file: install git-lfs and run git lfs pull"
    break
  done
}

start() {
  [ "$(git rev-parse --is-inside-work-tree 2>/dev/null)" = true ] || return
  head=$(head_commit)
  branch=$(current_branch)
  default=$(default_branch)
  if [ -z "$branch" ] || [ "$branch" = "$default" ] || [ -z "$head" ]; then
    new=$(free_branch)
    # The branch is named without a checkout: nothing in the working tree or the index moves.
    [ -z "$head" ] || git update-ref "refs/heads/$new" "$head" '' || return
    git symbolic-ref -m 'relayflow: name a branch' HEAD "refs/heads/$new" || return
    say "the work goes to the branch $new"
  else
    head=$(fork_point "$default" || printf '%s' "$head")
  fi
  name_what_is_missing
  printf '%s\\n' "$head"
}

reply none start
`;

const EXCLUDE_WORKING_FILES = `
# Keeps the working files of a flow out of commits, through the exclude file of the clone. Answers \`done\`.

exclude() {
  file=$(git rev-parse --git-path info/exclude) && mkdir -p "$(dirname "$file")" && : >>"$file" || return
  # This run uses the lines; the last one that does takes them out again.
  runs=$(git rev-parse --git-common-dir)/relayflow/runs
  mkdir -p "$runs" && : >"$runs/\${RELAYFLOW_RUN_ID:-unnamed}"
  # A pattern for just the folder of the run, whatever characters are in its name.
  working_files | prefix=$(run_prefix) awk '
    BEGIN {
      prefix = ENVIRON["prefix"]
      gsub(/[][\\\\*?]/, "\\\\\\\\&", prefix)
      gsub(/\\n/, "?", prefix)
    }
    NR == FNR { $0 = "/" prefix $0; ours = 1 }
    NR > FNR && FNR == 1 { ours = 0 }
    /^# relayflow begin$/ { ours = 1; next }
    /^# relayflow end$/ { ours = 0; next }
    !ours { print }
    ours && !seen[$0]++ { lines = lines $0 "\\n" }
    END { printf "# relayflow begin\\n%s# relayflow end\\n", lines }' - "$file" >"$file.$$" &&
    mv -f "$file.$$" "$file"
}

exclude_files() {
  exclude || say 'the working files could not be excluded; they are taken out of commits before the push'
}

reply 'done' exclude_files
`;

const CHECK_RESOLVE = `
# Settles .relayflow/check.sh, the script that checks this repository. A command that is given, or a script that
# exists, is kept; else the usual checks of the kind of project that this is are written down.
# Answers \`script\`, \`default\` or \`none\`.

write_script() {
  printf '#!/bin/sh\\nset -e\\n%s\\n' "$1" >.relayflow/check.new && mv -f .relayflow/check.new .relayflow/check.sh
}

# The usual checks of the folder that all of the change is in, or of the nearest around it that has some.
checks_of_change() {
  base=$(base_commit) || return
  place=$(git diff-tree -r -z --name-only --relative "$base" HEAD | tr '\\0' '\\n' | LC_ALL=C awk '
    { sub(/[^\\/]*$/, "") }
    NR == 1 { place = $0 }
    { while (place != "" && index($0, place) != 1) sub(/[^\\/]*\\/$/, "", place) }
    END { print place }')
  while [ -n "$place" ]; do
    if found=$(cd "./$place" && default_checks); then
      echo '# The root has no checks; this is where the change is.'
      echo "cd '$(printf '%s' "$place" | sed "s/'/'\\\\\\\\''/g")'"
      printf '%s\\n' "$found"
      return
    fi
    place=\${place%/}
    case $place in
      */*) place=\${place%/*}/ ;;
      *) place= ;;
    esac
  done
  return 1
}

resolve() {
  if [ -n "\${RELAYFLOW_CHECK_COMMAND:-}" ]; then
    write_script "$RELAYFLOW_CHECK_COMMAND" && echo script
  elif [ -s .relayflow/check.sh ]; then
    echo script
  else
    lines=$(default_checks) && lines="# At the root, which has checks for the whole.
$lines" || lines=$(checks_of_change) || return
    write_script "work=\\$PWD/.relayflow
$lines" && echo default
  fi
}

reply none resolve
`;

const CHECK_RUN = `
# Runs the check script of the repository, without a terminal and without the git configuration of the host.
# Answers \`pass\`, \`fail\`, \`timeout\`, \`none\` (there is no script) or \`unrunnable\`.

check_run() {
  run_checks .relayflow/check
}

reply unrunnable check_run
`;

const BASE_CHECK = `
# Runs the branch's check script on the base commit: in place when nothing is uncommitted, else in a worktree of its
# own. The branch is checked out again whatever happens, and the worktree is removed.
# Answers as check-run does, or \`unknown\`.

# Usual checks that the base has none of are new. Where the script goes before it checks, they are looked for.
run_here() {
  if [ "\${RELAYFLOW_CHECK_SOURCE:-}" = default ] &&
    ! (eval "$(grep '^cd ' .relayflow/check.sh)" && default_checks) >/dev/null 2>&1; then
    echo none
  else
    run_checks "$1"
  fi
}

in_place() {
  # The script as the branch has it; the base may have another, or none.
  cp .relayflow/check.sh .relayflow/base-check.script &&
    echo "$head $(current_branch)" >.relayflow/base-check.new &&
    mv -f .relayflow/base-check.new .relayflow/base-check.restore || return
  git checkout -q --detach --no-overwrite-ignore "$base" -- && cp .relayflow/base-check.script .relayflow/check.sh &&
    run_here .relayflow/base-check
  checked=$?
  # What the checks changed of tracked files is theirs; it does not go along.
  restore_head
  return "$checked"
}

in_worktree() {
  tree=.relayflow/base-check.tree
  remove_worktree
  git worktree add -q --detach "$tree" "$base" >&2 || return
  there=$tree/$(run_prefix).relayflow
  log=$PWD/.relayflow/base-check
  mkdir -p "$there" && cp .relayflow/check.sh "$there" && (cd "$there/.." && run_here "$log")
  remove_worktree
}

remove_worktree() {
  rm -rf "$tree"
  git worktree prune
}

base_check() {
  [ -s .relayflow/check.sh ] && base=$(base_commit) && head=$(head_commit) || return
  changed=$(git status --porcelain --untracked-files=no) || return
  # What is not tracked may stand in the way of the base.
  { [ -z "$changed" ] && in_place; } || in_worktree
}

reply unknown base_check
`;

const DROP_WORKING_FILES = `
# Takes working files out of what the branch has committed by one commit that touches neither the index nor the working
# tree of anybody's unfinished work. A file that the base has belongs to the repository and stays. Answers \`done\`.

drop() {
  base=$(base_commit) && head=$(head_commit) || return
  index=$PWD/.relayflow/drop.index
  prefix=$(run_prefix)
  # From the top of the repository, where names of files and patterns mean the same.
  cd "./$(git rev-parse --show-cdup)" || return
  set --
  for name in $(working_files); do set -- "$@" ":(literal)$prefix$name"; done
  git diff-tree -r -z --no-renames --diff-filter=A --name-only "$base" "$head" -- "$@" >"$index.names" || return
  [ ! -s "$index.names" ] || commit_without
}

commit_without() {
  GIT_INDEX_FILE=$index git read-tree "$head" &&
    GIT_INDEX_FILE=$index git update-index -z --force-remove --stdin <"$index.names" &&
    tree=$(GIT_INDEX_FILE=$index git write-tree) &&
    commit=$(with_identity git commit-tree "$tree" -p "$head" -m 'Leave out the working files of the flow') &&
    git update-ref -m 'relayflow: leave out working files' HEAD "$commit" "$head" || return
  # They stay where they are, and the next commit does not bring them back.
  git update-index -z --force-remove --stdin <"$index.names"
  say "left working files out of the branch: $(tr '\\0\\n' '  ' <"$index.names")"
}

drop_files() {
  (drop) || say 'working files could not be taken out of the branch'
  rm -f .relayflow/drop.index*
}

reply 'done' drop_files
`;

const PUBLISH_CHECK = `
# Whether there is something to publish.
# Answers \`publish\`, \`no-summary\` (there is, and nobody described it) or \`no-commits\`.

publish_check() {
  head=$(head_commit) || return
  ! base=$(base_commit) || ! git diff-tree --quiet "$base" "$head" -- || return
  if [ -s summary.md ]; then echo publish; else echo no-summary; fi
}

reply no-commits publish_check
`;

const CHECK_REPORT = `
# Writes .relayflow/check-report.md, what the checks said, and .relayflow/pr-body.md, the description of the change:
# what the implementer wrote, the reference to the ticket, and that report, within what a forge takes.
# Answers \`written\`.

# Text for a description: the one line that closes a ticket is the flow's own.
fit() {
  without_credentials | LC_ALL=C awk '
    BEGIN { closing = "(close[sd]?|fix(es|ed)?|resolve[sd]?):?[ \\t]+[^ \\t]*(#|/issues/)[0-9]" }
    {
      while (match(tolower($0), closing)) {
        words = substr($0, RSTART, RLENGTH)
        sub(/[^ \\t]*$/, "ticket &", words)
        $0 = substr($0, 1, RSTART - 1) words substr($0, RSTART + RLENGTH)
      }
      print
    }' | keep "$@"
}

# Closes what a text leaves open, so that it does not swallow what follows.
closed() {
  awk '
    match($0, /^ ? ? ?(\`\`\`+|~~~+)/) {
      mark = substr($0, RSTART, RLENGTH)
      gsub(/ /, "", mark)
      if (fence == "") fence = mark
      else if (index(mark, fence) == 1 && $0 ~ /^[ \`~]*$/) fence = ""
    }
    fence == "" {
      for (rest = $0; match(rest, /<!--|-->/); rest = substr(rest, RSTART + RLENGTH)) {
        comment = substr(rest, RSTART, 1) == "<"
      }
    }
    { print }
    END {
      if (fence != "") print fence
      if (comment) print "-->"
    }'
}

# The end of a file between fences that are longer than any in it.
fenced() {
  fence='\`\`\`\`\`\`\`\`\`\`'
  printf '%s\\n' "$fence"
  tail -c 99999 "$1" | LC_ALL=C sed -e "s/$(printf '\\033')\\[[0-9;]*[A-Za-z]//g" -e "s/$fence*/\${fence#?}/g" |
    LC_ALL=C tr -d '\\000-\\010\\013-\\037\\177' | fit tail "$2"
  printf '%s\\n' "$fence"
}

verdict() {
  case \${RELAYFLOW_CHECK_RESULT:-} in
    pass) echo 'The checks pass.' ;;
    fail) echo 'The checks fail.' ;;
    timeout) echo "The checks did not end within $(cat .relayflow/check.limit) seconds and were stopped." ;;
    none) echo 'No checks were found in this repository, so none ran.' ;;
    unrunnable) echo 'The checks could not be run.' ;;
    *) echo 'The checks were not run.' ;;
  esac
  case \${RELAYFLOW_BASE_RESULT:-} in
    pass) echo 'They pass on the commit that the branch grew from.' ;;
    none) echo 'The commit that the branch grew from has no such checks.' ;;
    fail | timeout) echo 'They fail on the commit that the branch grew from as well.' ;;
    unknown | unrunnable) echo 'How they end on the commit that the branch grew from could not be found out.' ;;
  esac
  case \${RELAYFLOW_CHECK_SOURCE:-} in
    input) echo 'The command was given.' ;;
    repository) echo 'The repository has the script itself, in .relayflow/check.sh.' ;;
    discovered) echo 'An agent wrote the script after what CI does.' ;;
    default) echo 'The script is the usual one for a project of this kind.' ;;
  esac
}

report() {
  verdict | tr '\\n' ' '
  if [ -s .relayflow/check.sh ]; then
    printf '\\n\\nWhat ran:\\n\\n'
    fenced .relayflow/check.sh 3000
  fi
  for log in check base-check; do
    if [ ! -s ".relayflow/$log.log" ] || [ "$log\${RELAYFLOW_CHECK_RESULT:-}" = base-checkpass ]; then continue; fi
    printf '\\n<details><summary>%s: the end of its output (exit status %s, %s seconds)</summary>\\n\\n' "$log" \\
      "$(cat ".relayflow/$log.exit" 2>/dev/null)" "$(cat ".relayflow/$log.elapsed" 2>/dev/null)"
    fenced ".relayflow/$log.log" 6000
    printf '\\n</details>\\n'
  done
  [ -z "\${RELAYFLOW_CHECK_NOTES:-}" ] || {
    printf '\\nWhat was repaired:\\n\\n'
    printf '%s\\n' "$RELAYFLOW_CHECK_NOTES" | fit head 4000 | closed
  }
}

body() {
  if [ -s summary.md ]; then cat summary.md; else printf '%s\\n' "\${RELAYFLOW_TITLE:-}"; fi | fit head 36000 | closed
  printf '\\n%s\\n\\n' "\${RELAYFLOW_REFERENCE:-}"
  [ -z "\${RELAYFLOW_OUTCOME:-}" ] || printf '%s\\n\\n' "$RELAYFLOW_OUTCOME"
  printf '## Checks\\n\\n'
  cat .relayflow/check-report.md
  [ -s .relayflow/withheld-workflows.patch ] || return 0
  printf '\\n## Workflow files\\n\\nThe forge refused them from this account. Give this to git apply:\\n\\n'
  fenced .relayflow/withheld-workflows.patch 9000
}

write() {
  report >.relayflow/check-report.md
  body >.relayflow/pr-body.md
}

reply written write
`;

const CHANGE_METADATA = `
# Whether title, reference and description of the change are fit to publish. Answers \`valid\`, or the reason.

# How often the description closes something of the tracker.
closing_references() {
  LC_ALL=C awk '
    BEGIN { closing = "(close[sd]?|fix(es|ed)?|resolve[sd]?):?[ \\t]+[^ \\t]*(#|/issues/)[0-9]" }
    { line = tolower($0) }
    { count += gsub(closing, "", line) }
    END { print count + 0 }'
}

validate() {
  body=.relayflow/pr-body.md
  line=$(printf '%s' "\${RELAYFLOW_TITLE:-}" | tr -d '\\n')
  if [ -z "$line" ]; then
    echo no-title
  elif [ "$line" != "$RELAYFLOW_TITLE" ]; then
    echo title-of-many-lines
  elif [ ! -s "$body" ]; then
    echo no-description
  elif [ -z "\${RELAYFLOW_REFERENCE:-}" ] || ! grep -Fxq -- "$RELAYFLOW_REFERENCE" "$body"; then
    echo no-reference
  elif [ "$(wc -c <"$body")" -gt 65536 ]; then
    echo description-too-long
  elif [ "\${RELAYFLOW_REFERENCE#Fixes #}" != "$RELAYFLOW_REFERENCE" ] &&
    [ "$(closing_references <"$body")" -ne 1 ]; then
    echo more-than-one-closing-reference
  else
    echo valid
  fi
}

reply no-description validate
`;

const PUSH = `
# Pushes the branch to origin and reads back what arrived there. Never forces. When the forge refuses it
# only for its workflow files, it goes without them, and the originals are kept.
# Answers \`pushed\`, \`pushed-without-workflows\`, \`up-to-date\` or \`failed\`.

REFUSAL='refusing to allow .* to create or update workflow'

push() {
  branch=$(current_branch) && [ -n "$branch" ] && head=$(head_commit) || return
  there=$(remote_commit "$branch")
  if [ "$there" = "$head" ]; then
    echo up-to-date
  elif push_branch "$branch"; then
    echo pushed
  elif grep -q "$REFUSAL" .relayflow/push.log &&
    (withhold "\${there:-$(base_commit)}") && push_branch "$branch"; then
    say 'the branch was pushed without its workflow files; the originals are refs/relayflow/withheld-workflows'
    echo pushed-without-workflows
  fi
}

# Writes the commits since $1 again, each with the workflow files that $1 has. Authors, dates and messages stay.
withhold() {
  git rev-parse -q --verify "$1^{commit}" >/dev/null || return
  patch=$PWD/.relayflow/withheld-workflows.patch
  work=$(cd "$(git rev-parse --git-dir)" && pwd)/relayflow-push
  rm -f "$work".*
  export GIT_INDEX_FILE="$work.index"
  cd "./$(git rev-parse --show-cdup)" && git ls-tree -r -z "$1" .github/workflows >"$work.kept" || return
  new=$1
  for commit in $(git rev-list --reverse --topo-order "$1..$head"); do
    git read-tree "$commit" && git rm -r -q -f --cached --ignore-unmatch .github/workflows || return
    git update-index -z --index-info <"$work.kept" && tree=$(git write-tree) || return
    # A signature would no longer fit.
    new=$(git cat-file commit "$commit" | LC_ALL=C awk -v tree="$tree" -v old="$work.new" '
      BEGIN { while ((getline pair <old) > 0) { split(pair, ids, " "); now[ids[1]] = ids[2] } }
      body { print; next }
      /^gpgsig/ { signature = 1; next }
      signature && /^ / { next }
      { signature = 0 }
      /^$/ { body = 1 }
      $1 == "tree" { $2 = tree }
      $1 == "parent" && $2 in now { $2 = now[$2] }
      { print }' | git hash-object -t commit -w --stdin) || return
    echo "$commit $new" >>"$work.new"
  done
  unset GIT_INDEX_FILE
  git diff --no-ext-diff --no-color --binary "$1" "$head" -- .github/workflows | without_credentials >"$patch"
  git update-ref refs/relayflow/withheld-workflows "$head" &&
    git update-ref -m 'relayflow: withhold workflow files' HEAD "$new" "$head" &&
    git reset -q -- .github/workflows
  rm -f "$work".*
}

reply failed push
`;

const OPEN_CHANGE = `
# Opens the change request of the branch, or finds the one that is open. Answers with its address, or \`failed\`.

open_change() {
  branch=$(current_branch) || return
  set -- --title "\${RELAYFLOW_TITLE:-}" --body-file .relayflow/pr-body.md
  if command -v relayflow-open-change >/dev/null; then
    # It reads RELAYFLOW_REVIEWER itself.
    relayflow-open-change "$@" --head "$branch" \${RELAYFLOW_DRAFT:+--draft}
  elif command -v gh >/dev/null; then
    gh pr create "$@" --head "$branch" \${RELAYFLOW_DRAFT:+--draft} || {
      # One that is open is brought up to date.
      gh pr edit "$branch" "$@" >&2
      [ -z "\${RELAYFLOW_DRAFT:-}" ] || gh pr ready "$branch" --undo >&2
      gh pr view "$branch" --json url,state --jq 'select(.state == "OPEN").url'
    }
    [ -z "\${RELAYFLOW_REVIEWER:-}" ] || gh pr edit "$branch" --add-reviewer "$RELAYFLOW_REVIEWER" >&2
  else
    say 'neither relayflow-open-change nor gh is installed: the branch is pushed, and no change was opened'
  fi
}

find_url() {
  open_change 2>.relayflow/open-change.log </dev/null | grep :// | tail -n 1
  without_credentials <.relayflow/open-change.log | tail -n 20 >&2
}

reply failed find_url
`;

const REVIEW_BLOCKED = `
# Turns the change back into a draft and posts what the review found. Answers \`done\`.

block() {
  {
    printf 'The review of this change is not resolved: %s\\n\\n' "\${RELAYFLOW_OUTCOME:-no reason is known.}"
    [ ! -s review.md ] || without_credentials <review.md | keep head 60000
  } >review-blocked.md
  if command -v relayflow-change >/dev/null; then
    relayflow-change draft && drafted=1
    relayflow-change comment --body-file review-blocked.md && posted=1
  else
    gh pr ready --undo && drafted=1
    gh pr comment --body-file review-blocked.md && posted=1
  fi >&2 </dev/null
  [ "\${drafted:-}\${posted:-}" = 11 ] ||
    say 'the change is no draft, or lacks the review, which is in review-blocked.md'
}

reply 'done' block
`;
