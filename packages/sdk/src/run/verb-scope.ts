import type { FlowHeader } from '@relayflows/surface';
import type { AgentServices } from '../agents/services.js';
import type { FlowsConfig } from '../flow/config.js';
import type { RunFacts } from './step-spec.js';

/** What a verb knows while it lowers a call. */
export interface VerbScope {
  /** Of the flow whose body makes the call. */
  readonly header: FlowHeader;
  /** The nearest `flows.json`. */
  readonly config: FlowsConfig | undefined;
  readonly run: RunFacts;
  readonly agents: AgentServices;
}
