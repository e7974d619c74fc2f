import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { CliCall } from '../../driver/drive.js';

/*
 * How a task reaches pi byte for byte. It reads its standard input, but takes blanks off both ends and looks at what begins with a slash: a command
 * of an extension is executed instead of asked, `/skill:name` and `/template` are replaced (0.73.1 and 1.6.0). Such a task is sent as a JSON string,
 * and an extension of one line turns it back behind that point; `--no-skills` is for the replacement that comes after it.
 */
const EXTENSION = 'export default (pi) => pi.on("input", (event) => ({ action: "transform", text: JSON.parse(event.text) }));\n';

/** The part of a call that delivers the task. Prompt templates are left out always: nothing but what a task begins with can ask for one. */
export async function delivery(task: string): Promise<Pick<CliCall, 'args' | 'input' | 'cleanUp'>> {
  const args = ['--no-prompt-templates'];
  if (task === task.trim() && !task.startsWith('/')) return { args, input: task };
  const folder = await mkdtemp(path.join(os.tmpdir(), 'relayflows-pi-'));
  const extension = path.join(folder, 'deliver.mjs');
  await writeFile(extension, EXTENSION);
  return {
    args: [...args, ...(task.startsWith('/skill:') ? ['--no-skills'] : []), '--extension', extension],
    input: JSON.stringify(task),
    cleanUp: async () => await rm(folder, { recursive: true, force: true }),
  };
}
