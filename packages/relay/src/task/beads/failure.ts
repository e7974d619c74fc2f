import { RelayError } from '../../errors/relay-error.js';
import type { Executed } from '../../process/execute.js';
import { failureIn, readAnswer } from './answer.js';

/** What went wrong with a call, in so far as something must be done about it. */
export type Cause = 'no-issue' | 'no-workspace' | 'auth' | 'permission' | 'unavailable' | 'precondition' | 'unknown-flag' | 'refused';

/**
 * `bd` has exit status 1 for everything, so its words must tell. Order matters: what is said about the database ("database not found") would otherwise pass for the
 * ticket's, and a lock that could not be had in time speaks of a timeout. Codes such as `NOT_FOUND` are read as words.
 */
const WORDS: readonly (readonly [Cause, RegExp])[] = [
  ['unknown-flag', /unknown (?:shorthand )?flag/i],
  ['auth', /access denied|authenticat|unauthori[sz]ed|invalid (?:password|credentials)|password (?:is )?(?:required|incorrect)/i],
  ['permission', /permission denied|operation not permitted|read-only (?:file system|database)|\bEACCES\b/i],
  ['unavailable', /connection (?:refused|reset)|\bECONN|broken pipe|unreachable|no such host|timed?[ -]?out|deadline exceeded|\block(?:ed)?\b|database is busy|bad connection|too many connections|unexpected EOF/i],
  ['no-workspace', /no beads (?:database|workspace|project)|no [\w.]*beads[\w.]* (?:directory|folder)|(?:database|workspace)\b[^\n]{0,80}(?:not found|does(?: not|n't) exist|not initiali[sz]ed)|unknown database|\bbd init\b/i],
  ['no-issue', /\bnot found\b|no issues? (?:found|match)|no such issue|does(?: not|n't) exist|could(?: not|n't) resolve|failed to resolve/i],
  ['precondition', /already (?:closed|open|claimed)|invalid (?:status )?transition|cannot (?:close|reopen|claim|transition|change status)|open (?:blockers?|children|dependenc)|blocked by|precondition/i],
];

export interface Failure {
  readonly cause: Cause;
  readonly exitCode: number | undefined;
}

/**
 * Why a call did not succeed; `undefined` when it did. Whether it was started at all is somebody else's question. `names` are words that people chose, which say
 * nothing about the failure when `bd` repeats them: `lock-12` is a ticket.
 */
export function failureOf({ exitCode, timedOut, stdout, stderr }: Executed, names: readonly string[] = []): Failure | undefined {
  const said = failureIn(readAnswer(stderr)) ?? failureIn(readAnswer(stdout));
  if (exitCode === 0 && said === undefined) return undefined;
  if (exitCode === undefined || timedOut) return { cause: 'unavailable', exitCode };
  const words = names.reduce((left, name) => (name === '' ? left : left.replaceAll(name, '…')), said === undefined ? stderr : `${said.code}\n${said.text}`).replaceAll('_', ' ');
  return { cause: WORDS.find(([, pattern]) => pattern.test(words))?.[0] ?? 'refused', exitCode };
}

/** What the error is about. Never more than the command's name and the issue's id: arguments and input hold people's texts, and what `bd` says may repeat them. */
export interface Subject {
  /** Such as `update`. */
  readonly verb: string;
  /** The id of the ticket or mailbox, where there is one. */
  readonly about?: string | undefined;
  readonly workspace: string;
}

export function bdError({ cause, exitCode }: Failure, { verb, about, workspace }: Subject): RelayError {
  const evidence = { verb, workspace, ...(about === undefined ? {} : { issue: about }), ...(exitCode === undefined ? {} : { exitCode }) };
  const what = `\`bd ${verb}\`${about === undefined ? ` in the workspace ${workspace}` : ` for ${about}`}`;
  switch (cause) {
    case 'no-issue':
      return noIssue(about ?? 'of this id', evidence);
    case 'no-workspace':
      return new RelayError('task_missing', `The Beads workspace ${workspace} has no database${about === undefined ? '' : `, so ${about} cannot be found`}.`, { hint: 'Set it up with `bd init`, or correct `taskConfig.beadsDir`. relay-flow never makes a workspace.', evidence });
    case 'auth':
      return new RelayError('task_auth', `${what} was refused: the database of the workspace does not accept the credentials.`, { hint: 'Set BEADS_DOLT_PASSWORD (and BEADS_DOLT_SERVER_TLS where it is needed) in the environment of the server, then start the server again.', evidence });
    case 'permission':
      return new RelayError('task_permission', `${what} was refused: the account of the server may not read or change the workspace ${workspace}.`, { hint: 'Give it the right to read and write the folder and its database.', evidence });
    case 'unavailable':
      return new RelayError('task_unavailable', `${what} did not succeed: the database of the workspace is locked, cannot be reached, or did not answer in time.`, { hint: 'It is tried again. Should it go on: see whether the database server runs, and whether another `bd` holds the workspace.', evidence });
    case 'precondition':
      return new RelayError('task_conflict', `${what} was refused because of the state of ${about ?? 'an issue'}.`, { hint: `Look at it with \`bd show${about === undefined ? '' : ` ${about}`}\`, and put its status, blockers and children right.`, evidence });
    case 'unknown-flag':
      return new RelayError('task_rejected', `${what} was refused: this version of bd does not know one of the flags that are needed.`, { hint: 'Install bd 1.2 or a newer one.', evidence });
    case 'refused':
      return new RelayError('task_rejected', `${what} was refused (exit status ${exitCode ?? 'unknown'}).`, { hint: `Look at ${about === undefined ? 'the workspace' : 'the issue'} with \`bd ${about === undefined ? 'list' : `show ${about}`}\`.`, evidence });
  }
}

export function noIssue(key: string, evidence: Readonly<Record<string, unknown>> = {}): RelayError {
  return new RelayError('task_missing', `There is no ticket or mailbox ${key} in Beads.`, { hint: 'Look for it with `bd list --all`. If somebody deleted it, cancel the run.', evidence: { issue: key, ...evidence } });
}

export function malformed({ verb, about, workspace }: Subject): RelayError {
  return new RelayError('task_malformed', `\`bd ${verb}\`${about === undefined ? '' : ` for ${about}`} gave an answer that cannot be read.`, { hint: 'See which version of bd is installed with `bd version`, and whether something else of this name is on the PATH.', evidence: { verb, workspace, ...(about === undefined ? {} : { issue: about }) } });
}
