import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { FlowsError, readInput } from '@relayflows/sdk';

/** The JSON of a draft file. Throws `input_unreadable`, `input_invalid`, `input_too_large`. */
export function readDraft(file: string, cwd: string): unknown {
  const path = resolve(cwd, file);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) return readInput(path, { cwd });
  throw new FlowsError('input_unreadable', `There is no draft ${path}.`, { hint: 'Check the path. `flows generate --help` shows how to do without a draft.', evidence: { path } });
}
