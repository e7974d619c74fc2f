import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { createRuntime, FlowsError, readInput, sealFlow, warmUpJournal } from '@relayflows/sdk';
import type { CommandContext } from '../command.js';
import { watchLoading } from '../execution/early-exit.js';
import { executeRun } from '../execution/execute-run.js';
import { dataDirOf, executingOptions } from '../runs/data-dir.js';

export async function execute(context: CommandContext): Promise<number> {
  const { invocation: { values }, io } = context;
  const path = values['flow'] ?? '';
  const cwd = resolve(io.cwd, values['cwd'] ?? '.');
  if (values['input'] === undefined) {
    throw new FlowsError('input_missing', 'The flow needs an input and none was given.', { hint: `Give JSON or a file that holds JSON: \`flows run ${path} --input '{}'\`.` });
  }
  requireDirectory(cwd);
  const input = readInput(values['input'], { cwd: io.cwd });
  const flow = await watchLoading({ context, path }, async () => {
    const sealing = sealFlow(resolve(io.cwd, path), { env: io.env });
    // While the bundler works. The journal itself is not opened before the flow is known to be one: a refusal leaves nothing behind.
    const [sealed] = await Promise.all([sealing, warmUpJournal()]);
    return sealed;
  });
  return executeRun({
    context,
    path,
    open: (options) => createRuntime({ ...executingOptions(context, dataDirOf(context, cwd)), ...options }),
    start: (runtime) => runtime.run(flow, { input, cwd }),
  });
}

/** Before the data directory is created inside it: a mistyped `--cwd` must not come into being. */
function requireDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new FlowsError('cwd_invalid', `There is no directory ${path} to run in.`, { hint: 'Check --cwd, or create the directory first.', evidence: { path } });
}
