import type { Ctx } from '@relayflows/surface';
import { checkCommand } from './settings.js';
import { readTicket, referenceOf, slugOf, textOf, variablesOf } from './ticket.js';

/** The context of the run, and what is known so far. Each stage adds what it found out; shell parts get the texts. */
export type Work = ReturnType<typeof newWork>;

export function newWork(f: Ctx, input: unknown) {
  const ticket = readTicket(input);
  return {
    f,
    ticket,
    title: ticket.title,
    reference: referenceOf(ticket),
    slug: slugOf(ticket),
    reviewer: textOf(input, 'approver'),
    checkCommand: textOf(input, 'checkCommand') || checkCommand.trim(),
    /** Variables that look like credentials, and that checks need. */
    checkEnv: variablesOf(input, 'checkEnv'),
    /** The commit that the branch grew from. */
    base: '',
    /** Where the check script came from: input, repository, discovered, default, or nowhere. */
    checkSource: '',
    /** How the checks ended on the branch, and on its base. */
    checkResult: 'skipped',
    baseResult: 'skipped',
    /** Whether the script was repaired, and what is said of that. */
    checkRepaired: '',
    checkNotes: '',
    /** What the implementer said last, and why it did not finish, if so. */
    told: { summary: '', stopped: '' },
    /** What the last part told. */
    heard: '',
    /** Milliseconds that steps took so far. */
    spent: 0,
    /** The change request, once it is open. */
    url: '',
  };
}
