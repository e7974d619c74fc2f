import type { Ctx, RunOptions, RunResult } from '@relayflows/surface';
import { timed } from './account.js';
import { TASKS, ticketText } from './prompts.js';
import { PLAYERS, TASK } from './settings.js';
import { SHELL_LIBRARY } from './shell.js';
import { MINUTES } from './time-plan.js';
import type { Work } from './work.js';

export type Words = Record<string, string>;

/** Runs a command for so many minutes at most, and says whether it worked and what it printed. */
export async function ask(f: Ctx, work: Work, command: string, options: RunOptions = {}, minutes = MINUTES.small) {
  const recorded = { ...options, timeout: `${minutes}m`, onNonZero: 'record', onTimeout: 'record' } as const;
  return await timed(f, work, minutes, (): PromiseLike<RunResult> => f.run(command, recorded));
}

/**
 * Runs a shell part and gives the word that it answers with; empty when it could not be run. It begins with a sentence
 * on what it does, which comes first, where lists of steps show it.
 */
export async function answerOf(
  f: Ctx,
  work: Work,
  part: string,
  env: Words = {},
  { minutes, ...options }: RunOptions & { minutes?: number } = {},
): Promise<string> {
  const [sentence = ''] = part.trim().split('\n', 1);
  const ran = await ask(f, work, `${sentence}\n${SHELL_LIBRARY}${part}`, { ...options, env }, minutes);
  return ran.timedOut === true ? '' : ran.stdout.trim();
}

/** What somebody said last, and why it did not finish, which is empty when it did. */
export interface Told {
  summary: string;
  stopped: string;
}

/** Lets the player of a role work. That it was stopped, or failed, is part of the answer: what it did is there. */
export async function tell(
  f: Ctx,
  work: Work,
  role: string,
  minutes: number,
  { cwd = '', ...words }: Words = {},
): Promise<Told> {
  if (minutes === 0) return { summary: '', stopped: `There was no time left for the ${role}.` };
  const { cli = 'claude', model, prompt } = PLAYERS[role] ?? {};
  const [how = '', rules = ''] = TASKS[role.replace(/-\d$/, '')] ?? [];
  const filled = (prompt ?? how).replaceAll(/\{(\w+)\}/g, (braces, name: string) => words[name] ?? braces);
  const task = [filled, rules, TASK, ticketText(work.ticket)].filter((text) => text !== '').join('\n\n');
  const options = { cli, task, timeout: `${minutes}m`, recoveryMode: 'inspect' } as const;
  try {
    const result = await timed(f, work, minutes, () =>
      f.agent(role, { ...options, ...(model ? { model } : {}), ...(cwd ? { cwd } : {}) }));
    const { completionReason, summary } = result;
    const stopped = completionReason === 'timeout' ? `The ${role} was stopped after ${minutes} minutes.` : '';
    // A last message that is one JSON object is the result itself.
    return { summary: typeof summary === 'string' ? summary : JSON.stringify(result), stopped };
  } catch (error) {
    return { summary: '', stopped: `The ${role} failed: ${error instanceof Error ? error.message : String(error)}` };
  }
}
