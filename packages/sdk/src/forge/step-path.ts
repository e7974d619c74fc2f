import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { withProgramsInFront } from '../process/environment.js';
import type { Environment } from './environment.js';

/**
 * An environment in whose steps `relayflow-open-change` and `relayflow-change` are found: `createRuntime({ env: withChangeCommands(process.env) })`.
 *
 * The folder with the two stands first on PATH, and RELAYFLOW_NODE names the Node that executes them: this one. The environment comes back as it is where
 * the package cannot be found, which is so when it was bundled into something else.
 */
export function withChangeCommands(env: Environment): Environment {
  const folder = commandFolder();
  return folder === undefined ? env : { ...withProgramsInFront(env, folder), RELAYFLOW_NODE: process.execPath };
}

/** The folder of the commands. A package may name itself from wherever it lies: its sources, its modules, its bundle. */
function commandFolder(): string | undefined {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('@relayflows/sdk/package.json')), 'bin');
  } catch {
    return undefined;
  }
}
