import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { RelayError } from '../../errors/relay-error.js';
import { workflowError } from '../../workflow/problem.js';
import type { CommandContext, Shown } from '../command.js';
import { problemList } from '../view/problem-list.js';
import { readWorkflowFile } from '../workflow-file.js';

export async function execute(context: CommandContext): Promise<Shown> {
  const { invocation: { values }, io, asJson, paint, room } = context;
  const { parsed } = await readWorkflowFile(context);
  if ('problems' in parsed) {
    if (!asJson) io.err.write(`${problemList(parsed.problems, 'error', paint, room).join('\n')}\n\n`);
    throw workflowError(parsed.problems);
  }
  const format = values['format'] ?? 'mermaid';
  const graph = format === 'svg' ? (await import('../../workflow/graph/svg.js')).toSvg(parsed.workflow) : (await import('../../workflow/graph/mermaid.js')).toMermaid(parsed.workflow);
  const output = values['output'];
  if (output === undefined) return { data: { format, graph }, lines: [graph.trimEnd()] };
  const path = resolve(io.cwd, output);
  try {
    writeFileSync(path, graph);
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    throw new RelayError('request_invalid', `${path} cannot be written: ${code}.`, { hint: 'Name another file with --output.', evidence: { path, errno: code }, cause });
  }
  return { data: { format, path }, lines: [`The graph of ${parsed.workflow.name} is in ${path}.`] };
}
