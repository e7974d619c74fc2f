import type { RunReport } from '@relayflows/sdk';
import type { CommandContext } from '../command.js';
import { reportDocument } from '../report/report-document.js';
import { nextLines, reportLines, verdictLine } from '../report/report-lines.js';
import { jsonLine } from '../text/clean.js';
import { colorsFor } from '../text/colors.js';

interface Printed {
  readonly context: CommandContext;
  readonly report: RunReport;
  readonly path: string | null;
}

/** The report in the form that was asked for. */
export async function printReport({ context, report, path }: Printed): Promise<void> {
  const { invocation: { command, switches }, io } = context;
  const style = { ...context.style, now: io.now() };
  const lines = reportLines(report, style);
  if (switches.has('json') || switches.has('json-events')) {
    const document = reportDocument(command, path, report);
    io.stdout.write(`${jsonLine(switches.has('json-events') ? { type: 'report', ...document } : document)}\n`);
  } else {
    if (io.stderr.isTerminal) await printSummary(context, report);
    io.stdout.write(`${verdictLine(report)}\n`);
    lines.push(...nextLines(report, style));
  }
  if (lines.length > 0) io.stderr.write(`${lines.join('\n')}\n`);
}

async function printSummary({ io }: CommandContext, report: RunReport): Promise<void> {
  const { summaryLines } = await import('../report/summary.js');
  const lines = summaryLines(report, { colors: colorsFor(io.stderr.isTerminal, io.env), columns: io.stderr.columns });
  if (lines.length > 0) io.stderr.write(`\n${lines.join('\n')}\n\n`);
}
