import { mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export const home = process.env.FAKE_ORCA_HOME;

const EMPTY = { runtime: 1, calls: 0, next: 1, repos: [], worktrees: [], terminals: [], made: { repos: 0, worktrees: 0, terminals: 0 }, requests: {}, statuses: {} };

/** Lets one call after the other read and change the state. */
export function withState(body) {
  const lock = path.join(home, 'lock');
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
  try {
    const file = path.join(home, 'state.json');
    let state = EMPTY;
    try {
      state = JSON.parse(readFileSync(file, 'utf8'));
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
    const result = body(state);
    writeFileSync(`${file}.new`, JSON.stringify(state));
    renameSync(`${file}.new`, file);
    return result;
  } finally {
    rmdirSync(lock);
  }
}
