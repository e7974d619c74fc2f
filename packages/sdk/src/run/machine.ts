import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { realDisk, type AgentDisk } from '../agents/disk.js';
import { FlowsError } from '../errors/flows-error.js';
import { findConfig, type FlowsConfig } from '../flow/config.js';
import type { ProcessIdentity } from '../process/identity.js';
import { resolveStepDirectory } from '../process/step-directory.js';
import { sweepGroup, sweepRun } from '../process/sweep.js';
import { artifactProblem } from '../verbs/gates/artifact.js';

/** Between heartbeats and progress records, in milliseconds. */
const PULSE_MS = 10_000;

/**
 * What a runtime asks of the machine beside its clock, its journal, its shell and its adapters. Not an option of a runtime: `simulate()` alone runs
 * flows on another one, on which nothing happens.
 */
export interface Machine {
  /** Calls back in a later turn of the event loop, when every microtask has run. */
  readonly turn: (callback: () => void) => void;
  /** Calls back every 10 s without keeping the process alive, until the answer is called. */
  readonly pulse: (beat: () => Promise<void>) => () => void;
  /** Tells of what happens to the process, until the answer is called: a rejection that nobody handled, and that it has nothing left to do. */
  readonly listen: (listeners: { readonly unhandled: (reason: unknown) => void; readonly nothingLeft: (() => void) | undefined }) => () => void;
  /** The real path of the directory a run is started in. Throws `cwd_invalid`. */
  readonly runDirectory: (path: string) => Promise<string>;
  /** The `flows.json` that applies to a flow; `undefined` when there is none, or the flow is in no file. Throws `config_invalid`. */
  readonly config: (flowPath: string | undefined) => FlowsConfig | undefined;
  readonly stepDirectory: typeof resolveStepDirectory;
  readonly artifactProblem: typeof artifactProblem;
  /** Ends what a run left running: the groups it recorded first, then everything that carries its marker. */
  readonly sweep: (runId: string, groups: readonly ProcessIdentity[]) => Promise<void>;
  readonly agents: AgentDisk;
}

export const thisMachine: Machine = {
  turn: (callback) => void setImmediate(callback),
  pulse(beat) {
    const timer = setInterval(() => void beat(), PULSE_MS);
    timer.unref();
    return () => clearInterval(timer);
  },
  listen({ unhandled, nothingLeft }) {
    process.on('unhandledRejection', unhandled);
    if (nothingLeft !== undefined) process.on('beforeExit', nothingLeft);
    return () => {
      process.off('unhandledRejection', unhandled);
      if (nothingLeft !== undefined) process.off('beforeExit', nothingLeft);
    };
  },
  runDirectory,
  config: (flowPath) => (flowPath === undefined ? undefined : findConfig(dirname(flowPath))?.config),
  stepDirectory: resolveStepDirectory,
  artifactProblem,
  async sweep(runId, groups) {
    await Promise.all(groups.map((identity) => sweepGroup(identity, { runId })));
    await sweepRun(runId);
  },
  agents: realDisk,
};

async function runDirectory(path: string): Promise<string> {
  const real = await realpath(path).catch((cause: unknown) => {
    throw new FlowsError('cwd_invalid', `The run directory ${path} cannot be used: ${cause instanceof Error ? cause.message : String(cause)}.`, { hint: 'Run in a directory that exists.', evidence: { path }, cause });
  });
  if (!(await stat(real)).isDirectory()) throw new FlowsError('cwd_invalid', `The run directory ${path} is not a directory.`, { hint: 'Run in a directory.', evidence: { path } });
  return real;
}
