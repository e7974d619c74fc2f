import type { Report } from 'relay-flow-plugin/report';
import type { WorkflowDefinition } from '../definition.js';

/** The input of a ticket's run: everything that does not change while it goes on, and where it stands after a snapshot. Plain JSON. */
export interface TicketRunInput {
  /** The interpreter's behaviours that this run was begun with; see `flags.ts`. */
  readonly flags: readonly number[];
  /** `repo/workflow/ticket`, each part URL-escaped. */
  readonly logicalRunId: string;
  /** From 1. */
  readonly attempt: number;
  readonly repo: string;
  /** As it was when the run began: a later submission does not change a run. */
  readonly workflow: WorkflowDefinition;
  readonly ticket: { readonly id: string; readonly key: string; readonly title: string };
  /** Absent until the first snapshot. */
  readonly state?: WalkState;
}

/** Where a run stands between two nodes. */
export interface WalkState {
  /** The node to be entered next. */
  readonly node: string;
  /** Keys of the mailboxes by node. */
  readonly mailboxes: Readonly<Record<string, string>>;
  /** How often each node was entered. */
  readonly visits: Readonly<Record<string, number>>;
  /** The number of the last row of the path. */
  readonly sequence: number;
  /** What the node before has to say to the next one; absent after `start`. */
  readonly handover?: Handover;
}

export interface Handover {
  readonly node: string;
  readonly visitId: string;
  readonly report: Report;
}

/** One entry into a work node. */
export interface Visit {
  readonly node: string;
  /** 32 hexadecimal digits. */
  readonly visitId: string;
  /** The row of the path. */
  readonly sequence: number;
  readonly parentSequence: number;
  /** How often the node had been entered before. */
  readonly depth: number;
  readonly mailbox: string;
  readonly handover?: Handover;
}

/** What ends, or changes, the wait of a visit. Sent to the mailbox `visit:<visit id>` of the run. */
export type VisitMessage =
  | { readonly type: 'report'; readonly reportId: string; readonly report: Report }
  /** The terminal or process is gone, or a person wants another try: start it again in the same visit. */
  | { readonly type: 'relaunch'; readonly remark?: string };

/** The name of a visit's mailbox. One per visit: a late message reaches nobody. */
export function visitSignal(visitId: string): string {
  return `visit:${visitId}`;
}
