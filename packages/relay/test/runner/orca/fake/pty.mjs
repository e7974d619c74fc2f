import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { drawn } from './screen.mjs';
import { home } from './state.mjs';

const SIZE = { columns: 140, rows: 50 };

/** Runs a command in a pseudo-terminal, for programs that draw. It is over when the command is. */
export function startOnTerminal({ id, cwd, command, env }) {
  const [fifo, log, launcher, leader] = ['input', 'screen', 'launch', 'leader'].map((name) => path.join(home, `${name}-${id}`));
  execFileSync('mkfifo', [fifo]);
  writeFileSync(launcher, `stty cols ${SIZE.columns} rows ${SIZE.rows}\necho $$ > '${leader}'\n${command}\n`);
  // Opened for both, so that its input never ends.
  const child = spawn('sh', ['-c', `exec script -qfec "exec sh '${launcher}'" /dev/null 0<>'${fifo}' >>'${log}' 2>&1`], { cwd, env: { ...env, TERM: 'xterm-256color', SHELL: '/bin/sh' }, stdio: 'ignore', detached: true });
  child.unref();
  return { pid: child.pid, fifo, log, leader };
}

/** The program that a terminal runs; undefined before it was started. */
export function leaderOf({ leader }) {
  try {
    return Number(readFileSync(leader, 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

/** What a person sees of it now. */
export function screenOnTerminal({ log }) {
  let text = '';
  try {
    text = readFileSync(log, 'utf8');
  } catch {
    // Nothing was drawn yet.
  }
  return drawn(text, SIZE);
}
