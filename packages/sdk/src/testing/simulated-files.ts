import { isAbsolute, join, resolve, sep } from 'node:path';
import type { AgentDisk } from '../agents/disk.js';
import type { TreeSnapshot } from '../agents/directory/tree-snapshot.js';
import { FlowsError } from '../errors/flows-error.js';
import { checkStepDirectory } from '../process/step-directory.js';
import type { Machine } from '../run/machine.js';

/** Where a simulated run takes place. Nothing of it is on a disk. */
const ROOT = resolve(sep, 'simulation');

/**
 * The files of a simulated run, which exist in the words of its scripts alone: every directory below that of the run exists, a file does once an answer
 * has named it among its `artifacts`.
 */
export class SimulatedFiles {
  readonly root = ROOT;
  readonly #known = new Set<string>();
  /** What each agent step has changed since its first attempt began. */
  readonly #changed = new Map<string, Set<string>>();
  readonly #stepOf = new WeakMap<TreeSnapshot, string>();
  readonly #sessions = new Map<string, string>();

  add(file: string): void {
    this.#known.add(resolve(file));
  }

  /** An agent step has left files, named relative to its directory. */
  addOfAgent(stepId: string, directory: string, files: readonly string[]): void {
    const changed = this.#changed.get(stepId) ?? new Set();
    this.#changed.set(stepId, changed);
    for (const file of files) {
      this.add(join(directory, file));
      changed.add(file);
    }
  }

  readonly stepDirectory: Machine['stepDirectory'] = ({ runDir, cwd, code = 'cwd_not_allowed' }) => {
    if (cwd === undefined) return runDir;
    checkStepDirectory({ cwd, code });
    const path = isAbsolute(cwd) ? cwd : join(runDir, cwd);
    if (path === runDir || path.startsWith(runDir + sep)) return path;
    throw new FlowsError(code, `The step's directory ${JSON.stringify(cwd)} lies outside the run's directory.`, { hint: `A simulated run takes place in ${runDir}.`, evidence: { path, cwd: runDir } });
  };

  readonly artifactProblem: Machine['artifactProblem'] = async ({ directory, path }) => {
    const file = resolve(directory, path);
    if (file !== directory && !file.startsWith(directory + sep)) return "lies outside the step's directory";
    return this.#known.has(file) ? undefined : 'does not exist';
  };

  /** The same steps around an agent as on a disk, with nothing to look at. */
  readonly agentDisk: AgentDisk = {
    findExecutable: ({ cli }) => cli,
    openTranscript: ({ file }) => ({ file, add: () => undefined, addTask: () => undefined, end: async () => undefined }),
    transcriptTail: async () => '',
    noteSession: async (_run, { id, directory }) => void this.#sessions.set(id, directory),
    directoryOfSession: async (_run, id) => this.#sessions.get(id),
    sweepLeftovers: async () => undefined,
    prepareDirectory: async ({ attempt, notes, begun, plan }) => {
      const before: TreeSnapshot = new Map();
      this.#stepOf.set(before, attempt.stepId);
      const restored = notes !== undefined && (begun.kind === 'again' || begun.kind === 'iteration') && plan.recoveryMode === 'reset';
      if (restored) this.#changed.delete(attempt.stepId);
      return { before, state: restored ? 'restored' : 'kept', notes: {} };
    },
    changedSince: async (before) => [...(this.#changed.get(this.#stepOf.get(before) ?? '') ?? [])].sort(),
    dropBaseline: async () => undefined,
    writeRule: async () => undefined,
    leftByLostAttempt: async () => undefined,
    makeLlmFolder: async () => ROOT,
    dropLlmFolder: async () => undefined,
  };
}
