import type { CommandName } from '../invocation/declaration.js';
import { parseInvocation } from '../invocation/parse.js';
import type { Io } from '../io.js';
import { jsonLine } from '../text/clean.js';
import { problemOfBug, problemOfError, type Problem } from './problem.js';
import { refusalDocument } from './report-document.js';
import { problemLines } from './report-lines.js';
import { styleFor } from './style.js';

/** Prints why a command failed and answers with its exit status: a `FlowsError` as what it is, anything else as a bug. */
export async function reportError(error: unknown, { args, version, io }: { readonly args: readonly string[]; readonly version: string; readonly io: Io }): Promise<number> {
  // Loaded here, since most ways to get here have loaded it already and the others are rare.
  const { isFlowsError } = await import('@relayflows/sdk');
  const problem = isFlowsError(error)
    ? problemOfError(error)
    : problemOfBug(error, { version, command: commandOf(args), cwd: io.cwd, home: io.env['HOME'], node: process.versions.node, platform: `${process.platform} ${process.arch}` });
  return printProblem(problem, { args, io, command: commandOf(args) });
}

/** Prints a problem in the form that was asked for, and answers with its exit status. */
export function printProblem(problem: Problem, { args, io, command }: { readonly args: readonly string[]; readonly io: Io; readonly command: CommandName | undefined }): number {
  // A command line that could not be read may still have said how its reader wants to be told.
  const asEvents = args.includes('--json-events');
  if (asEvents || args.includes('--json')) {
    const document = refusalDocument(command ?? null, flowPath(args), problem);
    io.stdout.write(`${jsonLine(asEvents ? { type: 'report', ...document } : document)}\n`);
  }
  const invocation = parseInvocation(args);
  const style = styleFor(io, invocation.kind === 'command' ? invocation.values : undefined);
  io.stderr.write(`${problemLines(problem, style).join('\n')}\n`);
  return problem.exit;
}

function commandOf(args: readonly string[]): CommandName | undefined {
  const invocation = parseInvocation(args);
  return invocation.kind === 'command' ? invocation.command : undefined;
}

function flowPath([command, path]: readonly string[]): string | null {
  return (command === 'run' || command === 'check') && path !== undefined && !path.startsWith('-') ? path : null;
}
