/** The label that binds a ticket to a workflow begins like this. */
const WORKFLOW = 'wf:';
/** The one that says whose claim it is. */
const OWNER = 'wf-owner:';

export function isClaimed(labels: readonly string[]): boolean {
  return labels.some((label) => label.startsWith(WORKFLOW));
}

/** Whether somebody else was faster: of two servers that claim a ticket at once, the second leaves it alone. */
export function isTaken(present: readonly string[], wanted: readonly string[]): boolean {
  return present.some((label) => (label.startsWith(WORKFLOW) || label.startsWith(OWNER)) && !wanted.includes(label));
}
