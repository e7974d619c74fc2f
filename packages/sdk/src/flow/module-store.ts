import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FlowsError } from '../errors/flows-error.js';
import { fault } from '../faults/fault.js';
import { makeDirectory } from './make-directory.js';

/**
 * Puts the text of a module into a file named after its content, and gives the file's URL.
 *
 * The file appears at once and complete (it is written beside and renamed), and one that exists is compared before it is used. When the folder cannot be
 * used, the module goes to a temporary folder, which `release` removes once the module is loaded.
 */
export function storeModule(text: string, directory: string | undefined): { readonly url: string; readonly release: () => void } {
  const name = `${createHash('sha256').update(text).digest('hex').slice(0, 32)}.mjs`;
  if (directory !== undefined && isImportable(directory)) {
    try {
      makeDirectory(directory);
      place(join(directory, name), text);
      return { url: urlOf(join(directory, name)), release: () => undefined };
    } catch (error) {
      if (!CANNOT_WRITE.has((error as NodeJS.ErrnoException).code ?? '')) throw cannotStore(directory, error);
    }
  }
  try {
    const folder = mkdtempSync(join(tmpdir(), 'relayflows-module-'));
    const remove = (): void => rmSync(folder, { recursive: true, force: true });
    // The top level of a flow may end the process before anybody releases this.
    process.once('exit', remove);
    const release = (): void => {
      process.off('exit', remove);
      remove();
    };
    try {
      place(join(folder, name), text);
      return { url: urlOf(join(folder, name)), release };
    } catch (error) {
      release();
      throw error;
    }
  } catch (error) {
    throw cannotStore(tmpdir(), error);
  }
}

/** Node imports nothing from below a folder with a backslash in its name. */
function isImportable(directory: string): boolean {
  return !pathToFileURL(directory).href.includes('%5C');
}

const CANNOT_WRITE: ReadonlySet<string> = new Set(['ENOENT', 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOSPC', 'EDQUOT']);

function place(path: string, text: string): void {
  if (readIfPresent(path) === text) return;
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeFileSync(temporary, text, { flag: 'wx' });
    fault('flow.module.before-rename');
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Node follows symbolic links before it names a module in stack traces. */
function urlOf(path: string): string {
  return pathToFileURL(realpathSync(path)).href;
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function cannotStore(directory: string, cause: unknown): FlowsError {
  return new FlowsError('module_not_stored', `The bundled flow cannot be written to ${directory}: ${(cause as Error).message}.`, {
    hint: 'Make room there or make it writable, or choose another data directory or TMPDIR.',
    evidence: { path: directory, errno: (cause as NodeJS.ErrnoException).code },
    cause,
  });
}
