import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { leaderOf, screenOnTerminal, startOnTerminal } from './pty.mjs';
import { home } from './state.mjs';

/** Types a command into the shell of a new terminal. The shell stays when the command ends, unless the command took its place. */
export function start({ id, cwd, command, handle }) {
  const env = Object.fromEntries(Object.entries({ ...process.env, ORCA_TERMINAL_HANDLE: handle }).filter(([name]) => !name.startsWith('FAKE_')));
  if (process.env.FAKE_ORCA_PTY === '1') return startOnTerminal({ id, cwd, command, env });
  const fifo = path.join(home, `input-${id}`);
  const log = path.join(home, `screen-${id}`);
  execFileSync('mkfifo', [fifo]);
  const out = openSync(log, 'a');
  const child = spawn('sh', ['-c', `exec 0<>'${fifo}'\n${command}\nwhile :; do sleep 3600; done`], { cwd, env, stdio: ['ignore', out, out], detached: true });
  child.unref();
  closeSync(out);
  return { pid: child.pid, fifo, log };
}

export function runs({ pid }) {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    // Nobody may have been told yet that it ended.
    return readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\) /s, '')[0] !== 'Z';
  } catch {
    return process.platform !== 'linux';
  }
}

export function end(terminal) {
  // On a real terminal the program leads a session of its own.
  for (const pid of [terminal.leader === undefined ? undefined : leaderOf(terminal), terminal.pid]) {
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

export function type({ fifo, log }, text) {
  const screen = openSync(log, 'a');
  writeSync(screen, `\n> ${text.slice(0, 2_000)}\n`);
  closeSync(screen);
  press({ fifo }, `${text}\n`);
}

/** Keys, as they are. */
export function press({ fifo }, keys) {
  const input = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
  let rest = Buffer.from(keys);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(input, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
  closeSync(input);
}

/** What a person sees: what was printed, and below it where text is typed in. */
export function screenOf(terminal) {
  if (terminal.leader !== undefined) return screenOnTerminal(terminal);
  const { log, composer } = terminal;
  const printed = readFileSync(log, 'utf8').split('\n').slice(-20).join('\n');
  const typed = composer.length > 1_000 ? '[Pasted text #1 +0 lines]' : composer;
  return `${printed}\n\u001b[2m╭${'─'.repeat(40)}╮\u001b[0m\n${(typed.match(/.{1,36}/gsu) ?? ['']).map((line, index) => `│ ${index === 0 ? '>' : ' '} ${line} │`).join('\n')}\n╰${'─'.repeat(40)}╯\n  ? for shortcuts\n`;
}
