import { createClient } from '../client/client.js';
import { homeOf } from '../host/home.js';
import { Left, type Command, type CommandContext } from './command.js';
import { versions } from './verbs/version.js';
import { helpLines } from './invocation/help.js';
import { parse } from './invocation/parse.js';
import type { Io } from './io.js';
import { problemDocument, problemLines, problemOf, problemOfRefusal, type Problem } from './problem.js';
import { jsonLine } from './text/clean.js';
import { paintFor } from './text/paint.js';

/** Loaded when they are called. */
const COMMANDS: Readonly<Record<string, () => Promise<{ readonly execute: Command }>>> = {
  init: () => import('./verbs/init.js'),
  'task auth': () => import('./verbs/task-auth.js'),
  serve: () => import('./verbs/serve.js'),
  stop: () => import('./verbs/stop.js'),
  'repo register': () => import('./verbs/repo-register.js'),
  'repo list': () => import('./verbs/repo-list.js'),
  'repo get': () => import('./verbs/repo-get.js'),
  'repo remove': () => import('./verbs/repo-remove.js'),
  'workflow check': () => import('./verbs/workflow-check.js'),
  'workflow graph': () => import('./verbs/workflow-graph.js'),
  'workflow submit': () => import('./verbs/workflow-submit.js'),
  'workflow list': () => import('./verbs/workflow-list.js'),
  'workflow get': () => import('./verbs/workflow-get.js'),
  'workflow remove': () => import('./verbs/workflow-remove.js'),
  'run list': () => import('./verbs/run-list.js'),
  'run get': () => import('./verbs/run-get.js'),
  'run logs': () => import('./verbs/run-logs.js'),
  'run approve': () => import('./verbs/run-approve.js'),
  'run reject': () => import('./verbs/run-reject.js'),
  'run cancel': () => import('./verbs/run-cancel.js'),
  'run restart': () => import('./verbs/run-restart.js'),
  'run claim': () => import('./verbs/run-claim.js'),
  report: () => import('./verbs/report.js'),
  'runtime-register': () => import('./verbs/runtime-register.js'),
  version: () => import('./verbs/version.js'),
};

/** Does what a command line says, prints what came of it, and answers with the exit status. Throws nothing. */
export async function commandLine({ args, version, io }: { readonly args: readonly string[]; readonly version: string; readonly io: Io }): Promise<number> {
  const asJson = args.includes('--json');
  const noColor = args.includes('--no-color');
  const paint = paintFor({ isTerminal: io.out.isTerminal, env: io.env, noColor });
  const fail = (problem: Problem): number => {
    if (asJson) io.out.write(`${jsonLine(problemDocument(problem))}\n`);
    else io.err.write(`${problemLines(problem, paintFor({ isTerminal: io.err.isTerminal, env: io.env, noColor })).join('\n')}\n`);
    return problem.exit;
  };
  const invocation = parse(args);
  try {
    switch (invocation.kind) {
      case 'refused':
        return fail(problemOfRefusal(invocation));
      case 'help':
        io.out.write(`${helpLines(invocation.topic, paint).join('\n')}\n`);
        return 0;
      case 'version':
        io.out.write(asJson ? `${jsonLine({ ok: true, data: versions(version) })}\n` : `${version}\n`);
        return 0;
      case 'command': {
        const load = COMMANDS[invocation.command];
        if (load === undefined) throw new Error(`The command ${invocation.command} is declared and not made.`);
        const home = (): ReturnType<typeof homeOf> => homeOf(io.env);
        const context: CommandContext = { invocation, io, version, paint, room: io.out.columns, asJson, home, client: () => createClient(home().socket) };
        const { execute } = await load();
        return print(await execute(context), context);
      }
    }
  } catch (error) {
    if (error instanceof Left) return 1;
    return fail(await problemOf(error, { version, home: io.env['HOME'], cwd: io.cwd }));
  }
}

function print(shown: Awaited<ReturnType<Command>>, { asJson, io }: CommandContext): number {
  if (typeof shown === 'number') return shown;
  const { data, lines, notes = [], exit = 0 } = shown;
  if (asJson) io.out.write(`${jsonLine({ ok: exit === 0, data })}\n`);
  else {
    if (lines.length > 0) io.out.write(`${lines.join('\n')}\n`);
    if (notes.length > 0) io.err.write(`${notes.join('\n')}\n`);
  }
  return exit;
}
