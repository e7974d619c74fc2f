import { shellWord } from '../host/shell-word.js';
import type { CommandContext } from './command.js';

/** Which ticket a command is about, as its calls want it. */
export function ofTicket({ invocation: { values } }: CommandContext): { readonly params: { readonly key: string }; readonly query: { readonly repo?: string } } {
  const { ticket = '', repo } = values;
  return { params: { key: ticket }, query: repo === undefined ? {} : { repo } };
}

/** `--ticket ABC-12`, as a shell reads it. */
export function ticketWords(context: Pick<CommandContext, 'invocation'>): string {
  const { ticket = '', repo } = context.invocation.values;
  return `--ticket ${shellWord(ticket)}${repo === undefined ? '' : ` --repo ${shellWord(repo)}`}`;
}
