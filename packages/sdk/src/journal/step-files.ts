import { join } from 'node:path';

/** Where a run keeps what is too large for the journal. */
export function runDirectory(args: { readonly dataDir: string; readonly runId: string }): string {
  return join(args.dataDir, 'runs', args.runId);
}

/** The folder with the files of a step. */
export function stepDirectory(args: { readonly dataDir: string; readonly runId: string; readonly stepId: string }): string {
  return join(runDirectory(args), 'steps', args.stepId);
}

/** A file of one attempt: `attempt-2.stdout.log`. Creates nothing. */
export function attemptFile(args: { readonly dataDir: string; readonly runId: string; readonly stepId: string; readonly attempt: number; readonly suffix: string }): string {
  return join(stepDirectory(args), `attempt-${args.attempt}.${args.suffix}`);
}
