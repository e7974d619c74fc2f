import { isRelayError, RelayError } from '../../../errors/relay-error.js';

export function errno(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** What a failing file system means. `what` is a file or folder, as a person calls it. */
export function diskFailure(error: unknown, what: string): RelayError {
  if (isRelayError(error)) return error;
  const code = errno(error);
  const options = { evidence: { file: what, ...(code === undefined ? {} : { errno: code }) } };
  if (code === 'ENOENT' || code === 'ENOTDIR') return new RelayError('task_missing', `${what} does not exist.`, { ...options, hint: 'Put it back, or cancel the run.' });
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new RelayError('task_permission', `${what} cannot be read or changed by this account.`, { ...options, hint: 'Give the account that runs the server the right to read and write the folder of tickets.' });
  }
  if (code === 'ELOOP') return notPlain(what);
  return new RelayError('task_unavailable', `${what} cannot be read or written at the moment${code === undefined ? '' : ` (${code})`}.`, { ...options, hint: 'It is tried again.' });
}

/** Symbolic links may lead out of the folder, or let two tickets be one file. */
export function notPlain(what: string): RelayError {
  return new RelayError('task_conflict', `${what} is a symbolic link or something else that is not a plain file.`, { hint: 'Replace it with the file itself.', evidence: { file: what } });
}
