import type { Command } from './command.js';
import type { CommandInvocation, CommandName } from './invocation/declaration.js';
import { parseInvocation, type RefusedInvocation } from './invocation/parse.js';
import { processIo, type Io } from './io.js';
import { EXIT } from './report/exit-status.js';
import type { Problem } from './report/problem.js';
import { colorsFor } from './text/colors.js';

const COMMANDS: { readonly [name in CommandName]: () => Promise<{ readonly execute: Command }> } = {
  check: () => import('./commands/check.js'),
  run: () => import('./commands/run.js'),
  resume: () => import('./commands/resume.js'),
  answer: () => import('./commands/answer.js'),
  cancel: () => import('./commands/cancel.js'),
  status: () => import('./commands/status.js'),
  runs: () => import('./commands/runs.js'),
  logs: () => import('./commands/logs.js'),
  replay: () => import('./commands/replay.js'),
  new: () => import('./commands/new.js'),
};

export interface MainArguments {
  /** The words after the program. */
  readonly args: readonly string[];
  readonly version: string;
}

/** The command line from its words to the end of the process. Everything that goes wrong ends here: this is the one place that prints it and exits. */
export async function main({ args, version }: MainArguments): Promise<never> {
  const io = processIo();
  const fail = (error: unknown): void => {
    void report(error, { args, version, io }).then((status) => leave(io, status));
  };
  // An unhandled rejection arrives here too, unless a run claims it.
  process.on('uncaughtException', fail);
  let status: number;
  try {
    status = await perform(args, version, io);
  } catch (error) {
    status = await report(error, { args, version, io });
  }
  return leave(io, status);
}

/** Output that is still on its way to a slow reader leaves first. */
async function leave(io: Io, status: number): Promise<never> {
  await Promise.all([io.stdout.flushed(), io.stderr.flushed()]);
  process.exit(status);
}

async function perform(args: readonly string[], version: string, io: Io): Promise<number> {
  const invocation = parseInvocation(args);
  switch (invocation.kind) {
    case 'version':
      io.stdout.write(`${version}\n`);
      return EXIT.success;
    case 'help':
      return printHelp(invocation, io);
    case 'refused':
      return printProblem(problemOfInvocation(invocation), { args, io, ...(invocation.command === undefined ? {} : { command: invocation.command }) });
    case 'command':
      if (io.cwd === '') return printProblem(DIRECTORY_GONE, { args, io, command: invocation.command });
      return runCommand(invocation, version, io);
  }
}

const DIRECTORY_GONE: Problem = { code: 'cwd_invalid', text: 'The current directory does not exist any more.', hint: 'Change to one that exists.', exit: EXIT.refused };

async function runCommand(invocation: CommandInvocation, version: string, io: Io): Promise<number> {
  const { execute } = await COMMANDS[invocation.command]();
  return execute({ invocation, io, style: styleFor(io), version });
}

async function printHelp({ command }: { readonly command?: Parameters<typeof import('./invocation/help.js').commandHelp>[0] }, io: Io): Promise<number> {
  const { commandHelp, programHelp } = await import('./invocation/help.js');
  const style = { colors: colorsFor(io.stdout.isTerminal, io.env), program: programName(io.env) };
  io.stdout.write(command === undefined ? programHelp(style) : commandHelp(command, style));
  return EXIT.success;
}

function problemOfInvocation({ text, hint }: RefusedInvocation): Problem {
  return { code: 'invalid_invocation', text, hint, exit: EXIT.refused };
}

interface Failed {
  readonly args: readonly string[];
  readonly io: Io;
  readonly command?: CommandName;
}

async function report(error: unknown, { args, version, io }: Failed & { readonly version: string }): Promise<number> {
  const [{ isFlowsError }, { problemOfBug, problemOfError }] = await Promise.all([import('@relayflows/sdk'), import('./report/problem.js')]);
  const parsed = parseInvocation(args);
  const command = parsed.kind === 'command' ? parsed.command : undefined;
  const problem = isFlowsError(error)
    ? problemOfError(error)
    : problemOfBug(error, { version, command, cwd: io.cwd, home: io.env['HOME'], node: process.versions.node, platform: `${process.platform} ${process.arch}` });
  return printProblem(problem, { args, io, ...(command === undefined ? {} : { command }) });
}

async function printProblem(problem: Problem, { args, io, command }: Failed): Promise<number> {
  const [{ problemLines }, { refusalDocument }, { jsonLine }] = await Promise.all([
    import('./report/report-lines.js'),
    import('./report/report-document.js'),
    import('./text/clean.js'),
  ]);
  // A command line that could not be read may still have said how its reader wants to be told.
  const asDocument = args.includes('--json');
  const asEvents = args.includes('--json-events');
  if (asDocument || asEvents) {
    const document = refusalDocument(command ?? null, flowPath(args), problem);
    io.stdout.write(`${jsonLine(asEvents ? { type: 'report', ...document } : document)}\n`);
  }
  io.stderr.write(`${problemLines(problem, styleFor(io)).join('\n')}\n`);
  return problem.exit;
}

function flowPath([command, path]: readonly string[]): string | null {
  return (command === 'run' || command === 'check') && path !== undefined && !path.startsWith('-') ? path : null;
}

function styleFor(io: Io): { readonly colors: ReturnType<typeof colorsFor>; readonly command: (args: string) => string; readonly now: number } {
  const program = programName(io.env);
  return { colors: colorsFor(io.stderr.isTerminal, io.env), command: (args) => `${program} ${args}`, now: io.now() };
}

/** What a user has to type: someone who came through npx has no `flows` on the PATH. */
function programName(env: Io['env']): string {
  return env['npm_command'] === 'exec' && env['npm_lifecycle_event'] === 'npx' ? 'npx @relayflows/cli' : 'flows';
}
