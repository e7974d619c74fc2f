import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { FlowsError, readInput } from '@relayflows/sdk';

/** The JSON of a draft file. Throws `input_unreadable`, `input_invalid`, `input_too_large`. */
export function readDraft(file: string, cwd: string): unknown {
  const path = resolve(cwd, file);
  let regular = false;
  let why = 'it is no regular file';
  try {
    regular = statSync(path).isFile();
  } catch (cause) {
    why = (cause as Error).message;
  }
  if (regular) return readInput(path, { cwd });
  throw new FlowsError('input_unreadable', `The draft ${path} cannot be read: ${why}.`, { hint: 'Check the path. `flows generate --help` shows how to do without a draft.', evidence: { path } });
}
