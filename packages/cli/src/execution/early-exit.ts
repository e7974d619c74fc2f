import type { CommandContext } from '../command.js';
import { EXIT } from '../report/exit-status.js';
import type { Problem } from '../report/problem.js';
import { refusalDocument } from '../report/report-document.js';
import { problemLines } from '../report/report-lines.js';
import { jsonLine } from '../text/clean.js';

export interface Watched {
  readonly context: CommandContext;
  /** The flow file, for the report. */
  readonly path: string | null;
  /** The run, once there is one. */
  readonly runId?: () => string | undefined;
}

/**
 * Watches for a flow that ends the process while it is loaded or its run goes on: without a verdict nobody may see a success. What is printed must leave
 * at once. The answer ends the watch.
 */
export function watchForEarlyExit({ context: { invocation: { command, switches }, io, style }, path, runId }: Watched): () => void {
  const onExit = (code: number): void => {
    const problem = problemOfExit(code, runId?.());
    process.exitCode = problem.exit;
    if (switches.has('json') || switches.has('json-events')) {
      const document = refusalDocument(command, path, problem);
      io.stdout.write(`${jsonLine(switches.has('json-events') ? { type: 'report', ...document } : document)}\n`);
    }
    io.stderr.write(`${problemLines(problem, style).join('\n')}\n`);
  };
  process.on('exit', onExit);
  return () => void process.off('exit', onExit);
}

/** Loads a flow, whose top level may end the process. */
export async function watchLoading<T>(watched: Watched, load: () => Promise<T>): Promise<T> {
  const endWatch = watchForEarlyExit(watched);
  try {
    return await load();
  } finally {
    endWatch();
  }
}

function problemOfExit(code: number, runId: string | undefined): Problem {
  if (runId === undefined) {
    return {
      code: 'invalid_spec',
      text: `The flow ended the process with process.exit(${code}) while it was loaded.`,
      hint: 'Keep process.exit() out of the top level of a flow and of what it imports.',
      exit: EXIT.refused,
    };
  }
  return {
    code: 'body_failed',
    text: `The flow ended the process with process.exit(${code}) in the middle of its run.`,
    hint: `End a flow with f.done() or an error. What is finished is kept: \`flows resume ${runId} --current-source\`.`,
    exit: EXIT.failed,
    runId,
  };
}
