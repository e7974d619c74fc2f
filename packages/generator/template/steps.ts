import type { RunOptions } from '@relayflows/surface';
import { timed } from './account.js';
import { outcomeOf } from './outcome.js';
import { TASKS, ticketText } from './prompts.js';
import { PLAYERS, TASK } from './settings.js';
import { SHELL_LIBRARY } from './shell.js';
import { MINUTES } from './time-plan.js';
import type { Work } from './work.js';

type Words = Record<string, string>;

/** Runs a command for so many minutes at most. How it ended is part of the answer. */
export async function ask(work: Work, command: string, options: RunOptions = {}, minutes = MINUTES.small) {
  const recorded = { ...options, timeout: `${minutes}m`, onNonZero: 'record', onTimeout: 'record' } as const;
  try {
    return await timed(work, minutes, () => work.f.run(command, recorded));
  } catch {
    // It was killed. What is done is published.
    return { ok: false, stdout: '', stderr: '', timedOut: true };
  }
}

/** The word of a shell part, empty when it was stopped. checkSource of the work is its RELAYFLOW_CHECK_SOURCE. */
export async function answerOf(work: Work, part: string, words: Words = {}, minutes?: number, options?: RunOptions) {
  const { draft, reason } = outcomeOf(work);
  const env: Words = {};
  for (const [name, value] of Object.entries({ ...work, draft: draft ? '1' : '', outcome: reason, ...words })) {
    const variable = `RELAYFLOW_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`;
    // No program takes a longer one, or a NUL.
    if (typeof value === 'string') env[variable] = value.slice(0, 40_000).replaceAll('\0', '');
  }
  // Lists of steps show the first line.
  const command = `${part.trim().split('\n', 1)[0]}\n${SHELL_LIBRARY}${part}`;
  const { timedOut, stdout, stderr } = await ask(work, command, { ...options, env }, minutes);
  work.heard = stderr.replace(/\p{C}+/gu, ' ');
  return timedOut === true ? '' : stdout.trim();
}

/** Lets the player of a role work. That it was stopped, or failed, is part of the answer: what it did is there. */
export async function tell(work: Work, role: string, minutes: number, { cwd = '', ...words }: Words = {}) {
  if (minutes === 0) return { summary: '', stopped: `There was no time left for the ${role}.` };
  const { cli = 'claude', model, prompt } = PLAYERS[role] ?? {};
  const [how = '', rules = ''] = TASKS[role.replace(/-\d$/, '')] ?? [];
  const filled = (prompt ?? how).replaceAll(/\{(\w+)\}/g, (braces, name: string) => words[name] ?? braces);
  const task = [filled, rules, TASK, ticketText(work)].filter((text) => text !== '').join('\n\n');
  const options = { cli, task, timeout: `${minutes}m`, recoveryMode: 'inspect' } as const;
  try {
    const result = await timed(work, minutes, () =>
      work.f.agent(role, { ...options, ...(model ? { model } : {}), ...(cwd ? { cwd } : {}) }));
    const { completionReason, summary } = result;
    const stopped = completionReason === 'timeout' ? `The ${role} was stopped after ${minutes} minutes.` : '';
    // A last message that is one JSON object is the result itself.
    const said = typeof summary === 'string' ? summary : JSON.stringify(result);
    return { summary: said.replaceAll('\0', ''), stopped };
  } catch (error) {
    return { summary: '', stopped: `The ${role} failed: ${(error as Error).message}` };
  }
}
