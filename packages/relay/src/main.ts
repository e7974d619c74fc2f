import { commandLine } from './commands/command-line.js';
import { processIo } from './commands/io.js';

/** The command from its words to the end of the process. Output that is still on its way to a slow reader leaves first; output that could not be written is no success. */
export async function main({ args, version }: { readonly args: readonly string[]; readonly version: string }): Promise<never> {
  const io = processIo();
  const status = await commandLine({ args, version, io });
  const [failure] = await Promise.all([io.out.flushed(), io.err.flushed()]);
  if (failure === undefined) process.exit(status);
  io.err.write(`FAILED [internal_error] The output could not be written: ${failure.message}\n`);
  await io.err.flushed();
  process.exit(status === 0 ? 1 : status);
}
