import { stringify } from 'yaml';
import { manyLines, oneLine } from '../text/clean.js';
import { facts, wrap } from '../text/columns.js';
import type { CommandContext, Shown } from '../command.js';

export async function execute({ client, invocation: { values }, paint, room }: CommandContext): Promise<Shown> {
  const repo = await client().call('getRepo', { params: { name: values['name'] ?? '' } });
  const settings = Object.keys(repo.taskConfig).length === 0 ? [] : ['', paint.bold('taskConfig'), ...manyLines(stringify(repo.taskConfig)).trimEnd().split('\n').map((line) => `  ${line}`)];
  const lines = [
    paint.bold(repo.name),
    ...facts([['path', oneLine(repo.path)], ['workflows', repo.workflows.join(', ') || 'none'], ['active', String(repo.activeRuns)], ...(repo.problem === null ? [] : [['problem', oneLine(repo.problem)] as const])], room, paint.dim),
    ...settings,
    ...(repo.ticketProblems.length === 0 ? [] : ['', paint.bold('Tickets to mend')]),
    ...repo.ticketProblems.flatMap(({ where, text, hint }) => [
      ...wrap(`${oneLine(where)}: ${oneLine(text)}`, room - 2).map((line) => `  ${line}`),
      ...(hint === null ? [] : wrap(oneLine(hint), room - 4).map((line) => paint.dim(`    ${line}`))),
    ]),
  ];
  return { data: repo, lines };
}
