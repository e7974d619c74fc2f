import { count } from '../text/amounts.js';
import type { CommandContext, Shown } from '../command.js';
import { problemList } from '../view/problem-list.js';
import { readWorkflowFile } from '../workflow-file.js';

export async function execute(context: CommandContext): Promise<Shown> {
  const { paint, room } = context;
  const { name, parsed } = await readWorkflowFile(context);
  if ('problems' in parsed) {
    const { problems } = parsed;
    return { data: { valid: false, problems, warnings: [] }, lines: [...problemList(problems, 'error', paint, room), '', `${name} has ${count(problems.length, 'mistake')}.`], exit: 1 };
  }
  const { workflow, warnings } = parsed;
  const told = `${name} is a workflow: ${workflow.name}, ${count(Object.keys(workflow.nodes).length, 'node')}, for ${workflow.repos.join(', ')}.`;
  return { data: { valid: true, problems: [], warnings, workflow }, lines: [...problemList(warnings, 'warning', paint, room), ...(warnings.length === 0 ? [] : ['']), told] };
}
