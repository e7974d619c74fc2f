import { setTimeout } from 'node:timers/promises';
import { execute, type Execute } from '../../process/execute.js';

export interface GitCall {
  /** The folder it works in, absolute. */
  readonly at: string;
  readonly args: readonly string[];
  /** Default 60 s. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly input?: string;
}

export interface GitAnswer {
  /** 0 for success. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** `missing`: there is no git. `timeout`: it was ended before it was done, so what it did is unclear. */
  readonly failure?: 'missing' | 'timeout';
}

/** Runs git. Never rejects. */
export type Git = (call: GitCall) => Promise<GitAnswer>;

/** Settings of people that must not change what our calls mean or print. Hooks are theirs, and run as they do for them. */
const NEUTRAL = [
  'core.quotePath=false', 'core.fsmonitor=false', 'core.untrackedCache=false', 'gc.auto=0', 'maintenance.auto=false', 'advice.detachedHead=false',
  'color.ui=false', 'log.showSignature=false', 'worktree.guessRemote=false',
].flatMap((setting) => ['-c', setting]);

/** Variables of git's that say who and how, not which repository; all others (`GIT_DIR`, `GIT_INDEX_FILE`, …) are taken out. */
const KEPT = new Set([
  'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM', 'GIT_EXEC_PATH', 'GIT_SSH', 'GIT_SSH_COMMAND', 'GIT_ASKPASS', 'GIT_SSL_CAINFO', 'GIT_SSL_CAPATH',
]);

/** Git without a shell, questions or translated words, and without what the environment says about other repositories. */
export function createGit(options: { readonly env: Readonly<Record<string, string | undefined>>; readonly run?: Execute }): Git {
  const { env, run = execute } = options;
  const once: Git = async ({ at, args, timeoutMs = 60_000, signal, input }) => {
    const done = await run({
      file: 'git',
      args: ['-C', at, ...NEUTRAL, ...args],
      env: gitEnvironment(env),
      timeoutMs,
      ...(signal === undefined ? {} : { signal }),
      ...(input === undefined ? {} : { input }),
    });
    const { stdout, stderr } = done;
    if (done.notStarted !== undefined) return { exitCode: 127, stdout, stderr: done.notStarted, failure: 'missing' };
    if (done.timedOut) return { exitCode: 128, stdout, stderr, failure: 'timeout' };
    return { exitCode: done.exitCode ?? 128, stdout, stderr };
  };
  return async (call) => {
    let answer = await once(call);
    for (let wait = 20; wait < 2_000 && answer.failure === undefined && halfWritten(answer) !== undefined; wait *= 2) {
      await setTimeout(wait);
      answer = await once(call);
    }
    return answer;
  };
}

/** The file of a worktree's administration that git found half written: while one is made, every other git that looks at the list fails. */
export function halfWritten(answer: GitAnswer): string | undefined {
  return answer.exitCode === 0 ? undefined : /failed to read (.*worktrees\/[^]+\/(?:commondir|gitdir|HEAD)): /.exec(answer.stderr)?.[1];
}

function gitEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && (!name.startsWith('GIT_') || KEPT.has(name))) kept[name] = value;
  }
  return { ...kept, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' };
}

/** The one line of an answer, without its end of line; a path may hold others. */
export function oneLine(answer: GitAnswer): string {
  return answer.stdout.endsWith('\n') ? answer.stdout.slice(0, -1) : answer.stdout;
}
