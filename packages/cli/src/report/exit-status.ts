import type { RunReport } from '@relayflows/sdk';

export const EXIT = { success: 0, failed: 1, refused: 2, parked: 3 } as const;

/** What a stopping signal makes of the exit status, as a shell does: 128 and its number. */
export const SIGNAL_EXIT = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
export type StoppingSignal = keyof typeof SIGNAL_EXIT;

/** The exit status of a command that executed a run. `stoppedBy` is the signal that stopped it. */
export function exitStatus(report: RunReport, stoppedBy?: StoppingSignal): number {
  const asleep = report.status === 'parked' && report.wakeAt !== undefined && report.humanWaits.length === 0;
  if (report.status === 'interrupted' || (asleep && stoppedBy !== undefined)) return SIGNAL_EXIT[stoppedBy ?? 'SIGINT'];
  if (report.completionReason === 'success' || report.completionReason === 'declined') return EXIT.success;
  if (report.completionReason === 'needs_human' || report.status === 'parked') return EXIT.parked;
  return EXIT.failed;
}
