import { FlowsError, type Runtime } from '@relayflows/sdk';

/** The full id of a run that a user named: an id, its first characters, or `last`. Throws `run_not_found`, `run_ambiguous`. */
export async function findRun(runtime: Runtime, named: string): Promise<string> {
  // No id contains an `l`.
  if (named !== 'last') return runtime.findRun(named);
  const [newest] = await runtime.list({ limit: 1 });
  if (newest === undefined) throw new FlowsError('run_not_found', 'There is no run yet.', { hint: 'Start one with `flows run <flow>`.' });
  return newest.id;
}
