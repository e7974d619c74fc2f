import type { Report } from 'relay-flow-plugin/report';
import type { TicketRunInput, Visit } from './input.js';

/**
 * What the interpreter has done to the world. Each may happen twice (a crash between the effect and its record), so each looks first, or leaves a marker.
 * They throw `RelayError`; the interpreter tries again for ever.
 */
export interface Activities {
  /** Makes the mailboxes of all work nodes, in the order of their names. Answers with their keys by node. */
  ensureMailboxes(run: RunRef): Promise<Readonly<Record<string, string>>>;
  /** Of a later attempt: closes what the earlier left running and opens its mailboxes again. */
  reopen(run: RunRef & { readonly mailboxes: Readonly<Record<string, string>> }): Promise<void>;
  validateAgents(run: RunRef): Promise<void>;
  /** Shows the start, brings the ticket to its first state and makes the workspace. */
  enterStart(run: RunRef): Promise<void>;
  /** Shows the visit, publishes that it is the current one, brings mailbox and ticket to work, and makes the workspace. */
  enterNode(run: RunRef & { readonly visit: Visit }): Promise<void>;
  /** Has the node's agent running on this visit, whatever was there before. */
  launch(run: RunRef & { readonly visit: Visit; readonly launch: number; readonly remark?: string }): Promise<void>;
  /** A report was accepted: summary, then feedback for the next node, then the mailbox is done and the runtime put to rest. */
  settle(run: RunRef & { readonly visit: Visit; readonly mailboxes: Readonly<Record<string, string>>; readonly reportId: string; readonly report: Report }): Promise<void>;
  /** Shows the end, brings the ticket to its last state, closes what still runs, and removes the workspace if the workflow says so. */
  finish(run: RunRef & { readonly sequence: number; readonly parentSequence: number }): Promise<void>;
  /** Follows tries of the above. */
  readonly observer: ActivityObserver;
}

export interface RunRef {
  /** The attempt's id, which is the id of the run in the journal. */
  readonly runId: string;
  readonly input: TicketRunInput;
  /** The try before this one was lost with its process, so it may have taken effect. */
  readonly repeated: boolean;
  /** Aborted when the run is canceled or the server stops. */
  readonly signal: AbortSignal;
}

export interface ActivityObserver {
  failed(args: { readonly runId: string; readonly activity: string; readonly kind: string; readonly text: string; readonly hint?: string; readonly attempt: number; readonly delayMs: number }): void;
  succeeded(args: { readonly runId: string; readonly activity: string; readonly attempt: number }): void;
}
