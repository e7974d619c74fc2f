import type { CommandContext, Shown } from '../command.js';
import { ofTicket } from '../of-ticket.js';
import { oneLine } from '../text/clean.js';
import { PHASE_WORDS } from '../view/run-rows.js';

export async function execute(context: CommandContext): Promise<Shown> {
  const run = await context.client().call('restartRun', ofTicket(context));
  const begun = run.state === 'starting';
  return { data: run, lines: [`${oneLine(run.ticket.key)} is in its attempt ${run.attempt} (${PHASE_WORDS[run.phase]}).`], notes: begun ? [] : ['Only a canceled run is begun again: this one goes on as it was.'] };
}
