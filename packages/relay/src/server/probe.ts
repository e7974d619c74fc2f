import { isRelayError, RelayError } from '../errors/relay-error.js';
import { textOf } from '../errors/text-of.js';
import type { Harness } from '../harness/port.js';
import type { RelayConfig } from '../host/config-types.js';
import type { Runner } from '../runner/port.js';
import { mergeTaskConfig } from '../task/config/merge.js';
import type { TaskSystem } from '../task/port.js';

const ONE_MS = 5_000;
const ALL_MS = 10_000;

/** Asks every adapter whether it can be used, once, before anything is begun. What is in the way keeps the server from starting, and says which one it was. */
export async function probe(args: { readonly config: RelayConfig; readonly taskSystem: TaskSystem; readonly runner: Runner; readonly harness: Harness }): Promise<void> {
  const { config, taskSystem, runner, harness } = args;
  const repos = Object.entries(config.repos).map(([name, { path, taskConfig }]) => ({ name, path, taskConfig: mergeTaskConfig(config.taskConfig, taskConfig), ownTaskConfig: taskConfig }));
  const all = AbortSignal.timeout(ALL_MS);
  await one(`the task system ${taskSystem.name}`, 'task_unavailable', all, async (signal) => {
    try {
      await taskSystem.probe({ repos, signal });
    } catch (error) {
      // What is wrong with one repository keeps only that one from work, and is said when it is opened.
      if (!isRelayError(error) || (error.kind !== 'missing' && error.kind !== 'terminal')) throw error;
    }
  });
  await one(`the runner ${runner.name}`, 'runner_unavailable', all, (signal) => runner.probe({ signal }));
  await one(`the harness ${harness.name}`, 'harness_unavailable', all, (signal) => harness.probe({ signal }));
}

async function one(what: string, code: 'task_unavailable' | 'runner_unavailable' | 'harness_unavailable', all: AbortSignal, ask: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const signal = AbortSignal.any([all, AbortSignal.timeout(ONE_MS)]);
  let late!: () => void;
  try {
    await Promise.race([
      ask(signal),
      new Promise<never>((_, reject) => {
        late = () => reject(new RelayError(code, `Asking ${what} whether it can be used took more than ${ONE_MS / 1_000} s.`, { hint: 'Look whether it runs and can be reached, then start the server again.' }));
        signal.addEventListener('abort', late, { once: true });
      }),
    ]);
  } catch (error) {
    if (isRelayError(error)) throw error;
    throw new RelayError(code, `Asking ${what} whether it can be used failed: ${textOf(error)}`, { cause: error });
  } finally {
    signal.removeEventListener('abort', late);
  }
}
