import { commandLine } from './command-line.js';
import { handOver } from './execution/uncaught.js';
import { processIo, type Io } from './io.js';
import { EXIT } from './report/exit-status.js';
import { reportError } from './report/report-error.js';

export interface MainArguments {
  /** The words after the program. */
  readonly args: readonly string[];
  readonly version: string;
}

/** The command from its words to the end of the process. */
export async function main({ args, version }: MainArguments): Promise<never> {
  const { io, silence } = processIo();
  let failing: Promise<never> | undefined;
  // An unhandled rejection arrives here too, unless a run has claimed it.
  process.on('uncaughtException', (error) => {
    if (handOver(error)) return;
    // A bug in reporting a bug.
    if (failing !== undefined) process.exit(EXIT.failed);
    // The command may still be at work, and nothing it says counts any more.
    silence();
    const last = processIo().io;
    failing = reportError(error, { args, version, io: last }).then((status) => leave(last, status));
  });
  const status = await commandLine({ args, version, io });
  await flushed(io);
  return failing ?? leave(io, status);
}

/** Output that is still on its way to a slow reader leaves first. */
async function flushed({ stdout, stderr }: Io): Promise<void> {
  await Promise.all([stdout.flushed(), stderr.flushed()]);
}

/** Output that could not be written is no success. */
async function leave(io: Io, status: number): Promise<never> {
  await flushed(io);
  const { failure } = io.stdout;
  if (failure === undefined) process.exit(status);
  io.stderr.write(`FAILED [file_unwritable] The output could not be written: ${failure.message}\n`);
  await io.stderr.flushed();
  process.exit(status === EXIT.success ? EXIT.failed : status);
}
