import { FlowsError } from '../errors/flows-error.js';

const LONGEST_ID = 512;

/** Why an id that a host chose for a run is refused. What is allowed may stand in a table, a terminal and an environment as it is; paths are made of `runFolder`. */
export function runIdProblem(id: unknown): FlowsError | undefined {
  const refusal = (what: string): FlowsError => new FlowsError('invalid_invocation', `The id of a run ${what}.`, { hint: `Give 1 to ${LONGEST_ID} characters without control characters, or no id.` });
  if (typeof id !== 'string' || id === '') return refusal('is empty');
  if (id.length > LONGEST_ID) return refusal(`has ${id.length} characters`);
  return /[\p{Cc}\p{Cs}]/u.test(id) ? refusal('contains control characters') : undefined;
}
