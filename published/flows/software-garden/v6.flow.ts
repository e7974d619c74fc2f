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

import { flow, type Ctx, type RunOptions } from '@relayflows/surface';

/** The time of a run. A step gets its share as far as that leaves enough to publish. */
const MINUTES = {
	/** The whole run. A step that begins later is refused. */
	total: 180,
	/** To stop steps takes a moment. */
	slack: 6,
	/** A step that only asks git, or writes a file. */
	small: 1,
	discovery: 10,
	plan: 15,
	planReview: 10,
	/** Each of three; what they take adds up. */
	prototype: 15,
	implement: 70,
	/** The checks each time, and the least kept for them. */
	check: 60,
	checkFloor: 8,
	repair: 20,
	push: 5,
	/** A review, and the least kept for one. */
	review: 20,
	reviewFloor: 10,
	fix: 25,
};

const BUDGET = { wallclock: `${MINUTES.total}m` };

/** Drop, check, report twice, validate, push, open; a moment more for opening. */
const PUBLISHING = MINUTES.push + 7 * MINUTES.small;

/** A review, what it wrote, and the word that it stands in the way. */
const REVIEWING = MINUTES.reviewFloor + 3 * MINUTES.small;

/** To publish a change, and to review it. */
const ENDING = PUBLISHING + REVIEWING;

