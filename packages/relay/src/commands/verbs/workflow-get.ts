import type { CommandContext, Shown } from '../command.js';
import { manyLines } from '../text/clean.js';
import { facts } from '../text/columns.js';
import { runRows } from '../view/run-rows.js';
import { repair } from './workflow-list.js';

export async function execute({ client, invocation: { values }, paint, room, io }: CommandContext): Promise<Shown> {
  const workflow = await client().call('getWorkflow', { params: { name: values['name'] ?? '' } });
  const { name, repositories, nodeCount, activeRuns, health, yaml, recentRuns } = workflow;
  return {
    data: workflow,
    lines: [
      paint.bold(name),
      ...facts([['repositories', repositories.join(', ') || 'none'], ['nodes', String(nodeCount)], ['active', String(activeRuns)], ['health', health]], room, paint.dim),
      ...repair(workflow),
      ...(recentRuns.length === 0 ? [] : ['', paint.bold('Recent runs'), ...runRows(recentRuns, { paint, room, now: io.now() })]),
      '',
      paint.bold('YAML'),
      ...manyLines(yaml).trimEnd().split('\n').map((line) => `  ${line}`),
    ],
  };
}
