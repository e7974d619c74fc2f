import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from './refusal.mjs';

const directory = process.env.BEADS_DIR;

/** The state, for this process alone. As the embedded database does, a second process is refused, not made to wait. */
export function openState() {
  if (directory === undefined || !existsSync(join(directory, 'beads.json'))) throw new Refusal('no_database', 'no beads database found; run bd init first');
  const lock = join(directory, 'lock');
  try {
    mkdirSync(lock);
  } catch {
    if (Date.now() - statSync(lock, { throwIfNoEntry: false })?.mtimeMs < 10_000) {
      appendFileSync(join(directory, 'overlaps'), `${process.argv.slice(2).join(' ')}\n`);
      throw new Refusal('locked', 'database is locked by another process');
    }
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
      rmSync(lock, { recursive: true });
    },
  };
}

export function logCall(call) {
  appendFileSync(join(directory, 'calls.jsonl'), `${JSON.stringify(call)}\n`);
}

/** For the test to end it. */
export function logDaemon(pid) {
  appendFileSync(join(directory, 'daemons'), `${pid}\n`);
}
