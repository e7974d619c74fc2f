import { readRegisterMessage } from 'relay-flow-plugin/report';
import { RelayError } from '../../errors/relay-error.js';
import type { CommandContext } from '../command.js';
import { deliver } from '../deliver.js';

export function execute(context: CommandContext): Promise<number> {
  return deliver(context, ({ text, json }, timeoutMs) => {
    const read = readRegisterMessage(json);
    if (!read.ok) throw new RelayError('request_invalid', read.problems.join(' '));
    return context.client().send('registerSession', text, { timeoutMs });
  });
}
