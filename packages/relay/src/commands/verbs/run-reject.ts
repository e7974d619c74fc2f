import { RelayError } from '../../errors/relay-error.js';
import { asking } from '../ask.js';
import type { CommandContext, Shown } from '../command.js';
import { ofTicket, ticketWords } from '../of-ticket.js';
import { oneLine } from '../text/clean.js';
import { proposalLines } from '../view/proposal.js';

export async function execute(context: CommandContext): Promise<Shown> {
  const { client, io, asJson, paint, room, invocation: { values } } = context;
  const at = ofTicket(context);
  const { proposal, ticket, state, currentNode } = await client().call('getRun', at);
  if (proposal === null) {
    if (state !== 'blocked') throw noProposal(context, ticket.key);
    // An agent that was given up: the server knows whether it can be started again.
    const { reason } = values;
    const again = await client().call('rejectRun', { ...at, body: reason === undefined ? {} : { reason } });
    return { data: again, lines: [`${currentNode === null ? 'The agent' : `The agent of ${oneLine(currentNode)}`} is started again.`] };
  }
  let reason = values['reason'];
  if (reason === undefined && io.canAsk && !asJson) {
    io.err.write(`${proposalLines(proposal, { paint, room, now: io.now() }).join('\n')}\n`);
    reason = await (await asking(`Send the report of ${proposal.node} back`)).text('What is wrong with it, for the agent?', { optional: true });
  }
  const run = await client().call('rejectRun', { ...at, body: { reportId: proposal.reportId, ...(reason === undefined || reason === '' ? {} : { reason }) } });
  return { data: run, lines: [`The report of ${proposal.node} goes back to its agent. The run of ${oneLine(ticket.key)} waits for another one.`] };
}

export function noProposal(context: CommandContext, key: string): RelayError {
  return new RelayError('run_conflict', `No report of ${oneLine(key)} waits for a decision.`, { hint: `See where it stands with \`relay-flow run get ${ticketWords(context)}\`.` });
}
