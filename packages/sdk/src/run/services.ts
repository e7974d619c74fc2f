import type { FlowHeader } from '@relayflows/surface';
import type { AgentServices } from '../agents/services.js';
import type { FlowsConfig } from '../flow/config.js';
import type { Journal, Claim } from '../journal/port.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import type { Redactor } from '../ports/redactor.js';
import type { Shell } from '../process/port.js';
import type { RunEvent } from './events.js';
import type { JournalWriter } from './journal-writer.js';
import type { Machine } from './machine.js';
import type { RunFacts } from './step-spec.js';
import type { HookImplementation } from './runtime.js';
import type { Staying } from './staying.js';

/** What one runtime gives to all of its runs. */
export interface RuntimeServices {
  readonly journal: Journal;
  readonly writer: JournalWriter;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly redact: Redactor;
  readonly shell: Shell;
  readonly machine: Machine;
  readonly agents: AgentServices;
  readonly hooks: ReadonlyMap<string, readonly HookImplementation[]>;
  readonly replayStallMs: number;
  readonly parkAfterMs: number;
  readonly staying: Staying;
}

/** What the parts of one session of one run share. */
export interface SessionFacts {
  readonly services: RuntimeServices;
  readonly claim: Claim;
  readonly run: RunFacts;
  readonly config: FlowsConfig | undefined;
  /** As the header of the root flow says it. */
  readonly budget: FlowHeader['budget'];
  readonly emit: (event: SessionEvent) => void;
  readonly warn: (code: string, text: string, stepId?: string) => void;
}

/** An event before the session adds the run and the time. */
export type SessionEvent = RunEvent extends infer E ? (E extends RunEvent ? Omit<E, 'runId' | 'at'> : never) : never;
