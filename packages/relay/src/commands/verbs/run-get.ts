import type { CommandContext, Shown } from '../command.js';
import { ofTicket, ticketWords } from '../of-ticket.js';
import { runDetailLines } from '../view/run-detail.js';

export async function execute(context: CommandContext): Promise<Shown> {
  const { client, paint, room, io } = context;
  const run = await client().call('getRun', ofTicket(context));
  return { data: run, lines: runDetailLines(run, { paint, room, now: io.now() }, ticketWords(context)) };
}
