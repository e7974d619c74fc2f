import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import type { ProcessOutcome } from './port.js';

export type SpawnFailure = NonNullable<ProcessOutcome['spawnError']>;

/** Failures of the moment: too many processes or files, no memory, a program being written. */
const TRANSIENT = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM', 'ETXTBSY']);

const MEANINGS: Readonly<Record<string, string>> = {
  E2BIG: 'its arguments and environment are larger than the system allows; pass long texts on standard input or in a file',
  EAGAIN: 'the system allows no more processes for now',
  EMFILE: 'this process has no file numbers left',
  ENFILE: 'the system has no file numbers left',
  ENOEXEC: 'it is neither a program of this machine nor a script with a "#!" line',
  ENOMEM: 'the system is out of memory',
  ETXTBSY: 'it is being written at the moment',
};

/** Says why a process could not be started. The system answers "no such file" for the program, its interpreter and its directory alike, so the disk is asked. */
export function spawnFailure(error: unknown, request: { readonly file: string; readonly cwd: string; readonly env: Readonly<Record<string, string>> }): SpawnFailure {
  const { code = 'UNKNOWN', message } = error as NodeJS.ErrnoException;
  const fails = (because: string, missing?: SpawnFailure['missing']): SpawnFailure => ({
    code,
    message: `${JSON.stringify(request.file)} could not be started: ${because}.`,
    transient: TRANSIENT.has(code),
    ...(missing === undefined ? {} : { missing }),
  });

  const directory = problemOfDirectory(request.cwd);
  if (directory !== undefined && (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES')) {
    return fails(`the directory ${JSON.stringify(request.cwd)} ${directory}`, 'directory');
  }
  if (code === 'ENOENT') {
    return programExists(request)
      ? fails('the interpreter named in its first line does not exist', 'interpreter')
      : fails(request.file.includes('/') ? 'there is no such file' : 'it is not on the PATH', 'program');
  }
  if (code === 'EACCES') return fails('it is not executable by this user');
  const meaning = MEANINGS[code];
  return fails(meaning === undefined ? message : `${meaning} (${code})`);
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
