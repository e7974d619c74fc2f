import { FlowsError } from '../errors/flows-error.js';

export function missingChange(forge: string, branch: string): FlowsError {
  return new FlowsError('change_not_found', `${forge} has no open change request of the branch ${branch}.`, { hint: 'Open one first: `relayflow-open-change --title <title> --body-file <file>`.', evidence: { branch } });
}
