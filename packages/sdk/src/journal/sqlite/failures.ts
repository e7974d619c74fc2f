import { FlowsError, isFlowsError } from '../../errors/flows-error.js';
import type { ErrorCode } from '../../errors/codes.js';
import { SqliteFailure } from './database.js';

const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const PROTOCOL = 15;
const NOTADB = 26;
const PERM = 3;
const FORMAT = 24;

export function isBusy(error: unknown): boolean {
  return error instanceof SqliteFailure && [BUSY, LOCKED, PROTOCOL].includes(error.primaryCode);
}

/** What went wrong with the file, in the words of the port. Errors that are not about the file pass unchanged. */
export function journalFailure(error: unknown, path: string): unknown {
  if (!(error instanceof SqliteFailure)) return error;
  const { code, text, hint } = describe(error.primaryCode, path);
  return new FlowsError(code, `${text} (SQLite: ${error.message}).`, { hint, evidence: { path, sqliteCode: error.resultCode }, cause: error });
}

function describe(primaryCode: number, path: string): { readonly code: ErrorCode; readonly text: string; readonly hint: string } {
  switch (primaryCode) {
    case BUSY:
    case LOCKED:
    case PROTOCOL:
      return { code: 'journal_busy', text: `Another process holds the journal ${path} locked`, hint: 'Try again once that process is done with it.' };
    case FULL:
      return { code: 'journal_full', text: `There is no space left to write the journal ${path}`, hint: 'Free disk space or raise the quota, then resume the run; nothing stored before is lost.' };
    case CORRUPT:
    case NOTADB:
    case FORMAT:
      return corrupt(path);
    case CANTOPEN:
    case PERM:
    case READONLY:
      return { code: 'journal_unavailable', text: `The journal ${path} cannot be opened for writing`, hint: 'Make the file and its folder writable for this user, or name another data directory.' };
    default:
      return { code: 'journal_io', text: `The journal ${path} could not be read or written`, hint: 'Check the disk and its file system, then resume the run.' };
  }
}

function corrupt(path: string): { readonly code: ErrorCode; readonly text: string; readonly hint: string } {
  return {
    code: 'journal_corrupt',
    text: `The file ${path} is damaged or is not a journal`,
    hint: 'It was left as it is: restore it from a backup, or move it and its -wal file aside to start a new journal.',
  };
}

export function journalCorrupt(path: string, detail: string, cause?: unknown): FlowsError {
  const { code, text, hint } = corrupt(path);
  return new FlowsError(code, `${text} (${detail}).`, { hint, evidence: { path }, cause });
}

export function journalNewer(path: string, found: number, supported: number): FlowsError {
  return new FlowsError('journal_newer', `The journal ${path} has schema version ${found}, and this version of the runtime knows versions up to ${supported}.`, {
    hint: 'Update @relayflows/sdk and @relayflows/cli, or name another data directory.',
    evidence: { path, found, supported },
  });
}

const CAUSES: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left',
  EDQUOT: 'the quota is used up',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is not a directory',
  EEXIST: 'a file stands where a directory is needed',
  ENOENT: 'it does not exist',
  ENAMETOOLONG: 'the path is too long',
  ELOOP: 'its symbolic links form a circle',
};

function noEngine(path: string, cause: unknown): FlowsError {
  return new FlowsError('journal_unavailable', `The journal ${path} cannot be opened: no SQLite engine is installed for ${process.platform} ${process.arch}.`, {
    hint: 'Use Node 22.16 or newer, which brings its own, or install with optional dependencies.',
    evidence: { path },
    cause,
  });
}

/** A failure of the file system around the journal: its folder, its creation, its permissions. */
export function journalUnavailable(path: string, error: unknown): unknown {
  if (isFlowsError(error)) return error;
  const { code, message, path: failedPath } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  if (code.endsWith('MODULE_NOT_FOUND')) return noEngine(path, error);
  const cause = CAUSES[code] ?? message;
  const where = failedPath === undefined || failedPath === path ? '' : ` at ${failedPath}`;
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  return new FlowsError(full ? 'journal_full' : 'journal_unavailable', `The journal ${path} cannot be opened: ${cause}${where}.`, {
    hint: full ? 'Free disk space or raise the quota, then try again.' : 'Make the path usable for this user, or name another data directory.',
    evidence: { path, ...(failedPath === undefined ? {} : { failedPath }), cause: code },
    cause: error,
  });
}
