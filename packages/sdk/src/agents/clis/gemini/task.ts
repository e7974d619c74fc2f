import { stat } from 'node:fs/promises';
import path from 'node:path';

/*
 * The Gemini CLI does not hand a prompt to the model as it is, whichever way it is given (observed with 0.61.0):
 *
 *  - One that begins with `/` and the name of a command is that command: `/auth …` ends the turn, `/init …` writes GEMINI.md, `/plan …` switches off
 *    writing. The names are those of the built-in commands, of the user's own, of the repository's and of tool servers.
 *  - `@` and a path that exists takes in the file, or every file of the folder, and moves blanks in the rest of the prompt.
 *  - Of the standard input it reads 8 MiB, and drops the rest.
 *
 * There is no switch against it. One character that breaks the spelling is the least that helps; a task without such a spelling arrives byte for byte.
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
  const named = await existing(namedFiles(task), cwd);
  const input = `${command === undefined ? '' : '\n'}${withoutReferences(task, named)}`;
  return {
    input,
    changes: [
      ...(command === undefined ? [] : [`gemini would run a task that begins with /${command} as a command of its own. A line break was put before it.`]),
      ...(named.size === 0 ? [] : [`gemini would take in what the task names with an @ (${[...named].slice(0, 5).join(', ')}). A blank was put after the @.`]),
    ],
  };
}

/** Whether the CLI reads the whole of it. */
export function isTooLong(input: string): boolean {
  return Buffer.byteLength(input) > LONGEST_BYTES;
}

/** The word that would be looked up as a command. `/help` does nothing in a turn without a terminal, and a path is the name of no command. */
function commandIn(task: string): string | undefined {
  const word = /^\/\s*([^\s/*]+)(?=\s|$)/.exec(task)?.[1];
  return word === 'help' ? undefined : word;
}

/** The CLI's own rule of what a reference is. A backslash before the `@` protects it, and is left in the prompt. */
const REFERENCE = /(?<!\\)@((?:"[^"]*"|\\.|[^ \t\n\r,;!?()[\]{}.]|\.(?!$|[ \t\n\r]))+)/g;

function nameIn(reference: string): string {
  return reference.replaceAll(/\\(.)/g, '$1');
}

function namedFiles(task: string): ReadonlySet<string> {
  return new Set(Array.from(task.matchAll(REFERENCE), ([, reference = '']) => nameIn(reference)));
}

async function existing(names: ReadonlySet<string>, cwd: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  await Promise.all([...names].map(async (name) => {
    const file = path.resolve(cwd, name);
    if (isInside(cwd, file) && (await stat(file).then(() => true, () => false))) found.add(name);
  }));
  return found;
}

function isInside(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return !path.isAbsolute(relative) && relative.split(path.sep)[0] !== '..';
}

function withoutReferences(task: string, names: ReadonlySet<string>): string {
  if (names.size === 0) return task;
  return task.replaceAll(REFERENCE, (whole, reference: string) => (names.has(nameIn(reference)) ? `@ ${reference}` : whole));
}
