import { matchesIssue, type SourceFilters } from '@relayflows/surface';
import { memberOf } from '../ticket.js';

/** The tickets that this flow takes. */
export const FILTERS: SourceFilters = {
  github: {},
};

/** Why a ticket is not for this flow; empty when it is. */
export function unwanted(input: unknown): string {
  if (matchesIssue(memberOf(input, 'issue'), FILTERS)) return '';
  return `The ticket is not one that this flow takes. It takes: ${JSON.stringify(FILTERS)}`;
}
