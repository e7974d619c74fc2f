import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { RelayError } from '../errors/relay-error.js';
import type { TaskRules } from '../task/port.js';
import { parseWorkflow, type ParsedWorkflow } from '../workflow/parse.js';
import { UsageError, type CommandContext } from './command.js';

export interface WorkflowFile {
  /** As somebody named it. */
  readonly name: string;
  readonly text: string;
  readonly parsed: ParsedWorkflow;
}

const LARGEST = 1024 * 1024;

/** Reads and checks the YAML that `--file` names, its settings too where it is said what the task system takes. Throws `workflow_invalid` when it cannot be read; its mistakes are for the caller to show. */
export async function readWorkflowFile({ invocation: { values }, io }: Pick<CommandContext, 'invocation' | 'io'>, taskRules?: TaskRules): Promise<WorkflowFile> {
  const given = values['file'] ?? '';
  const rules = taskRules === undefined ? {} : { taskRules };
  if (given === '-') {
    const text = await io.input(LARGEST);
    if (text === undefined) throw new UsageError('Standard input has more than 1 MiB.', 'A workflow is a small file.');
    return { name: 'standard input', text, parsed: parseWorkflow(text, { file: 'standard input', ...rules }) };
  }
  const path = resolve(io.cwd, given);
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    throw new RelayError('workflow_invalid', code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read: ${code}.`, { hint: 'Name the YAML of the workflow with --file.', evidence: { path, errno: code }, cause });
  }
  return { name: given, text: bytes.toString('utf8'), parsed: parseWorkflow(bytes, { file: given, ...rules }) };
}
