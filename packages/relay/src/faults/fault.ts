/**
 * Named fault points: places where a test makes the server die. In a process without `RELAY_FLOW_FAULT` the call is a comparison with `undefined`.
 *
 * `RELAY_FLOW_FAULT=<name>` or `<name>#<n>`: the process kills itself with SIGKILL the n-th time (default the first) it passes the point.
 */
const [armedName, armedCount] = (process.env['RELAY_FLOW_FAULT'] ?? '').split('#');
let left = Number(armedCount ?? 1);

/** In the order in which a ticket passes them. */
export const FAULT_POINTS = [
  'claim.before', 'claim.after', 'begin.row', 'begin.created',
  'mailboxes.after', 'start.shown', 'start.transition', 'start.workspace',
  'enter.guard', 'enter.transition', 'enter.workspace',
  'launch.before', 'launch.created', 'launch.noted',
  'report.before', 'report.signaled', 'report.noted',
  'settle.shown', 'settle.summary', 'settle.feedback', 'settle.mailbox', 'settle.rested',
  'finish.transition', 'finish.stopped', 'finish.shown',
  'approve.before', 'cancel.marked', 'cancel.stopped', 'cancel.commented', 'restart.commented',
] as const;

export type FaultPoint = (typeof FAULT_POINTS)[number];

export function fault(point: FaultPoint): void {
  if (armedName !== point) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
}
