import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { z } from 'zod';
import { RelayError } from '../../errors/relay-error.js';
import type { RepoBinding } from '../port.js';
import { labelProblem, repoLabel } from './labels.js';

export interface BeadsSettings {
  /** Absolute, real, an existing folder. */
  readonly workspace: string;
  /** The label of the repository's tickets. */
  readonly label: string;
}

const schema = z.string().trim().min(1);

/** The settings that a repository has itself; those of the whole machine do not count. Throws `task_config_invalid`, `task_missing`. */
export function readSettings({ name, path, ownTaskConfig }: Pick<RepoBinding, 'name' | 'path' | 'ownTaskConfig'>): BeadsSettings {
  const problem = labelProblem(name);
  if (problem !== undefined) throw invalid(`The name of a repository ${problem}, because it is a label of its tickets; this one cannot be.`, 'Register it under another name.');
  const named = ownTaskConfig['beadsDir'];
  if (named === undefined) throw invalid(`\`taskConfig.beadsDir\` is missing from the repository ${name}.`, 'Name the folder of its Beads workspace, `.beads` as a rule, relative to the repository or absolute. A value for all repositories does not count.');
  const read = schema.safeParse(named);
  if (!read.success) throw invalid('`taskConfig.beadsDir` is not the name of a folder.', 'Name the folder of the Beads workspace, relative to the repository or absolute.');
  return { workspace: realFolder(path, read.data), label: repoLabel(name) };
}

/** Throws `task_missing`, `task_config_invalid`. */
export function realFolder(repository: string, beadsDir: string): string {
  const named = isAbsolute(beadsDir) ? beadsDir : resolve(repository, beadsDir);
  let folder = false;
  try {
    const real = realpathSync(named);
    folder = statSync(real).isDirectory();
    if (folder) return real;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new RelayError('task_missing', `The Beads workspace ${named} does not exist.`, { hint: 'Make it with `bd init`, or name another folder as `taskConfig.beadsDir`. relay-flow never makes one.', evidence: { beadsDir: named } });
    }
    throw invalid(`The Beads workspace ${named} cannot be looked at.`, 'Give the account that runs the server the right to read it.');
  }
  throw invalid(`\`taskConfig.beadsDir\` is not a folder: ${named}.`, 'Name the folder of the Beads workspace.');
}

function invalid(text: string, hint: string): RelayError {
  return new RelayError('task_config_invalid', text, { hint });
}
