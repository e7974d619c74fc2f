import { constants } from 'node:fs';
import { link, lstat, open, rename } from 'node:fs/promises';
import { RelayError } from '../../../errors/relay-error.js';
import { diskFailure, errno } from './failure.js';
import { lockFile, remove } from './file-lock.js';
import { openPlain, readAgain, readPlain, type OpenFile } from './read-file.js';

/** Called around the moment at which a file appears or is replaced. Tests let people save there, and let writes fail. */
export interface WriteWatch {
  readonly before?: (path: string) => Promise<void>;
  /** Between the comparison and the replacement. */
  readonly compared?: (path: string) => Promise<void>;
  readonly after?: (path: string) => Promise<void>;
}

export interface ChangeRequest {
  readonly path: string;
  /** As a person calls it. */
  readonly what: string;
  /** The new content; `undefined`, or the same, leaves the file alone. Called again, with what is there then, when somebody saved meanwhile. */
  readonly change: (content: Buffer) => Buffer | undefined;
  /** The file as the caller has it open, and closes it. Should it be another one by now, that shows as if somebody had saved meanwhile. */
  readonly opened: OpenFile;
  readonly watch?: WriteWatch;
}

type Request = Omit<ChangeRequest, 'opened'>;
type Outcome = 'changed' | 'same' | 'moved';

/** How often somebody may save in the middle of our writing before we say that it does not work. */
const TRIES = 20;

/**
 * Replaces the content of a file at once: readers see the old or the new, and its mode stays. The content is compared immediately before; when it moved, the change is
 * made again on what is there. Somebody who wrote into the old file while it was replaced, as editors do that save in place, is heard too: what they wrote is changed and put in place.
 * What stays is the instant between comparison and rename, for an editor that itself replaces the file.
 */
export async function changeFile({ opened, ...request }: ChangeRequest): Promise<{ readonly changed: boolean }> {
  const { path, what } = request;
  const lock = await lockFile(path, what).catch((error: unknown) => {
    throw diskFailure(error, what);
  });
  try {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const outcome = tries === 0 ? await once(request, opened, lock.temporary) : await again(request, lock.temporary);
      if (outcome !== 'moved') return { changed: outcome === 'changed' };
    }
    throw new RelayError('task_unavailable', `${what} is saved again and again while it is written.`, { hint: 'It is tried again.', evidence: { file: what } });
  } catch (error) {
    throw diskFailure(error, what);
  } finally {
    await lock.release();
  }
}

async function again(request: Request, temporary: string): Promise<Outcome> {
  const opened = await openPlain(request.path, request.what);
  try {
    return await once(request, opened, temporary);
  } finally {
    await opened.handle.close();
  }
}

async function once({ path, what, change, watch = {} }: Request, opened: OpenFile, temporary: string): Promise<Outcome> {
  const { bytes, mode } = opened;
  const next = change(bytes);
  if (next === undefined || next.equals(bytes)) return 'same';
  await writeNew(temporary, next, mode);
  try {
    await watch.before?.(path);
    if (!(await isStill(opened, path))) throw MOVED;
    await watch.compared?.(path);
    await rename(temporary, path);
  } catch (error) {
    await remove(temporary);
    if (error === MOVED) return 'moved';
    throw error;
  }
  await settleLate(path, what, { ours: next, late: await readAgain(opened.handle, bytes.length), before: bytes, mode }, change, temporary);
  await watch.after?.(path);
  return 'changed';
}

/** Whether the name still leads to the file that is open, and that holds what was read from it. */
async function isStill({ handle, bytes, stamp }: OpenFile, path: string): Promise<boolean> {
  const { ino, mode } = await lstat(path, { bigint: true });
  if (ino !== stamp.ino || (Number(mode) & constants.S_IFMT) !== constants.S_IFREG) return false;
  return (await readAgain(handle, bytes.length)).equals(bytes);
}

const MOVED = new Error('The file is not what it was.');

interface Late {
  readonly ours: Buffer;
  /** What the replaced file holds now; `before`, unless somebody wrote into it in the last moment. */
  readonly late: Buffer;
  readonly before: Buffer;
  readonly mode: number;
}

async function settleLate(path: string, what: string, { ours, late, before, mode }: Late, change: ChangeRequest['change'], temporary: string): Promise<void> {
  if (late.equals(before)) return;
  const merged = change(late) ?? late;
  const now = await readPlain(path, what);
  if (!now.bytes.equals(ours)) return;
  await writeNew(temporary, merged, mode);
  await rename(temporary, path);
}

async function writeNew(path: string, content: Buffer, mode: number): Promise<void> {
  const handle = await open(path, 'wx', mode);
  try {
    // The mode of `open` is cut by the umask.
    await handle.chmod(mode);
    await handle.writeFile(content);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** Makes a file that appears whole. False when there is one. */
export async function makeFile({ path, what, content, watch = {} }: { readonly path: string; readonly what: string; readonly content: Buffer; readonly watch?: WriteWatch }): Promise<boolean> {
  const lock = await lockFile(path, what).catch((error: unknown) => {
    throw diskFailure(error, what);
  });
  try {
    const handle = await open(lock.temporary, 'wx');
    try {
      await handle.writeFile(content);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await watch.before?.(path);
    const made = await link(lock.temporary, path).then(() => true, (error: unknown) => {
      if (errno(error) === 'EEXIST') return false;
      throw error;
    });
    if (made) await watch.after?.(path);
    return made;
  } catch (error) {
    throw diskFailure(error, what);
  } finally {
    await remove(lock.temporary);
    await lock.release();
  }
}
