import type { CommandContext } from '../command.js';
import type { Problem } from '../report/problem.js';
import { refusalDocument } from '../report/report-document.js';
import { problemLines } from '../report/report-lines.js';
import { jsonLine } from '../text/clean.js';

/**
 * Watches for a flow that ends the process while its run goes on: without a verdict nobody may see a success. What is printed must leave at once.
 * The answer ends the watch.
 */
export function watchForEarlyExit({ invocation: { command, switches }, io, style }: CommandContext, runId: () => string | undefined): () => void {
  const onExit = (code: number): void => {
    process.exitCode = 1;
    const id = runId();
    const problem: Problem = {
      code: 'body_failed',
      text: `The flow ended the process with process.exit(${code}) in the middle of its run.`,
      hint: id === undefined ? 'End a flow with f.done() or an error.' : `End a flow with f.done() or an error. What is finished is kept: \`flows resume ${id} --current-source\`.`,
      exit: 1,
      ...(id === undefined ? {} : { runId: id }),
    };
    if (switches.has('json') || switches.has('json-events')) {
      const document = refusalDocument(command, null, problem);
      io.stdout.write(`${jsonLine(switches.has('json-events') ? { type: 'report', ...document } : document)}\n`);
    }
    io.stderr.write(`${problemLines(problem, style).join('\n')}\n`);
  };
  process.on('exit', onExit);
  return () => void process.off('exit', onExit);
}
