import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import type { ProcessOutcome } from './port.js';

export type SpawnFailure = NonNullable<ProcessOutcome['spawnError']>;

/** Failures of the moment: too many processes or files, no memory, a program being written. */
const TRANSIENT = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM', 'ETXTBSY']);

const MEANINGS: Readonly<Record<string, string>> = {
  E2BIG: 'its arguments and environment are larger than the system allows; long texts belong on standard input or in a file',
  EAGAIN: 'the system allows no more processes for now',
  EMFILE: 'this process has no file numbers left',
  ENFILE: 'the system has no file numbers left',
  ENOEXEC: 'it is neither a program of this machine nor a script with a "#!" line',
  ENOMEM: 'the system is out of memory',
  ETXTBSY: 'it is being written at the moment',
};

/**
 * Says why a process could not be started, as the rest of a sentence. The system answers "no such file" for the program, its interpreter and its
 * directory alike, so the disk is asked.
 */
export function spawnFailure(error: unknown, request: { readonly file: string; readonly cwd: string; readonly env: Readonly<Record<string, string>> }): SpawnFailure {
  const { code = 'UNKNOWN', message } = error as NodeJS.ErrnoException;
  const program = JSON.stringify(request.file);
  const because = (reason: string, missing?: SpawnFailure['missing']): SpawnFailure => ({
    code,
    message: reason,
    transient: TRANSIENT.has(code),
    ...(missing === undefined ? {} : { missing }),
  });

  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') {
    const problem = problemOfDirectory(request.cwd);
    if (problem !== undefined) return because(`the directory ${JSON.stringify(request.cwd)} ${problem}`, 'directory');
  }
  if (code === 'ENOENT') {
    if (programExists(request)) return because(`the interpreter named in the first line of ${program} does not exist`, 'interpreter');
    return because(request.file.includes('/') ? `there is no file ${program}` : `${program} is not on the PATH`, 'program');
  }
  if (code === 'EACCES') return because(`${program} is not executable by this user`);
  return because(`${program}: ${MEANINGS[code] ?? message} (${code})`);
}

function problemOfDirectory(cwd: string): string | undefined {
  try {
    if (!statSync(cwd).isDirectory()) return 'is not a directory';
    accessSync(cwd, constants.X_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'may not be entered by this user' : 'does not exist';
  }
}

function programExists({ file, cwd, env }: { readonly file: string; readonly cwd: string; readonly env: Readonly<Record<string, string>> }): boolean {
  const folders = file.includes('/') ? ['.'] : (env['PATH'] ?? '').split(delimiter);
  const candidates = folders.map((folder) => resolve(cwd, folder, file));
  return candidates.some((path) => {
    try {
      return statSync(path).isFile();
    } catch {
      return false;
    }
  });
}
