import { realpathSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { FlowsError } from '../errors/flows-error.js';
import type { AttemptContext, OtherStep } from '../run/step-spec.js';
import type { TreeRequest } from './directory/tree-snapshot.js';
import type { SnapshotPlace } from './directory/work-tree.js';
import type { AgentServices } from './services.js';

/** The directory in which a step's agent works, during one attempt. */
export interface DirectoryOfStep {
  readonly attempt: AttemptContext;
  readonly agents: AgentServices;
  /** Absolute real path. */
  readonly directory: string;
}

/** What a look at the directory needs to know. */
export function treeRequest({ attempt, agents, directory }: DirectoryOfStep): TreeRequest {
  return { directory, dataDir: attempt.run.dataDir, hostEnv: attempt.run.hostEnv, contents: agents.contents, now: attempt.clock.now() };
}

/** What work with git in it needs to know. */
export function placeOf({ attempt, directory }: DirectoryOfStep): SnapshotPlace {
  return { directory, dataDir: attempt.run.dataDir, scratch: attempt.file(SCRATCH), hostEnv: attempt.run.hostEnv };
}

/** The directory in which an agent of another step works, absolute and real; `undefined` for a command, which may write anywhere. */
export function directoryOf(attempt: AttemptContext, step: OtherStep): string | undefined {
  if (step.kind === 'run') return undefined;
  const directory = path.resolve(attempt.run.cwd, step.cwd ?? '');
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
}

const SCRATCH = 'scratch';
const IN_PASSING = ['.scratch', '.before', '.before.json'];

/** Removes what earlier attempts of a step left in passing because their process was killed, but not what the step still needs of them. */
export async function sweepLeftovers(attempt: AttemptContext, needed: readonly (string | undefined)[]): Promise<void> {
  if (attempt.attempt === 1) return;
  const folder = path.dirname(attempt.file(SCRATCH));
  const names = await readdir(folder).catch((): string[] => []);
  const files = names.filter((name) => IN_PASSING.some((suffix) => name.endsWith(suffix))).map((name) => path.join(folder, name));
  await Promise.all(files.filter((file) => !needed.includes(file)).map((file) => rm(file, { recursive: true, force: true }).catch(() => undefined)));
}

/** Turns an error of the file system into one of the step; anything else stays a bug. */
export function unreadable(error: unknown, directory: string): unknown {
  const { code, path: file } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string' || error instanceof FlowsError) return error;
  return new FlowsError('worker_error', `The files of ${directory} cannot be compared: ${code} at ${file ?? 'an unknown path'}.`, {
    hint: 'Make the file readable, or keep it out of the agent\'s directory.',
    completionReason: 'worker_error',
    evidence: { errorCode: code, ...(file === undefined ? {} : { path: file }) },
    cause: error,
  });
}
