import type { WorkflowSummary } from '../../server/answers.js';
import type { CommandContext, Shown } from '../command.js';
import { since } from '../text/amounts.js';
import { oneLine } from '../text/clean.js';
import { grid } from '../text/columns.js';

export async function execute({ client, paint, room, io }: CommandContext): Promise<Shown> {
  const workflows = await client().call('listWorkflows', {});
  if (workflows.length === 0) return { data: workflows, lines: [], notes: ['No workflow is stored. Submit one with `relay-flow workflow submit --file <path>`.'] };
  const [head = '', ...rows] = grid(
    [{ title: 'workflow' }, { title: 'repositories', least: 12 }, { title: 'nodes', right: true }, { title: 'active', right: true }, { title: 'last run', least: 12 }, { title: 'health' }],
    workflows.map(({ name, repositories, nodeCount, activeRuns, latestRun, health }) => [name, repositories.join(', '), String(nodeCount), String(activeRuns), latestRun === null ? '' : `${oneLine(latestRun.ticket.key)} ${since(latestRun.updatedAt, io.now())}`, health]),
    room,
  );
  return { data: workflows, lines: [paint.dim(head), ...rows, ...workflows.flatMap((workflow) => repair(workflow))] };
}

/** Nothing for a healthy one. */
export function repair({ name, health, reason, repair: command }: Pick<WorkflowSummary, 'name' | 'health' | 'reason' | 'repair'>): string[] {
  if (health === 'healthy') return [];
  return ['', `${name} is ${health}, so its tickets are not taken: ${oneLine(reason ?? 'no reason is known')}`, ...(command === null ? [] : [`  ${oneLine(command)}`])];
}
