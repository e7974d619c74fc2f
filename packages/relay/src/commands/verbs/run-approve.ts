import { shellWord } from '../../host/shell-word.js';
import { asking } from '../ask.js';
import { Left, UsageError, type CommandContext, type Shown } from '../command.js';
import { ofTicket, ticketWords } from '../of-ticket.js';
import { oneLine } from '../text/clean.js';
import { proposalLines } from '../view/proposal.js';
import { noProposal } from './run-reject.js';

export async function execute(context: CommandContext): Promise<Shown> {
  const { client, invocation: { values } } = context;
  const at = ofTicket(context);
  const reportId = values['report-id'] ?? (await decided(context));
  const run = await client().call('approveRun', { ...at, body: { reportId } });
  return { data: run, lines: [`The report is accepted. The run of ${oneLine(run.ticket.key)} goes on.`] };
}

/** The report that was shown and accepted: what is approved is what was read, even when another one came in meanwhile. */
async function decided(context: CommandContext): Promise<string> {
  const { client, invocation: { switches }, io, paint, room, asJson } = context;
  const { proposal, ticket } = await client().call('getRun', ofTicket(context));
  if (proposal === null) throw noProposal(context, ticket.key);
  if (!asJson) io.err.write(`${proposalLines(proposal, { paint, room, now: io.now() }).join('\n')}\n\n`);
  if (switches.has('yes')) return proposal.reportId;
  if (!io.canAsk) {
    throw new UsageError('Nobody can be asked here whether the report shall be accepted.', `Read it, then add \`--report-id ${shellWord(proposal.reportId)}\`, or \`--yes\` to accept whatever waits: \`relay-flow run approve ${ticketWords(context)}\`.`);
  }
  const ask = await asking(`The report of ${proposal.node}`);
  if (await ask.confirm('Accept it and go on?')) return proposal.reportId;
  io.err.write(`Nothing was done. Send it back with \`relay-flow run reject ${ticketWords(context)}\`.\n`);
  throw new Left();
}
