import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createRuntime, FlowsError, withChangeCommands, type Runtime, type RuntimeOptions } from '@relayflows/sdk';
import type { CommandContext } from '../command.js';

/** Absolute path of the data directory: `--data-dir`, or `.relayflowd` in the directory a run is started from. */
export function dataDirOf({ invocation: { values }, io }: CommandContext, runDirectory: string = io.cwd): string {
  const given = values['data-dir'];
  return given === undefined ? join(runDirectory, '.relayflowd') : resolve(io.cwd, given);
}

/** Options of a runtime that executes one run, which this process exists for. */
export function executingOptions({ invocation: { values }, io }: CommandContext, dataDir: string): RuntimeOptions {
  const capacity = values['agent-capacity'];
  return { dataDir, env: withChangeCommands(io.env), ownsProcess: true, ...(capacity === undefined ? {} : { agentCapacity: Number(capacity) }) };
}

/** Where the answer is hidden from this user there is one to be refused by: opening it says why. */
export function hasJournal(dataDir: string): boolean {
  try {
    return statSync(join(dataDir, 'journal.sqlite3'), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES';
  }
}

/** Looking must not create anything. Throws `run_not_found` where no run was ever kept. */
export function requireJournal(dataDir: string): void {
  if (hasJournal(dataDir)) return;
  throw new FlowsError('run_not_found', `There are no runs in ${dataDir}.`, {
    hint: 'Go to the directory the run was started from, or name its data directory with --data-dir.',
    evidence: { path: dataDir },
  });
}

/** Gives a runtime over the runs of a data directory to `use`, and closes it afterwards. It only looks, so that it works where nothing may be written, unless `change` says otherwise. */
export async function withRuns<T>(context: CommandContext, dataDir: string, use: (runtime: Runtime) => Promise<T>, options: { readonly change?: boolean } = {}): Promise<T> {
  requireJournal(dataDir);
  const runtime = createRuntime({ dataDir, env: context.io.env, readOnly: options.change !== true });
  try {
    return await use(runtime);
  } finally {
    await runtime.close();
  }
}
