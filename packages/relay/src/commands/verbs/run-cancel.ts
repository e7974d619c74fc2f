import type { CommandContext, Shown } from '../command.js';
import { ofTicket, ticketWords } from '../of-ticket.js';
import { oneLine } from '../text/clean.js';

export async function execute(context: CommandContext): Promise<Shown> {
  const { reason } = context.invocation.values;
  const run = await context.client().call('cancelRun', { ...ofTicket(context), body: reason === undefined ? {} : { reason } });
  const key = oneLine(run.ticket.key);
  if (run.state === 'completed') return { data: run, lines: [`The run of ${key} had ended before it could be canceled.`] };
  return { data: run, lines: [run.state === 'canceling' ? `The run of ${key} is being canceled.` : `The run of ${key} is canceled.`], notes: [`Its workspace, comments and statuses are as they were. Begin again with \`relay-flow run restart ${ticketWords(context)}\`.`] };
}
