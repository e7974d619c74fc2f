import type { Ctx, RunOptions, RunResult } from '@relayflows/surface';
import { timed } from './account.js';
import { PLAYERS, TASK } from './settings.js';
import { SHELL_LIBRARY } from './shell.js';
import { MINUTES } from './time-plan.js';
import type { Work } from './work.js';

export type Env = Record<string, string>;

/**
 * Runs a shell part and gives the word that it answers with; empty when it could not be run. The part begins with a
 * sentence on what it does, which stands first, where lists of steps show it.
 */
export async function answerOf(
  f: Ctx,
  work: Work,
  script: string,
  env: Env = {},
  minutes = MINUTES.small,
  options: RunOptions = {},
): Promise<string> {
  const [sentence = ''] = script.trim().split('\n', 1);
  return await timed(f, work, minutes, async () => {
    const ran = await f.run(`${sentence}\n${SHELL_LIBRARY}${script}`, {
      ...options,
      env,
      timeout: `${minutes}m`,
      onNonZero: 'record',
      onTimeout: 'record',
    });
    return ran.timedOut === true ? '' : ran.stdout.trim();
  });
}

/** Runs a short command and says whether it worked, and what it printed. */
export async function ask(f: Ctx, work: Work, command: string, env: Env = {}): Promise<RunResult> {
  return await timed(f, work, MINUTES.small, () =>
    f.run(command, { env, timeout: `${MINUTES.small}m`, onNonZero: 'record', onTimeout: 'record' }));
}

/** What a role is asked to do. */
export interface Task {
  /** How to go about it. A draft may put its own words here. */
  how: string;
  /** What the flow relies on, whatever the words above say. */
  rules: string;
  /** What it is about. */
  about: string;
}

export interface Told {
  /** What it said last. */
  summary: string;
  /** Why it did not finish; empty when it did. */
  stopped: string;
}

/** Lets the player of a role work. That it was stopped, or failed, is part of the answer: what it did is there. */
export async function tell(f: Ctx, work: Work, role: string, task: Task, minutes: number, cwd?: string): Promise<Told> {
  if (minutes === 0) return { summary: '', stopped: `There was no time left for the ${role}.` };
  const { cli = 'claude', model, prompt } = PLAYERS[role] ?? {};
  try {
    const { completionReason, summary } = await timed(f, work, minutes, () =>
      f.agent(role, {
        cli,
        task: [prompt ?? task.how, task.rules, TASK, task.about].filter((text) => text !== '').join('\n\n'),
        timeout: `${minutes}m`,
        recoveryMode: 'inspect',
        ...(model === undefined ? {} : { model }),
        ...(cwd === undefined ? {} : { cwd }),
      }));
    const stopped = completionReason === 'timeout' ? `The ${role} was stopped after ${minutes} minutes.` : '';
    return { summary: typeof summary === 'string' ? summary : '', stopped };
  } catch (error) {
    return { summary: '', stopped: `The ${role} failed: ${error instanceof Error ? error.message : String(error)}` };
  }
}
