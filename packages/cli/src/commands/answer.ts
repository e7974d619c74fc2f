import { userInfo } from 'node:os';
import { createRuntime, isFlowsError } from '@relayflows/sdk';
import type { CommandContext } from '../command.js';
import { executeRun } from '../execution/execute-run.js';
import { printReport } from '../execution/print-report.js';
import { EXIT } from '../report/exit-status.js';
import { dataDirOf, executingOptions, requireJournal, withRuns } from '../runs/data-dir.js';
import { findRun } from '../runs/find-run.js';

export async function execute(context: CommandContext): Promise<number> {
  const { invocation: { values }, io } = context;
  const dataDir = dataDirOf(context);
  requireJournal(dataDir);
  const waitId = values['wait-id'] ?? '';
  const answer = values['answer'] === 'yes' || values['answer'] === 'true';
  const note = values['note'];
  let answered: string | undefined;
  try {
    return await executeRun({
      context,
      path: null,
      open: (options) => createRuntime({ ...executingOptions(context, dataDir), ...options }),
      async start(runtime) {
        const runId = await findRun(runtime, values['run-id'] ?? '');
        await runtime.answer({ runId, waitId, answer, answeredBy: values['by'] ?? userName(io.env), ...(note === undefined ? {} : { note }) });
        answered = runId;
        io.stderr.write(`${waitId} answered: ${answer ? 'yes' : 'no'}\n`);
        return runtime.resume(runId);
      },
    });
  } catch (error) {
    // The answer is recorded, and the process that executes the run takes it up.
    const runId = answered;
    if (runId === undefined || !isFlowsError(error) || error.code !== 'run_owned') throw error;
    const { report } = await withRuns(context, dataDir, (runtime) => runtime.status(runId));
    await printReport({ context, report, path: null });
    return EXIT.success;
  }
}

function userName(env: Readonly<Record<string, string | undefined>>): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return env['USER'] ?? 'unknown';
  }
}
