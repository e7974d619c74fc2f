import { processTable } from './process-table.js';

/** A process named so precisely that a later one with the same number is not mistaken for it. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the unit of the platform (Linux: clock ticks since boot, `/proc/<pid>/stat` field 22). Empty when it could not be read. */
  readonly startTime: string;
  /** The boot of the machine and, on Linux, the process-id namespace it runs in: numbers mean nothing across either. */
  readonly bootId: string;
}

let own: ProcessIdentity | undefined;

/** The identity of this process. Read once. */
export function ownIdentity(): ProcessIdentity {
  return (own ??= identityOf(process.pid) ?? { pid: process.pid, startTime: '', bootId: processTable.bootId() });
}

/** The identity of a living process, or `undefined` when there is none of this number. Its start time is empty when it cannot be read. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const entry = processTable.find(pid);
  if (entry === undefined) return undefined;
  return { pid, startTime: entry === 'hidden' ? '' : entry.startTime, bootId: processTable.bootId() };
}

/**
 * Whether a process lives. A zombie does not. `undefined` when it cannot be told: it belongs to another boot (or machine) or to another process-id
 * namespace, or this process may not look at it. For another boot, {@link isOfAnotherBoot} tells more.
 */
export function isAlive(identity: ProcessIdentity): boolean | undefined {
  if (identity.bootId !== processTable.bootId()) return undefined;
  const entry = processTable.find(identity.pid);
  if (entry === undefined) return false;
  if (entry === 'hidden' || identity.startTime === '') return undefined;
  return entry.startTime === identity.startTime;
}

/**
 * Whether a process was started under another boot than the present one. On the machine it ran on, that proves it dead, so a caller compares host
 * names as well. False when either boot is unknown.
 */
export function isOfAnotherBoot(identity: ProcessIdentity): boolean {
  const then = bootOf(identity.bootId);
  const now = bootOf(processTable.bootId());
  return then !== '' && now !== '' && then !== now;
}

function bootOf(bootId: string): string {
  return bootId.split('/', 1)[0] ?? '';
}
