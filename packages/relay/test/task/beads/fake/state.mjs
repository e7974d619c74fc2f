import { appendFileSync, existsSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from './refusal.mjs';

/** The state, for this process alone. As the embedded database does, a second process is refused, not made to wait; only for people's edits it waits. */
export function openState(directory, argv) {
  if (directory === undefined || !existsSync(join(directory, 'beads.json'))) throw new Refusal('no_database', 'no beads database found; run bd init first');
  const lock = join(directory, 'lock');
  for (;;) {
    try {
      symlinkSync(`bd:${process.pid}`, lock);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = holderOf(lock);
    if (holder === undefined) continue;
    if (holder === 'person') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    else if (alive(Number(holder.slice(3)))) {
      appendFileSync(join(directory, 'overlaps'), `${argv.join(' ')}\n`);
      throw new Refusal('locked', 'database is locked by another process');
    } else rmSync(lock, { force: true });
  }
  const file = join(directory, 'beads.json');
  const text = readFileSync(file, 'utf8');
  const data = JSON.parse(text);
  let forgotten = false;
  return {
    data,
    forget: () => {
      forgotten = true;
    },
    close: () => {
      if (!forgotten && JSON.stringify(data) !== text) {
        writeFileSync(`${file}.new`, JSON.stringify(data));
        renameSync(`${file}.new`, file);
      }
      rmSync(lock);
    },
  };
}

function holderOf(lock) {
  try {
    return readlinkSync(lock);
  } catch {
    return undefined;
  }
}

function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export function logCall(directory, call) {
  appendFileSync(join(directory, 'calls.jsonl'), `${JSON.stringify(call)}\n`);
}

/** For the test to end it. */
export function logDaemon(directory, pid) {
  appendFileSync(join(directory, 'daemons'), `${pid}\n`);
}
