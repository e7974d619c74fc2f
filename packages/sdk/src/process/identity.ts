/** A process named so precisely that a later one with the same number is not mistaken for it. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the unit of the platform (Linux: clock ticks since boot, `/proc/<pid>/stat` field 22). Empty when it could not be read. */
  readonly startTime: string;
  /** The boot of the machine and, on Linux, the process-id namespace it runs in: numbers mean nothing across either. */
  readonly bootId: string;
}
