import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needs, tool } from 'test-tools';
import { afterAll, describe } from 'vitest';

/** A shell to run parts with. */
export interface Shell {
  readonly name: string;
  /** The program and its arguments, before `-c`. */
  readonly command: readonly string[];
  /** Folders of programs that come before those of the PATH. */
  readonly path: readonly string[];
}

/** The shells that parts run under. With busybox come its own tools: awk, sed, grep and the others are not those of the system. */
export const SHELLS = ['dash', 'bash', 'busybox'] as const;

/** Declares the same tests for each shell; those of one that is not installed are skipped by name. */
export function inEachShell(body: (shell: Shell) => void): void {
  for (const name of SHELLS) {
    const program = tool(name);
    if (program === undefined) needs(name)('runs the shell parts', () => undefined);
    else {
      describe(name, () => {
        body(name === 'busybox' ? busybox(program) : { name, command: [program], path: [] });
      });
    }
  }
}

function busybox(program: string): Shell {
  const folder = mkdtempSync(join(tmpdir(), 'relayflows-busybox-'));
  mkdirSync(join(folder, 'bin'));
  for (const applet of execFileSync(program, ['--list'], { encoding: 'utf8' }).split('\n')) {
    if (applet !== '' && !applet.includes('/')) symlinkSync(program, join(folder, 'bin', applet));
  }
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return { name: 'busybox', command: [program, 'sh'], path: [join(folder, 'bin')] };
}
