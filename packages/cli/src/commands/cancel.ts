import type { CommandContext } from '../command.js';
import { EXIT } from '../report/exit-status.js';
import { reportDocument } from '../report/report-document.js';
import { verdictLine } from '../report/report-lines.js';
import { dataDirOf, withRuns } from '../runs/data-dir.js';
import { findRun } from '../runs/find-run.js';
import { jsonLine } from '../text/clean.js';

export async function execute(context: CommandContext): Promise<number> {
  const { invocation: { values, switches }, io } = context;
  return withRuns(context, dataDirOf(context), async (runtime) => {
    const runId = await findRun(runtime, values['run-id'] ?? '');
    await runtime.cancel(runId);
    const { report, run } = await runtime.status(runId);
    io.stdout.write(switches.has('json') ? `${jsonLine(reportDocument('cancel', null, report))}\n` : `${verdictLine(report)}\n`);
    if (report.status === 'running') io.stderr.write(`Process ${run.owner?.pid ?? 'unknown'} executes the run and was asked to cancel it.\n`);
    return EXIT.success;
  }, { change: true });
}
