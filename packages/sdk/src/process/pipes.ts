import { spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmdirSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Real pipes for the output of a process.
 *
 * Node gives a child socket pairs, and Linux refuses to open those by name: `echo … > /dev/stderr` and `tee /dev/stderr` fail with ENXIO under a
 * socket and work everywhere else. Node cannot make a pipe, but a named one whose name is gone is as good while somebody reads it: a batch is
 * made with one `mkfifo`, its names are removed at once, and the ends are opened through `/proc/self/fd`. Where that is impossible the answer is
 * `undefined`, and the caller takes Node's own.
 */
export interface Pipe {
  /** Keeps the pipe in existence between two uses; a reader that never reads. */
  readonly holder: number;
  /** Where this process reads; non-blocking. */
  readonly reader: number;
  /** Where the child writes; blocking. Closed by the caller once the child has it. */
  readonly writer: number;
}

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const IDLE_MOST = 32;
const BATCH_LEAST = 8;
const BATCH_MOST = 256;

/** Failures that say nothing about the next attempt. */
const SHORTAGES = new Set(['EDQUOT', 'EMFILE', 'ENFILE', 'ENOSPC']);

const idle: number[] = [];
const ready: Pipe[] = [];
let inUse = 0;
let possible = process.platform === 'linux';

/** Throws what the system says when it has no more file numbers. */
export function openPipe(): Pipe | undefined {
  return ready.pop() ?? open();
}

/** Opens the two pipes of the next process. For the moment in which the present one loads and there is nothing else to do. */
export function prepareNext(): void {
  try {
    for (let pipe: Pipe | undefined; ready.length < 2 && (pipe = open()) !== undefined;) ready.push(pipe);
  } catch {
    // The next process will say that there are no file numbers left, if that is still so.
  }
}

function open(): Pipe | undefined {
  if (possible && idle.length === 0) refill();
  const holder = idle.pop();
  if (holder === undefined) return undefined;
  const name = `/proc/self/fd/${holder}`;
  let reader: number | undefined;
  try {
    reader = openSync(name, O_RDONLY | O_NONBLOCK);
    const writer = openSync(name, O_WRONLY);
    inUse += 1;
    return { holder, reader, writer };
  } catch (error) {
    closeSync(holder);
    if (reader !== undefined) closeSync(reader);
    throw error;
  }
}

/** Gives a pipe back. It is `drained` when its reader saw the end: then it is empty and nobody else holds it, so another process may have it. */
export function givePipeBack(holder: number, drained: boolean): void {
  inUse -= 1;
  if (drained && idle.length < IDLE_MOST) idle.push(holder);
  else closeSync(holder);
}

function refill(): void {
  // Many processes at once need many pipes: ask less often.
  const count = Math.min(Math.max(inUse, BATCH_LEAST), BATCH_MOST);
  let names: readonly string[] = [];
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(tmpdir(), 'relayflow-pipes-'));
    const within = folder;
    names = Array.from({ length: count }, (_, index) => join(within, String(index)));
    const { status, error } = spawnSync('mkfifo', ['-m', '600', ...names], { stdio: 'ignore' });
    if (error !== undefined) throw error;
    possible = status === 0;
    if (possible) for (const name of names) idle.push(openSync(name, O_RDONLY | O_NONBLOCK));
  } catch (error) {
    possible &&= SHORTAGES.has((error as NodeJS.ErrnoException).code ?? '');
  } finally {
    for (const name of names) withoutTrouble(() => unlinkSync(name));
    // Not `rmSync`: it opens the folder, which fails when there are no file numbers left, and then hides why.
    if (folder !== undefined) withoutTrouble(() => rmdirSync(folder ?? ''));
  }
}

/** A name that was never made, or is gone. */
function withoutTrouble(remove: () => void): void {
  try {
    remove();
  } catch {
    // Nothing depends on it.
  }
}
