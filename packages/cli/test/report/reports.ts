import type { RunReport } from '@relayflows/sdk';
import type { LineStyle } from '../../src/report/report-lines.js';
import { NO_COLORS } from '../../src/text/colors.js';

export const NOW = new Date(2031, 3, 1, 12, 0, 0).getTime();

export const STYLE: LineStyle = { colors: NO_COLORS, command: (args) => `flows ${args}`, now: NOW };

/** A run that succeeded, changed as a test needs it. */
export function report(changes: Partial<RunReport> = {}): RunReport {
  return {
    ok: true,
    runId: '01run',
    rootRunId: '01run',
    flowName: 'ticket',
    status: 'completed',
    completionReason: 'success',
    completedSteps: 2,
    humanWaits: [],
    diagnostics: [],
    resolutions: [],
    spend: { wallclock: 3_000, tokens: 0, microDollars: 0 },
    startedAt: NOW - 5_000,
    endedAt: NOW,
    steps: [],
    ...changes,
  };
}

/** The same without a reason: it has not ended. */
export function unfinished(changes: Partial<RunReport>): RunReport {
  const { completionReason: _, endedAt: __, ...rest } = report();
  return { ...rest, ok: false, ...changes };
}
