import type { Ticket } from './ticket.js';

/** What is known so far. Each stage adds what it found out. */
export type Work = ReturnType<typeof newWork>;

export function newWork(ticket: Ticket, approver: string, checkEnv: string[]) {
  return {
    ticket,
    approver,
    checkEnv,
    /** The commit that the branch grew from. */
    base: '',
    /** Where the check script came from: input, repository, discovered or default; empty when there is none. */
    checkSource: '',
    /** How the checks ended on the branch, and on the base when that was asked: the word of their part. */
    check: 'skipped',
    baseCheck: 'skipped',
    /** Whether the check script had to be repaired, and what the repair agent says it did. */
    repaired: false,
    notes: '',
    /** Why the implementer did not finish; empty when it did. */
    stopped: '',
    /** Milliseconds that steps took so far. */
    spent: 0,
    /** The change request, once it is open. */
    url: '',
  };
}