/** Who plays a role: a coding agent, perhaps a model of it, and words that replace the usual ones. */
const PLAYERS: Record<string, { cli: string; model?: string; prompt?: string }> = {
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

export default flow<unknown>('software-garden', { version: '6.0.0', budget: BUDGET }, async (f, input) => {
	const work = newWork(f, input);
	const refused = refusalOf(work.ticket) || (await begin(work));
	if (refused !== '') return await stop(work, refused, false);

	await settleChecks(work);
	await implement(work, await plan(work));
	const question = await questionOf(work);
	if (question !== '') return await stop(work, question);

	await check(work, ENDING);

	const unpublished = await publish(work);
	if (unpublished !== '') return await stop(work, unpublished);

	const objection = outcomeOf(work).broke ? '' : await review(work);
	await answerOf(work, FINISH);
	// After the fixes.
	const { broke, reason } = outcomeOf(work);
	f.done(broke || objection !== '' ? 'step_failed' : 'needs_human', { detail: `${work.url}\n${objection || reason}` });
});

/** The context of the run, and what is known so far. Each stage adds what it found out; shell parts get the texts. */
type Work = ReturnType<typeof newWork>;

function newWork(f: Ctx, input: unknown) {
	const ticket = readTicket(input);
	return {
		f,
		ticket,
		title: ticket.title,
		reference: referenceOf(ticket),
		slug: slugOf(ticket),
		reviewer: textOf(input, 'approver'),
		checkCommand: textOf(input, 'checkCommand') || checkCommand.trim(),
		/** Variables that look like credentials, and that checks need. */
		checkEnv: variablesOf(input, 'checkEnv'),
		/** The commit that the branch grew from. */
		base: '',
		/** Where the check script came from: input, repository, discovered, default, or nowhere. */
		checkSource: '',
		/** How the checks ended on the branch, and on its base. */
		checkResult: 'skipped',
		baseResult: 'skipped',
		/** Whether the script was repaired, and what is said of that. */
		checkRepaired: '',
		checkNotes: '',
		/** What the implementer said last, and why it did not finish, if so. */
		told: { summary: '', stopped: '' },
		/** What the last part told. */
		heard: '',
		/** Milliseconds that steps took so far. */
		spent: 0,
		/** The change request, once it is open. */
		url: '',
	};
}

/** A ticket as a tracker hands it over. What is missing, or is no text, reads as blank. */
type Ticket = ReturnType<typeof readTicket>;

function readTicket(input: unknown) {
	const issue = memberOf(input, 'issue');
	return {
		source: textOf(issue, 'source'),
		title: lineOf(issue, 'title', 240),
		body: textOf(issue, 'body'),
		identifier: lineOf(issue, 'identifier'),
		url: lineOf(issue, 'url'),
	};
}

function memberOf(value: unknown, name: string) {
	return (value as Record<string, unknown> | null | undefined)?.[name];
}

function textOf(value: unknown, name: string) {
	const text = memberOf(value, name);
	return typeof text === 'string' ? text.replaceAll('\0', '').trim() : '';
}

/** A text on one line, of at most so many code points. */
function lineOf(value: unknown, name: string, most = 2_000) {
	return Array.from(textOf(value, name).replaceAll(/\s+/g, ' ')).slice(0, most).join('').trim();
}

/** Why a ticket cannot be worked on; empty when it can. */
function refusalOf({ source, title, identifier }: Ticket) {
	if (title === '') return 'The ticket has no title.';
	if (/^(software factory change|replace with your ticket title)$/i.test(title)) {
		return `"${title}" is a placeholder, not a ticket.`;
	}
	if (source === 'github' && identifier !== '' && !/^#\d+$/.test(identifier)) {
		return `"${identifier}" does not name a GitHub issue: it is written #<number>.`;
	}
	return '';
}

/** The line of the change that names, or closes, the ticket. */
function referenceOf({ source, identifier, url, title }: Ticket) {
	const closes = { github: 'Fixes', gitlab: 'Closes' }[source];
	return closes && /^#\d+$/.test(identifier) ? `${closes} ${identifier}` : `Ticket: ${url || identifier || title}`;
}

/** The ticket in the name of a branch. */
function slugOf({ identifier, title }: Ticket) {
	const slug = `${identifier} ${title}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
	return slug.slice(0, 50).replaceAll(/^-+|-+$/g, '');
}

function variablesOf(value: unknown, name: string) {
	const names = memberOf(value, name);
	return Array.isArray(names) ? names.map(String).filter((each) => /^[A-Za-z_]\w*$/.test(each)) : [];
}

/** Names a branch for the work, and keeps working files out of commits. Says what went wrong. */
async function begin(work: Work) {
	const base = await answerOf(work, START, {}, MINUTES.push);
	if (/^(failed)?$/.test(base)) return 'No branch could be made for the work.';
	work.base = base === 'none' ? '' : base;
	await answerOf(work, EXCLUDE_WORKING_FILES);
	return '';
}

type Words = Record<string, string>;

/** Runs a command for so many minutes at most. How it ended is part of the answer. */
async function ask(work: Work, command: string, options: RunOptions = {}, minutes = MINUTES.small) {
	const recorded = { ...options, timeout: `${minutes}m`, onNonZero: 'record', onTimeout: 'record' } as const;
	try {
		return await timed(work, minutes, () => work.f.run(command, recorded));
	} catch {
		// It was killed. What is done is published.
		return { ok: false, stdout: '', stderr: '', timedOut: true };
	}
}

/** The word of a shell part, empty when it was stopped. checkSource of the work is its RELAYFLOW_CHECK_SOURCE. */
async function answerOf(work: Work, part: string, words: Words = {}, minutes?: number, options?: RunOptions) {
	const { draft, reason } = outcomeOf(work);
	const env: Words = {};
	for (const [name, value] of Object.entries({ ...work, draft: draft ? '1' : '', outcome: reason, ...words })) {
		const variable = `RELAYFLOW_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`;
		// No program takes a longer one, or a NUL.
		if (typeof value === 'string') env[variable] = value.slice(0, 40_000).replaceAll('\0', '');
	}
	// Lists of steps show the first line.
	const command = `${part.trim().split('\n', 1)[0]}\n${SHELL_LIBRARY}${part}`;
	const { timedOut, stdout, stderr } = await ask(work, command, { ...options, env }, minutes);
	work.heard = stderr.replace(/\p{C}+/gu, ' ');
	return timedOut === true ? '' : stdout.trim();
}

/** Lets the player of a role work. That it was stopped, or failed, is part of the answer: what it did is there. */
async function tell(work: Work, role: string, minutes: number, { cwd = '', ...words }: Words = {}) {
	if (minutes === 0) return { summary: '', stopped: `There was no time left for the ${role}.` };
	const { cli = 'claude', model, prompt } = PLAYERS[role] ?? {};
	const [how = '', rules = ''] = TASKS[role.replace(/-\d$/, '')] ?? [];
	const filled = (prompt ?? how).replaceAll(/\{(\w+)\}/g, (braces, name: string) => words[name] ?? braces);
	const task = [filled, rules, TASK, ticketText(work)].filter((text) => text !== '').join('\n\n');
	const options = { cli, task, timeout: `${minutes}m`, recoveryMode: 'inspect' } as const;
	try {
		const result = await timed(work, minutes, () =>
			work.f.agent(role, { ...options, ...(model ? { model } : {}), ...(cwd ? { cwd } : {}) }));
		const { completionReason, summary } = result;
		const stopped = completionReason === 'timeout' ? `The ${role} was stopped after ${minutes} minutes.` : '';
		// A last message that is one JSON object is the result itself.
		const said = typeof summary === 'string' ? summary : JSON.stringify(result);
		return { summary: said.replaceAll('\0', ''), stopped };
	} catch (error) {
		return { summary: '', stopped: `The ${role} failed: ${(error as Error).message}` };
	}
}

/** What becomes of a change by how its checks ended: whether it is a draft, whether it broke them, and why. */
function outcomeOf({ checkResult, baseResult, told }: Work) {
	const passed = /pass|none/.test(checkResult);
	const broke = checkResult === 'fail' && /pass|none/.test(baseResult);
	let reason = told.stopped || 'A person reviews and merges the change.';
	if (broke) reason = 'The change breaks checks that pass on its base commit.';
	else if (checkResult === 'fail') {
		reason = /fail|timeout/.test(baseResult)
			? 'The checks fail, as they do on the base commit.'
			: 'The checks fail, and whether they do on the base commit could not be found out.';
	} else if (!passed) reason = `The checks did not come to an end: ${checkResult}.`;
	return { draft: !passed || told.stopped !== '', broke, reason };
}

/** Whole minutes for a step that wants so many, with so many kept for what comes after it. */
function minutesFor({ spent }: Work, wanted: number, kept: number) {
	return Math.max(0, Math.floor(Math.min(wanted, MINUTES.total - MINUTES.slack - spent / 60_000 - kept)));
}

/** Puts what a step took on the account: its limit at most, since a run that rested meanwhile spent nothing. */
async function timed<T>(work: Work, minutes: number, action: () => PromiseLike<T>) {
	const begun = await work.f.now();
	try {
		return await action();
	} finally {
		work.spent += Math.min((await work.f.now()) - begun, (minutes + 1) * 60_000);
	}
}

/** Ends the run without a change request, and says why. */
async function stop(work: Work, reason: string, begun = true) {
	if (begun) await answerOf(work, FINISH);
	console.error(`relayflow: ${reason}`);
	work.f.done('needs_human', { detail: reason });
}

/** Settles the checks: those of the input, the author, the repository, an earlier run, an agent, or the usual ones. */
async function settleChecks(work: Work) {
	if (work.checkCommand !== '') work.checkSource = 'input';
	else if ((await ask(work, 'git ls-files -- .relayflow/check.sh')).stdout !== '') work.checkSource = 'repository';
	else if ((await answerOf(work, CHECK_REMEMBER)) !== 'restored') {
		const { stopped } = await tell(work, 'check-discovery', MINUTES.discovery);
		// What it was stopped while writing is no script.
		if (stopped !== '') await ask(work, 'rm -f .relayflow/check.sh');
	}
	const settled = await answerOf(work, CHECK_RESOLVE);
	work.checkSource ||= { script: 'discovered', default: 'default' }[settled] ?? '';
}

/** Lets the implementer work on the branch. */
async function implement(work: Work, plan: string) {
	work.f.phase('implementing');
	const minutes = minutesFor(work, MINUTES.implement, MINUTES.checkFloor + ENDING);
	const follow = plan && `\nFollow the plan in ${plan}, unless the code proves it wrong.`;
	work.told = await tell(work, 'implementer', minutes, { plan: follow });
}

/** Lets one agent plan and another correct the plan. Names the file to follow, if any. */
async function plan(work: Work) {
	await tell(work, 'planner', MINUTES.plan);
	if (!(await ask(work, 'test -s plan.md')).ok) return '';
	await tell(work, 'plan-reviewer', MINUTES.planReview);
	return (await ask(work, 'test -s reviewed-plan.md')).ok ? 'reviewed-plan.md' : 'plan.md';
}

/** The question of an implementer that definitely changed nothing. Empty when it may have. */
async function questionOf(work: Work) {
	const { summary, stopped } = work.told;
	if (stopped.includes('was stopped after') || (await answerOf(work, CHANGE_CHECK)) !== 'unchanged') return '';
	// The question is at the end: its last whole lines, or whole characters.
	const end = summary.length > 8_000 ? summary.slice(-8_000).replace(/^([^\n]*\n|[\uDC00-\uDFFF])/, '') : summary;
	const summaryBytes = String(new TextEncoder().encode(summary).length);
	const records = await answerOf(work, NEEDS_INPUT, { summary: end, summaryBytes });
	return `${`Nothing was changed, so nothing was checked, pushed or opened. ${stopped}`.trim()}\n${records}`;
}

/** Checks, lets an agent repair what fails, and compares with the base. Keeps so many minutes for what comes after. */
async function check(work: Work, kept: number) {
	// The change may have brought the first checks with it.
	if (work.checkSource === '' && (await answerOf(work, CHECK_RESOLVE)) === 'default') work.checkSource = 'default';
	work.f.phase('checking');
	work.checkResult = await runChecks(work, CHECK_RUN, kept);
	const sum = async () => (await ask(work, 'cksum .relayflow/check.sh')).stdout;
	const before = await sum();
	for (let round = 1; round <= 2 && /fail|timeout/.test(work.checkResult); round += 1) {
		const minutes = minutesFor(work, MINUTES.repair, MINUTES.checkFloor + kept);
		if (minutes < 2) break;
		work.f.phase('repairing');
		const { summary, stopped } = await tell(work, 'check-repair', minutes, { check: work.checkResult });
		work.checkNotes = `${work.checkNotes}\n\n${summary || stopped}`.trim();
		work.checkResult = await runChecks(work, CHECK_RUN, kept);
	}
	if ((await sum()) !== before) work.checkRepaired = '1';
	const isFound = work.checkResult === 'pass' && work.checkSource === 'discovered';
	if (isFound) await answerOf(work, CHECK_REMEMBER, { remember: '1' });
	work.baseResult = work.checkResult === 'fail' ? await runChecks(work, BASE_CHECK, kept) : 'skipped';
}

/** Runs checks without credentials. They stop themselves a minute before their step would be stopped. */
async function runChecks(work: Work, script: string, kept: number) {
	const minutes = minutesFor(work, MINUTES.check, kept);
	if (minutes < 2) return 'skipped';
	const words = { checkLimit: String((minutes - 1) * 60) };
	const answer = await answerOf(work, script, words, minutes, { secrets: 'scrub', keep: work.checkEnv });
	return answer || 'unrunnable';
}

/** Pushes the branch, whatever its checks say, and opens or updates the change. Says what went wrong, if so. */
async function publish(work: Work) {
	work.f.phase('publishing');
	await answerOf(work, DROP_WORKING_FILES);
	if ((await answerOf(work, PUBLISH_CHECK)) === 'no-commits') {
		return 'Nothing was committed, so there is nothing to publish.';
	}
	await answerOf(work, CHECK_REPORT);
	const metadata = await answerOf(work, CHANGE_METADATA);
	const pushed = await answerOf(work, PUSH, {}, MINUTES.push);
	if (!/^(pushed|up-to-date)/.test(pushed)) {
		return `The branch could not be pushed. It is here, with all that was done. ${work.heard}`;
	}
	if (metadata !== 'valid') {
		return `The branch is pushed. No change was opened, since its description cannot be used: ${metadata}`;
	}
	// What the forge did not take stands in the description.
	if (pushed === 'pushed-without-workflows') await answerOf(work, CHECK_REPORT);
	const url = await answerOf(work, OPEN_CHANGE, {}, 2 * MINUTES.small);
	if (!url.includes('://')) return `The branch is pushed. The change request could not be opened. ${work.heard}`;
	work.url = url;
	return '';
}

/** Lets somebody else review, the builder fix, and reviews that. Says what makes the change a draft; empty: nothing. */
async function review(work: Work) {
	const objection = await reviewAndFix(work);
	if (objection !== '') await answerOf(work, REVIEW_BLOCKED, { outcome: objection });
	return objection;
}

async function reviewAndFix(work: Work) {
	const first = await lookAt(work);
	if (first !== 'findings') return first;
	const minutes = minutesFor(work, MINUTES.fix, MINUTES.checkFloor + ENDING);
	if (minutes < 2) return 'There was no time left for its findings.';
	const before = work.checkResult;
	await tell(work, 'fixer', minutes);
	await check(work, ENDING);
	const unpublished = await publish(work);
	if (unpublished !== '') return unpublished;
	if (before === 'pass' && work.checkResult !== 'pass') return 'What the fixer did breaks checks that passed before.';
	const { broke, reason } = outcomeOf(work);
	if (broke) return reason;
	const second = await lookAt(work);
	return second === 'findings' ? 'The review found what is not resolved.' : second;
}

/** One review: empty when it is clean, `findings`, or why it came to no end. */
async function lookAt(work: Work) {
	work.f.phase('reviewing');
	await ask(work, 'rm -f review.md review.clean');
	const minutes = minutesFor(work, MINUTES.review, 2 * MINUTES.small);
	const { stopped } = await tell(work, 'adversary', minutes, { base: work.base });
	if (stopped !== '') return stopped;
	const verdict = 'if [ -s review.md ]; then echo findings; elif [ -e review.clean ]; then echo clean; fi';
	const { stdout } = await ask(work, verdict);
	return { findings: 'findings', clean: '' }[stdout.trim()] ?? 'The review came to no verdict.';
}

/** The ticket as agents read it: data, and no instruction to this flow. */
function ticketText({ reference, title, ticket }: Work) {
	return `The ticket (${reference}):\n\n# ${title}\n\n${ticket.body || 'It says no more than its title.'}`;
}

/** Said to whoever builds, whatever else it is told. */
const NEEDS_INPUT_HINT = `When the ticket is ambiguous, or what it is about cannot be found here, do not guess
and do not commit anything: write .relayflow/needs-input.md with your questions and the candidates that you found.`;

const NOTHING_ELSE = 'Change nothing else, and commit nothing.';

const COMMIT = `Commit your work on the current branch, without summary.md or anything in .relayflow/.
Do not push or switch branches.`;

/** What each role is asked: how to go about it, where a draft may put its own words, and what this flow relies on. */
const TASKS: Record<string, [how: string, rules: string]> = {
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

const SHELL_LIBRARY = `
say() {
	printf 'relayflow: %s\\n' "$*" >&2
}

reply() {
	word=$(
		set +eu
		unset CDPATH
		forget_git 'DIR|WORK_TREE|INDEX_FILE|EXTERNAL_DIFF|[A-Z]*_PATHSPECS'
		mkdir -p .relayflow
		restore_head && "$2" "$3"
	) || :
	printf '%s\\n' "\${word:-$1}"
}

forget_git() {
	unset $(env | LC_ALL=C sed -nE "s/^(GIT_($1))=.*/\\1/p")
}

git() {
	GIT_TERMINAL_PROMPT=0 GIT_OPTIONAL_LOCKS=0 command git -c core.quotePath=false -c core.fsmonitor=false \\
		-c core.hooksPath=/dev/null -c submodule.recurse=false -c diff.orderFile=/dev/null "$@" 2>/dev/null
}

current_branch() {
	ref=$(git symbolic-ref -q HEAD) && echo "\${ref#refs/heads/}"
}

commit_of() {
	git rev-parse -q --verify "$1^{commit}"
}

base_commit() {
	commit_of "$RELAYFLOW_BASE"
}

restore_head() {
	lock=$(git rev-parse --git-path index.lock)
	if [ -e "$lock" ]; then
		lock=$(cd "$(dirname "$lock")" && pwd -P)/index.lock
		case $(ls -l /proc/[0-9]*/fd 2>/dev/null) in
			*"$lock"* | '') ;;
			*) rm -f "$lock" && say "removed $lock of a stopped git" ;;
		esac
	fi
	set -- .relayflow/base-check
	[ -f "$1.restore" ] || return 0
	read -r at from <"$1.restore"
	current_branch >/dev/null || set -- "$1" -f
	git checkout -q \${2:+-f} "\${from:-$at}" -- || git checkout -q \${2:+-f} "$at" -- || return
	[ ! -f "$1.script" ] || mv -f "$1.script" .relayflow/check.sh
	rm -f "$1.restore"
}

regain_branch() {
	ours=$(cat .relayflow/head.ref 2>/dev/null) && [ "$ours" != "$(git symbolic-ref -q HEAD)" ] || return 0
	git merge-base --is-ancestor "$(commit_of "$ours" || commit_of HEAD)" HEAD ||
		git checkout -q "\${ours#refs/heads/}" -- || return
	git update-ref "$ours" HEAD && git symbolic-ref HEAD "$ours"
}

working_files() {
	printf '%s\\n' summary.md plan.md reviewed-plan.md review.md review.clean review-blocked.md comparison.md \\
		prototype-notes.md .relayflow/ .relayflowd/ START-HERE.txt flow-input.json relay-preflight.mjs \\
		software-factory.flow.mts
}

default_checks() {
	while IFS='|' read -r files tool lines; do
		eval "any_file $files" || continue
		case $tool in
			make | just)
				eval "cat $files" 2>/dev/null | grep -Eq -e '^\\.PHONY *:(.* )?test( |$)' \\
					-e '^@?([^[:space:]#:=][^#:=]* )?test( +[^:= ][^:]*)? *:([^=]|$)' || continue
				;;
			node)
				! grep -q 'no test specified' package.json || continue
				grep -q '"test" *:' package.json || continue
				node_checks
				return
				;;
			uv | poetry | python3) [ -n "$(git ls-files '*test*.py')" ] || continue ;;
		esac
		using "$tool" "$lines"
		[ "$tool" != python3 ] || cat <<'END'
. "$work/venv/bin/activate"
pip install -q pytest
[ ! -f requirements.txt ] || pip install -q -r requirements.txt
[ ! -f pyproject.toml ] && [ ! -f setup.py ] || pip install -q -e .
python -m pytest
END
		return
	done <<'END'
GNUmakefile makefile Makefile|make|make test
justfile Justfile .justfile|just|just test
package.json|node|
Cargo.toml|cargo|cargo test
go.mod|go|go test ./...
spec/*_spec.rb spec/*/*_spec.rb|bundle|bundle install --quiet;bundle exec rspec
Rakefile|bundle|bundle install --quiet;bundle exec rake
mvnw|sh|sh ./mvnw -B -q verify
pom.xml|mvn|mvn -B -q verify
gradlew|sh|sh ./gradlew check
build.gradle build.gradle.kts|gradle|gradle check
./*.sln ./*.slnx ./*.csproj ./*.fsproj|dotnet|dotnet test
mix.exs|mix|mix local.hex --force --if-missing;mix deps.get;mix test
uv.lock|uv|uv run --frozen pytest
poetry.lock|poetry|poetry install --no-interaction;poetry run pytest
requirements.txt pyproject.toml setup.py setup.cfg tox.ini|python3|python3 -m venv "$work/venv"
END
	return 1
}

node_checks() {
	named=$(sed -nE 's/.*"packageManager" *: *"(pnpm|yarn|bun|npm)@.*/\\1/p' package.json)
	for lock in "$(echo "\${named:-pnpm}" | sed 's/^npm/package/')"*lock* \\
		pnpm-lock.yaml yarn.lock bun.lock* package-lock.json npm-shrinkwrap.json none; do
		[ ! -f "$lock" ] || break
	done
	install='install --frozen-lockfile'
	case $lock in
		pnpm*) named=pnpm ;;
		yarn*) named=yarn && ! grep -q ^__metadata: yarn.lock || install='install --immutable' ;;
		bun*) named=bun ;;
		none) install=install ;;
		*) named=npm install=ci ;;
	esac
	cat <<'END'
export COREPACK_ENABLE_DOWNLOAD_PROMPT=0 COREPACK_ENABLE_STRICT=0 PATH="$PATH:$work/bin"
mkdir -p "$work/bin" && corepack enable --install-directory "$work/bin" 2>/dev/null || :
END
	using "\${named:-npm}" "\${named:-npm} $install;\${named:-npm} run test"
}

any_file() {
	for file in "$@"; do [ ! -f "$file" ] || return 0; done
	return 1
}

using() {
	echo "command -v $1 >/dev/null || { echo '$1 is not installed' >&2; exit 127; }"
	echo "$2" | tr ';' '\\n'
}

run_checks() {
	limit=\${RELAYFLOW_CHECK_LIMIT:-840}
	rm -f "$1.log" "$1.exit"
	begun=$(date +%s)
	if [ ! -s .relayflow/check.sh ]; then
		word=none
	elif (limited_checks "$1") >/dev/null 2>&1; then
		case $(cat "$1.exit") in
			0) word=pass ;;
			126 | 127 | '') word=unrunnable ;;
			*) word=fail ;;
		esac
	else
		word=timeout
		echo 124 >"$1.exit"
		say "the checks were stopped after $limit seconds"
	fi
	echo "$limit" >"$1.limit"
	echo "$(($(date +%s) - begun))" >"$1.elapsed"
	[ ! -f "$1.log" ] || tail -n 40 "$1.log" >&2
	echo "$word"
}

limited_checks() {
	forget_git 'CONFIG[A-Z0-9_]*'
	set +m -- "$1" sh setsid
	! head -n 1 .relayflow/check.sh | grep '^#!.*bash' || ! command -v bash || set -- "$1" bash setsid
	sleep "$limit" &
	sleeper=$!
	(
		command -v setsid || set -m -- "$1" "$2" env
		"$3" "$2" .relayflow/check.sh >"$1.log" 2>&1 </dev/null &
		echo "$!" >"$1.group"
		wait "$!"
		echo "$?" >"$1.exit"
		kill "$sleeper"
	) &
	wait "$sleeper"
	stopped=$?
	if [ "$stopped" = 0 ]; then
		signal_group TERM "$1"
		for _ in 1 2 3 4 5; do ! signal_group 0 "$1" || sleep 1; done
	fi
	signal_group KILL "$1"
	wait
	[ "$stopped" != 0 ]
}

signal_group() {
	read -r group <"$2.group"
	kill "-$1" "-$group" || kill "-$1" "$group"
}

without_credentials() {
	LC_ALL=C sed 's#\\(://\\)[^/[:space:]]*@#\\1***@#g;s#\\([?&][a-z_]*token=\\)[^&[:space:]]*#\\1***#g'
}

fit() {
	without_credentials | LC_ALL=C awk -v left="$1" '
		BEGIN { closing = "(close[sd]?|fix(es|ed)?|resolve[sd]?):?[ \\t]+[^ \\t]*(#|/issues/)[0-9]" }
		NR == 1 { sub(/^[\\200-\\277]+/, "") }
		left <= 0 { exit }
		{
			cut = length($0) > left
			$0 = substr($0, 1, left)
			gsub(/\`\`\`\`\`\`\`\`\`\`+/, "\`\`\`\`\`\`\`\`\`")
			gsub(/~~~~~~~~~~+/, "~~~~~~~~~")
			while (match(tolower($0), closing)) {
				words = substr($0, RSTART, RLENGTH)
				sub(/[^ \\t]*$/, "ticket &", words)
				$0 = substr($0, 1, RSTART - 1) words substr($0, RSTART + RLENGTH)
			}
			if (cut || length($0) > left) {
				$0 = substr($0, 1, left)
				sub(/[\\300-\\377]?[\\200-\\277]*$/, "…")
			}
			left -= length($0) + 1
			print
		}
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
		END {
			if (fence) print fence
			if (comment) print "-->"
		}'
}

remote_commit() {
	git ls-remote --heads "$(git remote get-url --push origin)" "refs/heads/$1" | cut -f 1
}

push_branch() {
	GIT_TERMINAL_PROMPT=0 command git push -u origin "HEAD:refs/heads/$1" </dev/null 2>&1 |
		without_credentials >.relayflow/push.log
	tail -n 20 .relayflow/push.log >&2
	[ "$(remote_commit "$1")" = "$(commit_of HEAD)" ] || ! say 'the remote does not have the commit'
}
`;

const START = `
# Names a branch for the work: the commit that it grows from, none or failed.
default_branch() {
	{
		git symbolic-ref -q refs/remotes/origin/HEAD || git ls-remote --symref origin HEAD
	} | sed -nE 's#^(ref: refs/heads|refs/remotes/origin)/([^[:blank:]]*).*#\\2#p' | grep . ||
		current_branch | grep -Ex 'main|master'
}

free_branch() {
	free=relayflow/\${RELAYFLOW_SLUG:-change}
	[ -z "$(commit_of refs/heads/relayflow)" ] || free=relayflow-\${free#*/}
	name=$free
	number=2
	while [ -n "$(commit_of "refs/heads/$free" || remote_commit "$free")" ]; do
		free=$name-$number
		number=$((number + 1))
	done
	echo "$free"
}

fork_point() {
	upstream=$(commit_of "refs/remotes/origin/$1") || return
	deeper=50
	until git merge-base HEAD "$upstream"; do
		[ "$(git rev-parse --is-shallow-repository)" = true ] || return
		git fetch -q --deepen="$deeper" origin || ! say 'this clone is too shallow to find the base' || return
		deeper=$((deeper * 4))
	done
}

name_missing() {
	git submodule status |
		sed -n 's/^-[0-9a-f]* \\(.*\\)/relayflow: the submodule \\1 is not initialised/p' >&2
	git ls-files ':(attr:filter=lfs)' | head -n 20 | while IFS= read -r path; do
		! dd if="$path" bs=50 count=1 2>/dev/null | grep -q '^version https://git-lfs' ||
			say "$path is a pointer to Git LFS: run git lfs pull"
	done
}

set_aside() {
	mkdir -p .relayflow/earlier
	for name in $(working_files | grep -E 'md|clean') .relayflow/*.*; do
		[ ! -f "$name" ] || git ls-files --error-unmatch "$name" >/dev/null || mv -f "$name" .relayflow/earlier
	done
}

start() {
	[ "$(git rev-parse --is-inside-work-tree)" = true ] || return
	set_aside
	head=$(commit_of HEAD)
	branch=$(current_branch)
	default=$(default_branch)
	if [ -z "$branch" ] || [ "$branch" = "$default" ] || [ -z "$head" ]; then
		new=$(free_branch)
		[ -z "$head" ] || git update-ref "refs/heads/$new" "$head" '' || return
		git symbolic-ref -m 'relayflow: name a branch' HEAD "refs/heads/$new" || return
		say "the work goes to the branch $new"
	else
		head=$(fork_point "$default" || echo "$head")
	fi
	name_missing
	git symbolic-ref HEAD >.relayflow/head.ref
	echo "\${head:-none}"
}

reply failed start
`;

const EXCLUDE_WORKING_FILES = `
# Keeps the working files of the flow out of commits: done.
exclude() {
	file=$(git rev-parse --git-path info/exclude) && mkdir -p "$(dirname "$file")" && : >>"$file" || return
	runs=$(git rev-parse --git-common-dir)/relayflow/runs
	mkdir -p "$runs" && : >"$runs/\${RELAYFLOW_RUN_ID:-unnamed}"
	working_files | prefix=/$(git rev-parse --show-prefix) awk '
		BEGIN {
			prefix = ENVIRON["prefix"]
			gsub(/[][\\\\*?]/, "\\\\\\\\&", prefix)
			gsub(/\\n/, "?", prefix)
		}
		NR == FNR { $0 = prefix $0 }
		FNR == 1 { ours = NR == 1 }
		/^# relayflow (begin|end)$/ { ours = $3 == "begin"; next }
		!ours { print }
		ours && !seen[$0]++ { lines = lines $0 "\\n" }
		END { printf "# relayflow begin\\n%s# relayflow end\\n", lines }' - "$file" >"$file.$$" &&
		mv -f "$file.$$" "$file"
}

exclude_files() {
	exclude || say 'working files could not be excluded, and are taken out later'
}

reply 'done' exclude_files
`;

const CHECK_RESOLVE = String.raw`
# Settles .relayflow/check.sh: script (given, or there), default (the usual one) or none.
write_script() {
	printf '#!/bin/sh\nset -e\n%s\n' "$1" >.relayflow/check.new && mv -f .relayflow/check.new .relayflow/check.sh
}

checks_of_change() {
	base=$(base_commit) || return
	place=$(git diff-tree -r -z --name-only --relative "$base" HEAD | tr '\0' '\n' | LC_ALL=C awk '
		{ sub(/[^\/]*$/, "") }
		NR == 1 { place = $0 }
		{ while (place != "" && index($0, place) != 1) sub(/[^\/]*\/$/, "", place) }
		END { print place }')
	while [ -n "$place" ]; do
		if found=$(cd "./$place" && default_checks); then
			printf "cd './%s'\n%s\n" "$(printf '%s' "$place" | sed "s/'/'\\\\''/g")" "$found"
			return
		fi
		place=$(printf '%s' "$place" | sed 's#[^/]*/$##')
	done
	return 1
}

resolve() {
	if [ -n "$RELAYFLOW_CHECK_COMMAND" ]; then
		write_script "$RELAYFLOW_CHECK_COMMAND" && echo script
	elif [ -s .relayflow/check.sh ]; then
		echo script
	else
		why='# At the root, which has checks for the whole.'
		lines=$(default_checks) || { why='# Where the change is; the root has no checks.' && lines=$(checks_of_change); } &&
			write_script "$why
work=\$PWD/.relayflow
$lines" && echo default
	fi
}

reply none resolve
`;

const CHECK_REMEMBER = `
# Keeps the check script for later runs, or brings one back: remembered, restored or none.
check_remember() {
	key=$(git ls-files -s -- ':(top)*.y*ml' ':(top)Jenkinsfile' \\
		'*akefile' '*justfile' '*package.json' '*.lock*' '*-lock.*' '*.toml' '*.gradle*' '*pom.xml' '*go.[ms]*' \\
		'*requirements*.txt' '*.*proj' '*.sln' '*mix.exs' '*setup.*' '*Gemfile' | git hash-object --stdin) || return
	kept=$(git rev-parse --git-common-dir)/relayflow/checks/$key
	if [ -n "$RELAYFLOW_REMEMBER" ]; then
		mkdir -p "\${kept%/*}" && cp .relayflow/check.sh "$kept.$$" && mv -f "$kept.$$" "$kept" && echo remembered
	elif [ -s "$kept" ]; then
		cp "$kept" .relayflow/check.sh && echo restored
	fi
}

reply none check_remember
`;

const CHECK_RUN = `
# Runs the check script: pass, fail, timeout, none or unrunnable.
reply unrunnable run_checks .relayflow/check
`;

const BASE_CHECK = `
# Runs the check script on the base commit: as on the branch, or unknown.
run_here() {
	if [ "$RELAYFLOW_CHECK_SOURCE" = default ] &&
		! (eval "$(grep '^cd ' .relayflow/check.sh)" && default_checks) >/dev/null 2>&1; then
		echo none
	else
		run_checks "$1"
	fi
}

in_place() {
	kept=.relayflow/base-check
	cp .relayflow/check.sh "$kept.script" && echo "$head $(current_branch)" >"$kept.new" &&
		mv -f "$kept.new" "$kept.restore" || return
	git checkout -q --detach --no-overwrite-ignore "$base" -- && cp "$kept.script" .relayflow/check.sh && run_here "$kept"
	checked=$?
	restore_head
	return "$checked"
}

in_worktree() {
	tree=$PWD/.relayflow/base-check.tree
	rm -rf "$tree"
	git worktree add -q -f --detach "$tree" "$base" || return
	there=$tree/$(git rev-parse --show-prefix).relayflow
	mkdir -p "$there" && cp .relayflow/check.sh "$there" && (cd "$there/.." && run_here "\${tree%.*}")
	rm -rf "$tree"
	git worktree prune
}

base_check() {
	[ -s .relayflow/check.sh ] && base=$(base_commit) && head=$(commit_of HEAD) || return
	changed=$(git status --porcelain --untracked-files=no) || return
	{ [ -z "$changed" ] && in_place; } || in_worktree
}

reply unknown base_check
`;

const CHANGE_CHECK = `
# Whether the branch changes anything: unchanged, changed or unknown.
change_check() {
	regain_branch && base=$(base_commit) || return
	set -- ':(top)' ':(exclude).relayflow'
	for name in $(working_files); do
		git cat-file -e "$base:./\${name%/}" || set -- "$@" ":(exclude)\${name%/}"
	done
	git -c diff.autoRefreshIndex=true -c diff.relative=false diff --quiet --no-ext-diff --no-textconv --no-renames \\
		--ignore-submodules=untracked "$base" -- "$@"
	case $? in
		0) echo unchanged ;;
		1) echo changed ;;
	esac
	git ls-files --others --exclude-standard -- "$@" | head -n 5 | sed 's/^/relayflow: not added: /' >&2
}

reply unknown change_check
`;

const NEEDS_INPUT = String.raw`
# Relays the question of the implementer, as records that can repaint no terminal.
clean() {
	tr '\000' '\001' | LC_ALL=C awk '
		BEGIN {
			t = "[\200-\277]"
			a = "\340[\240-\277]|[\341-\354\356\357]" t "|\355[\200-\237]"
			b = "\360[\220-\277]|[\361-\363]" t "|\364[\200-\217]"
			valid = "^([\001-\177]|[\302-\337]" t "|(" a ")" t "|(" b ")" t t ")+"
			half = "^(" a "|(" b ")" t "?|.)"
		}
		{
			for (at = 1; at <= length($0); at += RLENGTH) {
				if (match(substr($0, at, 99), valid)) printf "%s", substr($0, at, RLENGTH)
				else if (match(substr($0, at, 9), half)) printf "\357\277\275"
			}
			print ""
		}' | LC_ALL=C awk '
		BEGIN {
			blanks = "( |\302\240|\341\232\200|\342(\200[\200-\212\257]|\201\237)|\343\200\200)+"
			shown = "([^\001-\037\177\302]|\302[\240-\277])*"
			escape = "(\033\\[|\302\233)[0-?]*[ -/]*[@-~]|\033[ -/]*[0-~]|(\033[]PX^_]|\302[\220\230\235-\237])"
			escape = escape shown "(\007|\033\\\\|\302\234)"
			unseen = "[\001-\037\177]|\302[\200-\237\255]|\315\217|\330\234|\343\205\244|\363\240.."
			unseen = unseen "|\341(\205[\237\240]|\236[\264\265]|\240[\213-\217])"
			unseen = unseen "|\342(\200[\213-\217\252-\256]|\201[\240-\257])"
			unseen = unseen "|\357(\270[\200-\217]|\273\277|\276\240|\277[\260-\273])"
			unseen = unseen "|\360(\233\262[\240-\243]|\235\205[\263-\272])"
		}
		{
			count = split($0, lines, "\342\200[\250\251]")
			for (i = 1; i <= count; i++) {
				gsub(escape, "", lines[i])
				gsub(/\t/, " ", lines[i])
				gsub(unseen, "", lines[i])
				gsub("^" blanks "|" blanks "$", "", lines[i])
				if (lines[i] != "") print lines[i]
			}
		}'
}

bounded() {
	LC_ALL=C awk -v step="$1" '
		{ line[NR] = $0 }
		END {
			left = 4000
			for (at = step > 0 ? 1 : NR; at in line && n < 60 && length(line[at]) <= left; at += step) {
				left -= length(line[at]) + 1
				n++
			}
			if (!n) {
				n = 1
				from = step > 0 ? 1 : length(line[at]) - 3999
				while (substr(line[at], from + left, 1) ~ /[\200-\277]/) left--
				line[at] = substr(line[at], from, left)
				sub(/^[\200-\277]+/, "", line[at])
			}
			for (at = step > 0 ? 1 : NR - n + 1; n--; at++) print line[at]
		}'
}

needs_input() {
	window=262144
	whole=$(wc -c 2>/dev/null <.relayflow/needs-input.md)
	text=$(head -c "$window" .relayflow/needs-input.md 2>/dev/null | clean)
	set -- needs-input.md 1
	[ -n "$text" ] || {
		window=$(printf '%s' "$RELAYFLOW_SUMMARY" | wc -c)
		whole=$RELAYFLOW_SUMMARY_BYTES
		text=$(printf '%s\n' "$RELAYFLOW_SUMMARY" | clean)
		set -- implementer-summary -1
	}
	[ -n "$text" ] || return
	[ "$whole" -gt "$window" ] 2>/dev/null || whole=$(printf '%s' "$text" | wc -c)
	text=$(printf '%s\n' "$text" | bounded "$2" | clean)
	echo "relayflow needs-input-source: $1"
	printf '%s\n' "$text" | sed 's/^/relayflow needs-input: /'
	kept=$(printf '%s' "$text" | wc -c)
	[ "$kept" -ge "$whole" ] || echo "relayflow needs-input-truncated: $((kept)) of $((whole)) bytes"
}

reply 'relayflow needs-input-source: none' needs_input
`;

const DROP_WORKING_FILES = `
# Takes working files that the base lacks out of the branch: done.
drop() {
	regain_branch && base=$(base_commit) && head=$(commit_of HEAD) || return
	working_files | xargs env git diff-tree -r -z --relative --no-renames --diff-filter=A --name-only \\
		"$base" "$head" -- >"$index.names" || return
	[ -s "$index.names" ] || return 0
	export GIT_INDEX_FILE="$index"
	git read-tree "$head" && git update-index -z --force-remove --stdin <"$index.names" &&
		set -- "$(git write-tree)" -p "$head" -m 'Leave out the working files of the flow' || return
	unset GIT_INDEX_FILE
	commit=$(git commit-tree "$@" ||
		git -c user.name=relayflow -c user.email=relayflow@localhost commit-tree "$@") &&
		git update-ref -m 'relayflow: leave out files' HEAD "$commit" "$head" || return
	git update-index -z --force-remove --stdin <"$index.names"
	say "left out of the branch: $(tr '\\0\\n' '  ' <"$index.names")"
}

drop_files() {
	index=$PWD/.relayflow/drop.index
	drop || say 'working files could not be taken out'
	rm -f "$index"*
}

reply 'done' drop_files
`;

const PUBLISH_CHECK = `
# Whether there is something to publish: publish, no-summary or no-commits.
publish_check() {
	commit_of HEAD >/dev/null || return
	! base=$(base_commit) || ! git diff-tree --quiet "$base" HEAD -- || return
	if [ -s summary.md ]; then echo publish; else echo no-summary; fi
}

reply no-commits publish_check
`;

const CHECK_REPORT = `
# Writes what the checks said, and the description of the change: written.
fenced() {
	fence='\`\`\`\`\`\`\`\`\`\`'
	echo "$fence"
	without_credentials <"$1" | LC_ALL=C sed "s/$(printf '\\033')\\[[0-9;]*[A-Za-z]//g" |
		LC_ALL=C tr -d '\\000-\\010\\013-\\037\\177' | tail -c "$2" | fit "$2"
	echo "$fence"
}

verdict() {
	on='on its base commit'
	case $RELAYFLOW_CHECK_RESULT in
		pass) echo The checks pass. ;;
		fail) echo The checks fail. ;;
		timeout) echo "The checks were stopped after $(cat .relayflow/check.limit) seconds." ;;
		none) echo No checks were found in this repository. ;;
		unrunnable) echo The checks could not be run. ;;
		*) echo The checks were not run. ;;
	esac
	case $RELAYFLOW_BASE_RESULT in
		pass) echo "They pass $on." ;;
		none) echo "There are no such checks $on." ;;
		fail | timeout) echo "They fail $on as well." ;;
		unknown | unrunnable) echo "How they end $on is not known." ;;
	esac
	case $RELAYFLOW_CHECK_SOURCE in
		input) echo The command was given. ;;
		repository) echo The script is that of the repository. ;;
		discovered) echo An agent wrote the script after what CI does. ;;
		default) echo The script is usual for such a project. ;;
	esac
	case $RELAYFLOW_CHECK_RESULT-$RELAYFLOW_CHECK_SOURCE$RELAYFLOW_CHECK_REPAIRED in
		pass-discovered* | pass-default* | pass-*1)
			echo 'Commit it as .relayflow/check.sh, or name its command in the flow.'
			;;
	esac
}

report() {
	verdict | tr '\\n' ' '
	if [ -s .relayflow/check.sh ]; then
		printf '\\n\\nWhat ran:\\n\\n'
		fenced .relayflow/check.sh 3000
	fi
	for log in .relayflow/check .relayflow/base-check; do
		{ [ -s "$log.log" ] && [ "$log$RELAYFLOW_CHECK_RESULT" != .relayflow/base-checkpass ]; } || continue
		printf '\\n<details><summary>%s: its output (exit status %s, %s seconds)</summary>\\n\\n' "\${log#*/}" \\
			"$(cat "$log.exit")" "$(cat "$log.elapsed")"
		fenced "$log.log" 6000
		printf '\\n</details>\\n'
	done
	[ -z "$RELAYFLOW_CHECK_NOTES" ] || printf '\\nWhat was repaired:\\n\\n%s\\n' "$RELAYFLOW_CHECK_NOTES" | fit 4000
}

body() {
	if [ -s summary.md ]; then cat summary.md; else printf '%s\\n' "$RELAYFLOW_TITLE"; fi | fit 30000
	printf '\\n%s\\n\\n' "$RELAYFLOW_REFERENCE"
	printf '%s\\n' "$RELAYFLOW_OUTCOME" | fit 2000
	printf '\\n## Checks\\n\\n'
	cat .relayflow/check-report.md
	[ -s .relayflow/withheld-workflows.patch ] || return 0
	printf '\\n## Workflow files\\n\\nThe forge refused them from this account. For git apply:\\n\\n'
	fenced .relayflow/withheld-workflows.patch 9000
}

write() {
	report >.relayflow/check-report.md
	body >.relayflow/pr-body.md
} 2>/dev/null

reply written write
`;

const CHANGE_METADATA = `
# Whether the change can be published as it is described: valid, or the reason.
validate() {
	body=.relayflow/pr-body.md
	[ -s "$body" ] || return
	why=valid
	! grep -Fxv -- "$RELAYFLOW_REFERENCE" "$body" |
		grep -Eiq '(close[sd]?|fix(es|ed)?|resolve[sd]?):?[[:space:]]+[^[:space:]]*(#|/issues/)[0-9]' ||
		why=another-closing-reference
	[ "$(wc -c <"$body")" -le 65536 ] || why=description-too-long
	{ [ -n "$RELAYFLOW_REFERENCE" ] && grep -Fxq -- "$RELAYFLOW_REFERENCE" "$body"; } || why=no-reference
	[ "$(printf '%s' "$RELAYFLOW_TITLE" | wc -l)" -eq 0 ] || why=title-of-many-lines
	[ -n "$RELAYFLOW_TITLE" ] || why=no-title
	echo "$why"
}

reply no-description validate
`;

const PUSH = `
# Pushes the branch: pushed, pushed-without-workflows, up-to-date or failed.
push() {
	regain_branch && head=$(commit_of HEAD) && branch=$(current_branch) || return
	if [ "$(remote_commit "$branch")" = "$head" ]; then
		echo up-to-date
	elif push_branch "$branch"; then
		echo pushed
	elif grep -q 'refusing to allow .* to create or update .*workflow' .relayflow/push.log && withhold; then
		if push_branch "$branch"; then
			say 'the originals are at refs/relayflow/withheld-workflows'
			echo pushed-without-workflows
		else
			move_branch "$new" "$head"
		fi
	fi
}

withhold() {
	files=':(top).github/workflows'
	base=$(base_commit)
	export GIT_INDEX_FILE="$PWD/.relayflow/push.index"
	for commit in $(git rev-list --reverse --topo-order "$head" --not --remotes \${base:+"$base"}); do
		parents='' from=''
		for parent in $(git rev-parse "$commit^@"); do
			eval "new=\\\${new_$parent:-}"
			if [ -z "$new" ] || [ -z "$from" ]; then from=\${new:-$parent}; fi
			parents="$parents
parent \${new:-$parent}"
		done
		git read-tree "$commit" &&
			git reset -q "\${from:-$(git hash-object -t tree /dev/null)}" -- "$files" && tree=$(git write-tree) || return
		new=$({
			echo "tree $tree$parents"
			git cat-file commit "$commit" | LC_ALL=C sed -E '1,/^$/{/^(author|committer|encoding) |^$/!d;}'
		} | git hash-object -t commit -w --stdin) && eval "new_$commit=\\$new" || return
	done
	rm -f "$GIT_INDEX_FILE"
	unset GIT_INDEX_FILE
	[ "\${new:-$head}" != "$head" ] &&
		git diff-tree -p --binary "$new" "$head" -- "$files" >>.relayflow/withheld-workflows.patch &&
		git update-ref --create-reflog refs/relayflow/withheld-workflows "$head" && move_branch "$head" "$new"
}

move_branch() {
	git read-tree -m -u "$1" "$2" || git reset -q "$2" -- "$files"
	git update-ref -m 'relayflow: workflow files' HEAD "$2" "$1"
}

reply failed push
`;

const OPEN_CHANGE = `
# Opens the change request, or brings it up to date: its address, or failed.
open_change() {
	branch=$(current_branch) || return
	set -- --title "$RELAYFLOW_TITLE" --body-file .relayflow/pr-body.md
	if command -v relayflow-open-change >/dev/null; then
		set -- "$@" --head "$branch" \${RELAYFLOW_DRAFT:+--draft}
		relayflow-open-change "$@" \${RELAYFLOW_REVIEWER:+--reviewer "$RELAYFLOW_REVIEWER"} || relayflow-open-change "$@"
	elif command -v gh >/dev/null; then
		gh pr create "$@" --head "$branch" \${RELAYFLOW_DRAFT:+--draft} || {
			gh pr edit "$branch" "$@" >&2
			gh pr ready "$branch" \${RELAYFLOW_DRAFT:+--undo} >&2
			gh pr view "$branch" --json url,state --jq 'select(.state == "OPEN").url'
		}
		[ -z "$RELAYFLOW_REVIEWER" ] || gh pr edit "$branch" --add-reviewer "$RELAYFLOW_REVIEWER" >&2
	else
		say 'neither relayflow-open-change nor gh is installed'
	fi
}

find_url() {
	open_change 2>.relayflow/open-change.log </dev/null | grep :// | tail -n 1
	without_credentials <.relayflow/open-change.log | tail -n 20 >&2
}

reply failed find_url
`;

const REVIEW_BLOCKED = `
# Turns the change back into a draft and posts what the review found: done.
block() {
	regain_branch
	{
		printf 'The review of this change is not resolved: %s\\n\\n' "$RELAYFLOW_OUTCOME"
		[ ! -s review.md ] || fit 60000 <review.md
	} >review-blocked.md
	if command -v relayflow-change >/dev/null; then
		relayflow-change draft || failed=1
		relayflow-change comment --body-file review-blocked.md || failed=1
	else
		gh pr ready --undo || failed=1
		gh pr comment --body-file review-blocked.md || failed=1
	fi >&2 </dev/null
	[ -z "$failed" ] || say 'the change is no draft, or lacks review-blocked.md'
}

reply 'done' block
`;

const FINISH = `
# Ends what this run holds of the clone: done.
finish() {
	rm -rf .relayflow/base-check.tree
	git worktree prune
	file=$(git rev-parse --git-path info/exclude) || return
	runs=$(git rev-parse --git-common-dir)/relayflow/runs
	rm -f "$runs/\${RELAYFLOW_RUN_ID:-unnamed}"
	find "$runs" -type f -mtime +1 -exec rm -f {} + 2>/dev/null
	rmdir "$runs" 2>/dev/null || return
	sed '/^# relayflow begin$/,/^# relayflow end$/d' "$file" >"$file.$$" && mv -f "$file.$$" "$file"
}

reply 'done' finish
`;
