import type { FlowHandle } from '@relayflows/surface';
import type { FlowsConfig } from '../flow/config.js';
import type { RunStatus } from '../journal/port.js';
import type { Diagnostic, RunReport } from '../run/report.js';
import type { RuntimeOptions } from '../run/runtime.js';
import type { Spend } from '../run/spend.js';
import type { Call, Script } from './script.js';

export interface SimulateOptions extends Script {
  /** The input of the flow. JSON. Default `null`. */
  readonly input?: unknown;
  /** When simulated time begins, as a date or in milliseconds since the epoch. Default 1 January 2030, 0:00 UTC. */
  readonly clock?: Date | number;
  /** The environment of the process that runs the flow: steps inherit it, and its secrets are redacted. Default: empty. */
  readonly env?: Readonly<Record<string, string>>;
  /** What `flows.json` says. Default: the file that applies to a sealed flow; for others `{ cli: 'claude' }`. */
  readonly config?: FlowsConfig;
  /** The children of a flow handle. Sealed and loaded flows bring their own. */
  readonly children?: readonly FlowHandle[];
  /** As in `createRuntime`. */
  readonly hooks?: RuntimeOptions['hooks'];
  /** As in `createRuntime`. Default 4. */
  readonly agentCapacity?: number;
  /**
   * The process that runs the flow dies once so many outcomes of steps are durable, before the flow sees the last of them, and the run is resumed from
   * its journal. `'each'`: after every outcome.
   */
  readonly crashAfter?: number | 'each';
}

/** A call that was made, and how it ended. */
export type SimulatedCall = Call & {
  /** Milliseconds of simulated time since the run began; absent for a question that nobody answered. */
  readonly end?: number;
  /** `answered`, whatever the answer was; stopped at its `timeout`, with its run (`canceled`), or lost with its process (`crash`). Absent with `end`. */
  readonly ending?: 'answered' | 'timeout' | 'canceled' | 'crash';
};

export interface SimulatedVerdict {
  readonly status: RunStatus;
  /** As in the report of a run. */
  readonly completionReason?: string;
  /** What `f.done` was told. */
  readonly detail?: string;
  /** The first thing that went wrong. */
  readonly cause?: Diagnostic;
}

/** What came of a simulated run. Times are milliseconds of simulated time since it began. */
export interface Simulation {
  /** Every call of a script, in the order of their beginning. */
  readonly calls: readonly SimulatedCall[];
  readonly phases: readonly { readonly name: string; readonly at: number }[];
  /** What a sealed or loaded flow wrote to its `console`. The console of an imported handle is that of its importer. */
  readonly printed: string;
  readonly verdict: SimulatedVerdict;
  readonly spend: Spend;
  readonly warnings: readonly { readonly code: string; readonly text: string; readonly stepId?: string }[];
  /** How long it took. */
  readonly elapsed: number;
  /** How often its process died. */
  readonly crashes: number;
  readonly report: RunReport;
}
