import type { CommandContext, Shown } from '../command.js';
import { ofTicket } from '../of-ticket.js';
import { oneLine } from '../text/clean.js';

export async function execute(context: CommandContext): Promise<Shown> {
  const taken = await context.client().call('claimTicket', ofTicket(context));
  const { ticket, workflow, repo, run } = taken;
  return {
    data: taken,
    lines: [`${oneLine(ticket)} is claimed by ${workflow} in ${repo} for this server.`],
    notes: [run === null ? 'It was canceled, so no run is begun.' : `Its run is ${run.state}.`],
  };
}
