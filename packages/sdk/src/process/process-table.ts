import { procTable } from './proc-table.js';
import { psTable } from './ps-table.js';

/** One living process. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** In the unit of {@link ProcessIdentity.startTime}. */
  readonly startTime: string;
}

export interface MarkedEntry extends ProcessEntry {
  /** The value of `RELAYFLOW_SCOPE` in its environment. */
  readonly scope: string;
}

/** What the system tells about processes. A zombie is not alive, so it is in no answer. */
export interface ProcessTable {
  /** One process, or `undefined` when there is none. `hidden`: it exists, and this process may not look at it. */
  find(pid: number): ProcessEntry | 'hidden' | undefined;
  all(): readonly ProcessEntry[];
  /** Every process that this one may look at and whose environment carries a scope. */
  marked(): readonly MarkedEntry[];
  /** The command line in one line, shortened; empty when it cannot be read. */
  command(pid: number): string;
  /** The boot and, on Linux, the process-id namespace, joined by a slash; empty when the system tells neither. */
  bootId(): string;
}

export const processTable: ProcessTable = process.platform === 'linux' ? procTable : psTable;
