import { readFileSync } from 'node:fs';

export interface Keyboard {
  /** Gives the terminal its own mode back. Calling it twice does nothing. */
  release(): void;
}

/**
 * Reads single keys. The terminal then no longer makes signals of Ctrl-C, Ctrl-Z and Ctrl-\, so those characters are handed on like any other
 * key. Answers `undefined` when nobody can type: no terminal, or a job in the background, which the system would stop for trying.
 */
export function listenToKeys(onKey: (key: string) => void): Keyboard | undefined {
  const input = process.stdin;
  if (input.isTTY !== true || inBackground()) return undefined;
  const listen = (text: string): void => {
    for (const key of text) onKey(key);
  };
  let raw = true;
  const release = (): void => {
    if (!raw) return;
    raw = false;
    process.off('exit', release);
    input.off('data', listen);
    input.pause();
    try {
      input.setRawMode(false);
    } catch {
      // The terminal is gone, and its mode with it.
    }
  };
  try {
    input.setRawMode(true);
  } catch {
    return undefined;
  }
  input.setEncoding('utf8');
  input.on('data', listen);
  input.on('error', release);
  input.resume();
  input.unref();
  // Whatever ends this process, the user's shell must find its terminal as it was.
  process.on('exit', release);
  return { release };
}

/** Whether another process group has the terminal. Known on Linux; elsewhere the foreground is assumed. */
function inBackground(): boolean {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return group !== foreground;
  } catch {
    return false;
  }
}
