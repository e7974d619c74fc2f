import type { Command } from './command.js';
import type { CommandDeclaration, CommandInvocation, CommandName } from './invocation/declaration.js';
import { parseInvocation, type RefusedInvocation } from './invocation/parse.js';
import type { Io } from './io.js';
import { EXIT } from './report/exit-status.js';
import type { Problem } from './report/problem.js';
import { printProblem, reportError } from './report/report-error.js';
import { programName, styleFor } from './report/style.js';
import { colorsFor } from './text/colors.js';

/** Loaded when they are called, and nothing else. */
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
  agents: () => import('./commands/agents.js'),
  demo: () => import('./commands/demo.js'),
  generate: () => import('./commands/generate.js'),
};

const DIRECTORY_GONE: Problem = { code: 'cwd_invalid', text: 'The current directory does not exist any more.', hint: 'Change to one that exists.', exit: EXIT.refused };

/** Does what a command line says and answers with the exit status. Everything that goes wrong is printed; nothing is thrown. */
export async function commandLine({ args, version, io }: { readonly args: readonly string[]; readonly version: string; readonly io: Io }): Promise<number> {
  const invocation = parseInvocation(args);
  try {
    switch (invocation.kind) {
      case 'version':
        io.stdout.write(`${version}\n`);
        return EXIT.success;
      case 'help':
        return await printHelp(invocation.command, io);
      case 'refused':
        return printProblem(problemOfInvocation(invocation), { args, io, command: invocation.command });
      case 'command':
        if (io.cwd === '') return printProblem(DIRECTORY_GONE, { args, io, command: invocation.command });
        return await runCommand(invocation, version, io);
    }
  } catch (error) {
    return reportError(error, { args, version, io });
  }
}

async function runCommand(invocation: CommandInvocation, version: string, io: Io): Promise<number> {
  const { execute } = await COMMANDS[invocation.command]();
  return execute({ invocation, io, style: styleFor(io, invocation.values), version });
}

async function printHelp(command: CommandDeclaration | undefined, io: Io): Promise<number> {
  const { commandHelp, programHelp } = await import('./invocation/help.js');
  const style = { colors: colorsFor(io.stdout.isTerminal, io.env), program: programName(io.env) };
  io.stdout.write(command === undefined ? programHelp(style) : commandHelp(command, style));
  return EXIT.success;
}

function problemOfInvocation({ text, hint }: RefusedInvocation): Problem {
  return { code: 'invalid_invocation', text, hint, exit: EXIT.refused };
}
