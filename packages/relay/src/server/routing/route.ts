import type { Ticket } from '../../task/port.js';
import { claimsOf, ownershipOf, type Claimant, type Ownership } from './claims.js';

/** A workflow as the router sees it in one repository. */
export interface Candidate {
  readonly name: string;
  /** Whether its filters pick the ticket up. */
  readonly matches: (ticket: Ticket) => boolean;
}

export type Routed =
  | { readonly type: 'no-match' }
  /** Nothing was changed: a person must make the filters exclude each other. */
  | { readonly type: 'ambiguous'; readonly workflows: readonly string[] }
  | { readonly type: 'invalid-claim'; readonly reason: string }
  | { readonly type: 'claim-owner-mismatch'; readonly workflow: string; readonly ownership: Exclude<Ownership, 'ours'> }
  | { readonly type: 'claim'; readonly workflow: string }
  | { readonly type: 'already-claimed'; readonly workflow: string };

/**
 * Which workflow walks a ticket. Pure. A claim is for good: filters count only until there is one. `candidates` are the healthy workflows of the repository.
 */
export function route(ticket: Ticket, args: Claimant & { readonly candidates: readonly Candidate[] }): Routed {
  const claims = claimsOf(ticket.labels);
  const [claimed, ...others] = claims.workflows;
  if (claimed === undefined) {
    // One that is blocked, or done, is nothing to begin with.
    if (ticket.done || ticket.blocked) return { type: 'no-match' };
    const fitting = args.candidates.filter(({ matches }) => matches(ticket)).map(({ name }) => name).toSorted();
    const [only] = fitting;
    if (only === undefined) return { type: 'no-match' };
    return fitting.length === 1 ? { type: 'claim', workflow: only } : { type: 'ambiguous', workflows: fitting };
  }
  if (others.length > 0) return { type: 'invalid-claim', reason: `It carries the claims of ${claims.workflows.length} workflows: ${claims.workflows.join(', ')}.` };
  if (!args.candidates.some(({ name }) => name === claimed)) return { type: 'invalid-claim', reason: `It is claimed by ${claimed}, which is no healthy workflow of this repository.` };
  const ownership = ownershipOf(claims, claimed, args);
  return ownership === 'ours' ? { type: 'already-claimed', workflow: claimed } : { type: 'claim-owner-mismatch', workflow: claimed, ownership };
}
