#!/usr/bin/env node
// Says whether this kit can run: inside a repository with an origin, with a ticket filled in, a clean tree and a forge that is signed in.
// Nothing is spent and nothing changes. Needs nothing but Node and git.
//
//   node relay-preflight.mjs                      0: ready, 2: not, and what to do
//   node relay-preflight.mjs --install <folder>   moves the kit into a folder of your repository, without overwriting anything
import { spawnSync } from 'node:child_process';
import { constants, copyFileSync, existsSync, linkSync, lstatSync, readFileSync, realpathSync, rmSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const FLOW = 'software-factory.flow.mts';
const INPUT = 'flow-input.json';
const SELF = 'relay-preflight.mjs';
/** The one that moves the others comes last: as long as it is there, the move can be taken up again. */
const KIT = [FLOW, INPUT, 'START-HERE.txt', SELF];
/** What a flow writes beside the kit's own files. */
const WORKING_FILES = [...KIT, 'summary.md', 'plan.md', 'reviewed-plan.md', 'review.md', 'review.clean', 'review-blocked.md', 'comparison.md', 'prototype-notes.md', '.relayflow', '.relayflowd'];
const PLACEHOLDERS = ['replace with your ticket title', 'software factory change'];

const here = dirname(realpathSync(fileURLToPath(import.meta.url)));

/** What is wrong, and what to do about it: one sentence each.
 * @typedef {{ text: string, todo: string }} Refusal */

/** @param {string} file @param {string[]} args @param {string} cwd */
function call(file, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(file, args, { cwd, encoding: 'utf8', timeout: 30_000, env: { ...process.env, GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0' }, stdio: ['ignore', 'pipe', 'pipe'] });
  return { ok: status === 0, missing: error !== undefined && 'code' in error && error.code === 'ENOENT', stdout: stdout ?? '', stderr: stderr ?? '' };
}

/** Git, whatever its user has configured. @param {string} cwd @param {string[]} args */
function git(cwd, ...args) {
  return call('git', ['-c', 'core.quotePath=false', '-c', 'core.fsmonitor=false', '-c', 'status.showUntrackedFiles=normal', '-c', 'status.relativePaths=false', ...args], cwd);
}

// The checks, cheapest first. Each answers with a refusal, or with nothing.

function kitProblem() {
  const missing = KIT.filter((name) => !existsSync(join(here, name)));
  return missing.length === 0 ? undefined : { text: `${list(missing)} is not in ${here}.`, todo: 'Generate the kit again with `npx @relayflows/cli generate --kit <folder>`.' };
}

function ticketProblem() {
  const path = join(here, INPUT);
  let input;
  try {
    input = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    return { text: `${INPUT} cannot be read: ${error instanceof Error ? error.message : String(error)}.`, todo: 'Correct it: it holds one JSON object with an "issue".' };
  }
  const issue = input?.issue;
  const title = typeof issue?.title === 'string' ? issue.title.trim() : '';
  if (title === '') return { text: `The ticket in ${INPUT} has no title.`, todo: 'Say in "title" what is to be done.' };
  if (PLACEHOLDERS.includes(title.toLowerCase())) return { text: `The ticket in ${INPUT} is still the placeholder.`, todo: 'Write your ticket into "title" and "body".' };
  if (typeof issue.body === 'string' && issue.body.startsWith('Replace with what the ticket says')) return { text: `The body of the ticket in ${INPUT} is still the placeholder.`, todo: 'Write into "body" what is wrong or wanted, or leave it empty.' };
  const number = typeof issue.identifier === 'string' ? issue.identifier.trim() : '';
  if (issue.source === 'github' && number !== '' && !/^#\d+$/.test(number)) return { text: `"${number}" does not name a GitHub issue.`, todo: 'Write "identifier" as #<number>, or leave it empty.' };
  return undefined;
}

function repositoryProblem() {
  const { ok, missing, stdout, stderr } = git(here, 'rev-parse', '--is-inside-work-tree');
  if (missing) return { text: 'Git is not installed.', todo: 'Install git.' };
  if (ok && stdout.trim() === 'true') return undefined;
  if (stderr.includes('dubious ownership')) return { text: `Git does not trust the repository around ${here}, since it belongs to somebody else.`, todo: 'Trust it with the command that `git status` shows there.' };
  return { text: `${here} is not inside a git repository.`, todo: `Move the kit into one: node ${SELF} --install path/to/your/repository` };
}

function originProblem() {
  if (originOf() !== '') return undefined;
  return { text: 'The repository has no remote named origin, so there is nowhere to push to.', todo: 'Add it with `git remote add origin <url>`.' };
}

function originOf() {
  return git(here, 'remote', 'get-url', 'origin').stdout.trim();
}

function treeProblem() {
  const prefix = git(here, 'rev-parse', '--show-prefix').stdout.replace(/\n$/, '');
  const { ok, stdout, stderr } = git(here, 'status', '--porcelain', '-z', '--no-renames', '--ignore-submodules=none');
  if (!ok) return { text: `Git cannot tell whether the tree is clean: ${stderr.trim().split('\n')[0]}.`, todo: 'See what `git status` says.' };
  const own = new Set(WORKING_FILES.map((name) => prefix + name));
  // A folder of which nothing is tracked is named with a slash, and stands for all that is in it: for the kit's own, where nothing else is there.
  const changed = stdout.split('\0').filter((entry) => entry !== '').map((entry) => entry.slice(3)).filter((path) => !own.has(path.replace(/\/$/, '')) && !holdsOnlyKit(path, prefix));
  if (changed.length === 0) return undefined;
  return { text: `The tree has changes that are not committed: ${list(changed.slice(0, 3))}${changed.length > 3 ? ` and ${changed.length - 3} more` : ''}.`, todo: 'Commit them, or put them away with `git stash --include-untracked`.' };
}

/** @param {string} path @param {string} prefix */
function holdsOnlyKit(path, prefix) {
  if (!path.endsWith('/') || !prefix.startsWith(path)) return false;
  const { ok, stdout } = git(here, 'ls-files', '-z', '--others', '--exclude-standard', '--full-name', `:(top,literal)${path.slice(0, -1)}`);
  return ok && stdout.split('\0').filter((file) => file !== '').every((file) => WORKING_FILES.some((name) => file === prefix + name || file.startsWith(`${prefix}${name}/`)));
}

function forgeProblem() {
  const address = originOf();
  const host = hostOf(address);
  const has = (/** @type {string[]} */ ...names) => names.some((name) => (process.env[name] ?? '').trim() !== '');
  if (has('RELAYFLOW_FORGE_DIR')) return undefined;
  const kind = git(here, 'config', '--get', 'relayflow.forge').stdout.trim() || kindOf(host);
  if (kind === 'github') {
    if (has('GH_TOKEN', 'GITHUB_TOKEN')) return undefined;
    const { ok, missing } = call('gh', ['auth', 'status', '--hostname', host], here);
    if (ok) return undefined;
    return { text: `Nobody is signed in at ${host}, so no change request could be opened.`, todo: missing ? 'Set GH_TOKEN, or install the GitHub CLI and run `gh auth login`.' : `Run \`gh auth login --hostname ${host}\`, or set GH_TOKEN.` };
  }
  if (kind === 'gitlab') {
    if (has('GITLAB_TOKEN', 'GITLAB_ACCESS_TOKEN', 'CI_JOB_TOKEN')) return undefined;
    const { ok, missing } = call('glab', ['auth', 'status', '--hostname', host], here);
    if (ok) return undefined;
    return { text: `Nobody is signed in at ${host}, so no change request could be opened.`, todo: missing ? 'Set GITLAB_TOKEN to a token with the scope api.' : `Run \`glab auth login --hostname ${host}\`, or set GITLAB_TOKEN.` };
  }
  if (host === '') return { text: 'The remote origin is a folder of this machine, which keeps no change requests.', todo: 'Push to a forge, or set RELAYFLOW_FORGE_DIR to a folder that stands in for one.' };
  return { text: `It is not known what kind of forge ${host} is.`, todo: 'Say it with `git config relayflow.forge github`, or gitlab.' };
}

/** @param {string} address */
function hostOf(address) {
  const url = /^(?:https?|ssh|git|git\+ssh|ssh\+git):\/\/(?:[^@/]*@)?(\[[^\]]*\]|[^:/]+)/i.exec(address)?.[1];
  const scp = /^(?:[^@/:]+@)?([^/:@]{2,}):(?!\/\/)/.exec(address)?.[1];
  return (url ?? scp ?? '').toLowerCase().replace(/^(?:ssh|altssh)\.(github|gitlab)\.com$/, '$1.com');
}

/** @param {string} host */
function kindOf(host) {
  const names = host.split(/[.-]/);
  if (names.includes('github') || names.includes('ghe')) return 'github';
  return names.includes('gitlab') ? 'gitlab' : undefined;
}

/** A path as a POSIX shell reads it. @param {string} path */
function quoted(path) {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

/** @param {readonly string[]} names */
function list(names) {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function preflight() {
  /** @type {Refusal[]} */
  const refusals = [];
  /** Each: what it proves, the check, and whether it can be asked when another has failed. @type {[string, () => Refusal | undefined, 'always' | 'in a repository' | 'when all else is well'][]} */
  const checks = [
    ['the kit is complete', kitProblem, 'always'],
    ['the ticket is filled in', ticketProblem, 'always'],
    ['inside a repository', repositoryProblem, 'always'],
    ['it has an origin', originProblem, 'in a repository'],
    ['the tree is clean', treeProblem, 'in a repository'],
    ['the forge is signed in', forgeProblem, 'when all else is well'],
  ];
  let outside = false;
  for (const [proves, check, when] of checks) {
    if ((when === 'in a repository' && outside) || (when === 'when all else is well' && refusals.length > 0)) {
      console.log(`  -  ${proves}: not asked yet`);
      continue;
    }
    const refusal = check();
    if (refusal === undefined) {
      console.log(`  ok ${proves}`);
      continue;
    }
    outside ||= check === repositoryProblem;
    refusals.push(refusal);
    console.log(`  NO ${proves}`);
  }
  for (const { text, todo } of refusals) console.error(`\n${text}\n  ${todo}`);
  if (refusals.length > 0) return 2;
  console.log(`\nReady. Run it:\n  npx @relayflows/cli run ${FLOW} --input ${INPUT}`);
  return 0;
}

/**
 * Moves the kit. Each file first appears in its new place, whole and under a name that nothing had; only when all are there are the old ones removed,
 * this one last. So a move that was cut short is completed by doing it again, and one that meets somebody else's file is undone.
 *
 * @param {string} folder
 */
function install(folder) {
  const target = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? realpathSync(folder) : undefined;
  if (target === undefined) return refuse({ text: `There is no folder ${folder}.`, todo: 'Name a folder of your repository.' });
  if (target === here) return refuse({ text: 'The kit lies there already.', todo: `See whether it is ready: node ${SELF}` });
  const { ok, stdout } = git(target, 'rev-parse', '--is-inside-work-tree');
  if (!ok || stdout.trim() !== 'true') return refuse({ text: `${target} is not inside a git repository.`, todo: 'Name a folder of your repository.' });

  const taken = KIT.filter((name) => existsAt(join(target, name)) && !isMoved(name, target));
  if (taken.length > 0) return refuse({ text: `${list(taken)} is in ${target} already, with another content. Nothing was moved.`, todo: 'Move it away, or choose another folder.' });
  const lost = KIT.filter((name) => !existsAt(join(here, name)) && !existsAt(join(target, name)));
  if (lost.length > 0) return refuse({ text: `${list(lost)} is missing from the kit. Nothing was moved.`, todo: 'Generate the kit again with `npx @relayflows/cli generate --kit <folder>`.' });

  /** @type {string[]} */
  const made = [];
  try {
    for (const name of KIT) {
      rmSync(staged(target, name), { force: true });
      if (existsAt(join(target, name))) continue;
      place(join(here, name), join(target, name), staged(target, name));
      made.push(name);
    }
  } catch (error) {
    for (const name of made) rmSync(join(target, name), { force: true });
    return refuse({ text: `The kit could not be moved: ${error instanceof Error ? error.message : String(error)}. What had been moved was taken back.`, todo: 'Make room or choose another folder, then do it again.' });
  }
  for (const name of KIT) rmSync(join(here, name), { force: true });
  try {
    rmdirSync(here);
  } catch {
    // Something else lies there, or it is somebody's current directory.
  }
  console.log(`The kit is in ${target}. Next:\n  cd ${quoted(target)}\n  edit ${INPUT}\n  node ${SELF}`);
  return 0;
}

/** Whether a file is in its new place: the same there as here, or only there. @param {string} name @param {string} target */
function isMoved(name, target) {
  const there = join(target, name);
  if (!lstatSync(there).isFile()) return false;
  return existsAt(join(here, name)) ? readFileSync(there).equals(readFileSync(join(here, name))) : true;
}

/** @param {string} path */
function existsAt(path) {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Where a copy is made before it takes its name. @param {string} target @param {string} name */
function staged(target, name) {
  return join(target, `.${name}.moving`);
}

/** A copy that appears whole, or not at all; never in the place of something. @param {string} from @param {string} to @param {string} copy */
function place(from, to, copy) {
  copyFileSync(from, copy);
  try {
    linkSync(copy, to);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw error;
    // A file system without hard links.
    copyFileSync(copy, to, constants.COPYFILE_EXCL);
  } finally {
    rmSync(copy, { force: true });
  }
}

/** @param {Refusal} refusal */
function refuse({ text, todo }) {
  console.error(`${text}\n  ${todo}`);
  return 2;
}

const [flag, folder, ...more] = process.argv.slice(2);
if (flag === undefined) process.exitCode = preflight();
else if (flag === '--install' && folder !== undefined && more.length === 0) process.exitCode = install(resolve(folder));
else process.exitCode = refuse({ text: 'This takes no argument, or --install and a folder.', todo: `node ${SELF} --install path/to/your/repository` });
