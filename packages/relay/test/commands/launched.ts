import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Home } from '../../src/host/home.js';

export const LAUNCHER = fileURLToPath(new URL('../../bin/relay-flow.js', import.meta.url));

export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Launched {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves once standard and error output together match. */
  printed(pattern: RegExp): Promise<void>;
}

export interface LaunchOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly node?: readonly string[];
  readonly launcher?: string;
}

/** What would make one machine's output differ from another's is left out. */
export function cleanEnvironment(home: Home, env: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(RELAY_FLOW|FORCE_COLOR$|NO_COLOR$|CI$|NODE_OPTIONS$|npm_|VITEST|TERM$)/.test(name));
  return { ...Object.fromEntries(inherited), TERM: 'xterm-256color', SHELL: '/bin/sh', LC_ALL: 'C.UTF-8', RELAY_FLOW_HOME: home.root, ...env };
}

/** Calls the built command as a process of its own, which does not outlive the test. */
export function launch(home: Home, args: readonly string[], { env = {}, node = [], launcher = LAUNCHER }: LaunchOptions = {}): Launched {
  return follow(spawn(process.execPath, [...node, launcher, ...args], { cwd: '/', env: cleanEnvironment(home, env), stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** Calls it on a terminal of its own, made by `script`. What is written to the child's input is typed. */
export function launchOnTerminal(home: Home, args: string, columns = 80): Launched {
  const inside = `stty cols ${columns} rows 40; ${process.execPath} ${LAUNCHER} ${args}; echo "status=$?"`;
  return follow(spawn('/bin/sh', ['-c', 'exec script -qefc "$inside" /dev/null'], { cwd: '/', env: cleanEnvironment(home, { inside }), stdio: ['pipe', 'pipe', 'pipe'] }));
}

function follow(child: ChildProcess): Launched {
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const text = { stdout: '', stderr: '' };
  let check = (): void => undefined;
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (piece: string) => {
      text[name] += piece;
      check();
    });
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, signal) => resolve({ status, signal, ...text }));
  });
  return {
    child,
    ended,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        check = () => {
          if (pattern.test(text.stdout + text.stderr)) resolve();
        };
        check();
        void ended.then(() => reject(new Error(`ended without printing ${String(pattern)}:\n${text.stdout}\n${text.stderr}`)));
      }),
  };
}
