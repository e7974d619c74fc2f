import { referencesIn, withoutReferences } from './references.js';

/*
 * The Gemini CLI does not hand a prompt to the model as it is, whichever way it is given (observed with 0.61.0):
 *
 *  - One that begins with `/` and the name of a command is that command: `/auth …` ends the turn, `/init …` writes GEMINI.md, `/plan …` switches off
 *    writing. The names are those of the built-in commands, of the user's own, of the repository's and of tool servers.
 *  - `@` and the name of a file takes in the file, or every file of the folder, and moves blanks in the rest of the prompt.
 *  - Of the standard input it reads 8 MiB, and drops the rest.
 *
 * There is no switch against it that a call can set. One character that breaks the spelling is the least that helps; a task without such a spelling
 * arrives byte for byte. Names of sub-agents and of resources of tool servers are left alone: whoever writes `@generalist` means it.
 */

const LONGEST_BYTES = 8 * 1_048_576;

export interface GeminiTask {
  /** What is written to the standard input. */
  readonly input: string;
  /** What was changed, in sentences. */
  readonly changes: readonly string[];
}

/** How a task is spelled so that it is no command and takes in no file. */
export async function spelledOut(task: string, cwd: string): Promise<GeminiTask> {
  const command = commandIn(task);
  const names = await referencesIn(task, cwd);
  return {
    input: `${command === undefined ? '' : '\n'}${withoutReferences(task, names)}`,
    changes: [
      ...(command === undefined ? [] : [`gemini would look up /${command} among its own commands. A line break was put before the task.`]),
      ...(names.size === 0 ? [] : [`gemini would take the files into the task that it names with an @ (${[...names].slice(0, 5).join(', ')}). A blank was put after the @.`]),
    ],
  };
}

/** Whether the CLI would drop the end of it. */
export function isTooLong(input: string): boolean {
  return Buffer.byteLength(input) > LONGEST_BYTES;
}

/** The word that would be looked up as a command. `/help` does nothing in a turn without a terminal, and a path is the name of no command. */
function commandIn(task: string): string | undefined {
  const word = /^\/\s*([^\s/*]+)(?=\s|$)/.exec(task)?.[1];
  return word === 'help' ? undefined : word;
}
