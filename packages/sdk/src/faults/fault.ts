/**
 * Named fault points: places where a test makes the process die. In a process without `RELAYFLOWS_FAULT` the call is a comparison with `undefined`.
 *
 * `RELAYFLOWS_FAULT=<name>` or `<name>#<n>`: the process kills itself with SIGKILL the n-th time (default the first) it passes the point.
 */
const [armedName, armedCount] = (process.env['RELAYFLOWS_FAULT'] ?? '').split('#');
let left = Number(armedCount ?? 1);

export type FaultPoint =
  | 'flow.module.before-rename'
  | 'executor.started.before'
  | 'executor.started.after'
  | 'executor.effect.inside'
  | 'executor.effect.after'
  | 'executor.delivered'
  | 'executor.parked'
  | 'executor.finish.before'
  | 'executor.finish.after'
  | 'journal.completed.before-commit'
  | 'journal.completed.inside'
  | 'journal.completed.after-commit'
  | 'executor.continue.before'
  | 'executor.continue.after'
  | 'journal.continue.before-commit'
  | 'journal.continue.after-commit'
  | 'journal.migration.inside'
  | 'journal.migration.before-commit'
  | 'journal.create.before-commit';

export function fault(point: FaultPoint): void {
  if (armedName !== point) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
}
