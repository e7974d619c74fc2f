import type { StepRecord } from '../journal/port.js';
import { formatDuration } from './duration.js';
import { describeCommand, shorten } from '../verbs/titles.js';

/** One line that tells a person what a step does. It is made of redacted options, since cutting comes after redaction. */
export function titleOf(row: Pick<StepRecord, 'kind' | 'label' | 'request'>): string {
  const request = (typeof row.request === 'object' && row.request !== null ? row.request : {}) as Partial<Record<string, unknown>>;
  const text = (key: string): string | undefined => (typeof request[key] === 'string' ? request[key] : undefined);
  switch (row.kind) {
    case 'run':
      return describeCommand(text('command') ?? '');
    case 'agent':
      return shorten(`${row.label ?? 'agent'}: ${text('task') ?? ''}`);
    case 'llm':
      return shorten(text('prompt') ?? 'llm');
    case 'human':
      return shorten(text('question') ?? '');
    case 'sleep':
      return typeof request['ms'] === 'number' ? `sleep ${formatDuration(request['ms'])}` : 'sleep';
    default:
      return row.label ?? row.kind;
  }
}
