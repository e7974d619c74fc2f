import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { RelayError } from '../../errors/relay-error.js';

/** The text of a file, `undefined` where there is none. Throws `harness_rejected` when it cannot be read. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unusable(path, error);
  }
}

/** Gives a file another content at once, through a temporary file beside it; its mode stays, and a link goes on pointing to it. Throws `harness_rejected`. */
export function replaceFile(path: string, text: string): void {
  let temporary: string | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true });
    const target = realPath(path);
    temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
    const mode = statSync(target, { throwIfNoEntry: false })?.mode ?? 0o644;
    const file = openSync(temporary, 'wx', mode & 0o777);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, target);
  } catch (error) {
    if (temporary !== undefined) rmSync(temporary, { force: true });
    throw unusable(path, error);
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function unusable(path: string, error: unknown): RelayError {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  return new RelayError('harness_rejected', `The file ${path} cannot be used: ${code}.`, { hint: 'The plugin of relay-flow must be entered there; see that the file can be read and written.', evidence: { path, code } });
}
