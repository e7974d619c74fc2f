import { readReportMessage } from 'relay-flow-plugin/report';
import { RelayError } from '../../errors/relay-error.js';
import type { CommandContext } from '../command.js';
import { deliver } from '../deliver.js';

export function execute(context: CommandContext): Promise<number> {
  return deliver(context, ({ text, json }, timeoutMs) => {
    const read = readReportMessage(json);
    // With an address the server decides: a report that it has accepted before is acknowledged whatever it says.
    if (!read.ok && read.address === undefined) throw new RelayError('report_invalid', read.problems.join(' '));
    return context.client().send('deliverReport', text, { timeoutMs });
  });
}
