import { hostFlow } from '@relayflows/sdk';
import type { Activities } from '../../workflow/interpreter/activities.js';
import type { TicketRunInput } from '../../workflow/interpreter/input.js';
import { interpret } from '../../workflow/interpreter/interpret.js';
import { attemptId } from '../ids.js';

/** The name under which runs of tickets are registered in the journal. Their behaviour is numbered in `interpreter/flags.ts`, so the version stays. */
export const TICKET_FLOW = { name: 'ticket', version: '1' } as const;

/** The flow of all tickets. `activities` is asked for late, since the runtime must exist before what the activities need of it. */
export function ticketFlow(activities: () => Activities) {
  return hostFlow<TicketRunInput>(TICKET_FLOW.name, (f, input) => interpret(f, input, { runId: attemptId(input.logicalRunId, input.attempt), activities: activities() }));
}
