import type { Ticket } from './ticket.js';

/** What is known so far. Each stage adds what it found out. */
export interface Work {
  ticket: Ticket;
  /** The commit that the branch grew from. */
  base: string;
  /** Where the check script came from: 'repository', 'discovered' or 'default'; empty when there is none. */
  checkSource: string;
  /** How the checks ended on the branch: 'pass', 'fail', 'timeout', 'none', 'unrunnable', or 'skipped'. */
  check: string;
  /** How they ended on the base commit, when that was asked; else 'skipped'. */
  baseCheck: string;
  /** Variables of the host that the checks may see although they look like credentials. */
  checkEnv: string[];
  /** The check script had to be repaired. */
  repaired: boolean;
  /** What the repair agent says it did. */
  notes: string;
  /** Why the implementer did not finish; empty when it did. */
  stopped: string;
  /** Milliseconds that steps took so far. */
  spent: number;
  /** The change request, once it is open. */
  url: string;
}

export function newWork(ticket: Ticket, checkEnv: string[]): Work {
  return {
    ticket,
    base: '',
    checkSource: '',
    check: 'skipped',
    baseCheck: 'skipped',
    checkEnv,
    repaired: false,
    notes: '',
    stopped: '',
    spent: 0,
    url: '',
  };
}
