import { oneLine } from '../text/clean.js';
import { workflowError } from '../../workflow/problem.js';
import type { CommandContext, Shown } from '../command.js';
import { problemList } from '../view/problem-list.js';
import { readWorkflowFile } from '../workflow-file.js';

export async function execute(context: CommandContext): Promise<Shown | number> {
  const { client, paint, room, io, asJson } = context;
  const { text, parsed } = await readWorkflowFile(context);
  if ('problems' in parsed) {
    // The server would say the same, one by one of it.
    if (!asJson) io.err.write(`${problemList(parsed.problems, 'error', paint, room).join('\n')}\n\n`);
    throw workflowError(parsed.problems);
  }
  const submitted = await client().call('submitWorkflow', { body: text });
  const { workflow, warnings } = submitted;
  return {
    data: submitted,
    lines: [`The workflow ${workflow.name} is stored. Tickets of ${workflow.repositories.join(', ')} are taken from now on.`],
    notes: warnings.map((warning) => `${paint.yellow('warning')} ${oneLine(warning)}`),
  };
}
