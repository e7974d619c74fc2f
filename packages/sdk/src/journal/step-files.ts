import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** What can be the name of a file on every system, and a part of the name of a git ref. Ids that we make are. */
const PLAIN_ID = /^[a-z0-9_][a-z0-9_-]{0,127}$/;

/** A run's id as one component of a path. An id that a host chose may hold anything: what cannot stand in a name is told apart by a digest. */
export function runFolder(runId: string): string {
  if (PLAIN_ID.test(runId)) return runId;
  return `${runId.replace(/[^A-Za-z0-9_]+/g, '-').slice(0, 64)}@${createHash('sha256').update(runId).digest('hex').slice(0, 32)}`;
}

/** Where a run keeps what is too large for the journal. */
export function runDirectory(args: { readonly dataDir: string; readonly runId: string }): string {
  return join(args.dataDir, 'runs', runFolder(args.runId));
}

/** The folder with the files of a step. */
export function stepDirectory(args: { readonly dataDir: string; readonly runId: string; readonly stepId: string }): string {
  return join(runDirectory(args), 'steps', args.stepId);
}

/** A file of one attempt: `attempt-2.stdout.log`. Creates nothing. */
export function attemptFile(args: { readonly dataDir: string; readonly runId: string; readonly stepId: string; readonly attempt: number; readonly suffix: string }): string {
  return join(stepDirectory(args), `attempt-${args.attempt}.${args.suffix}`);
}
