import type { JsonValue } from '@relayflows/sdk';

/** One scope's settings as they stand in a file: root and repositories in config.yaml, workflow and node in the workflow. Never holds a null. */
export type TaskConfigLayer = Readonly<Record<string, JsonValue>>;

/** Where a layer stands. Later ones win: adapter's lifecycle default < root < repo < workflow < node. */
export type TaskConfigScope = 'root' | 'repo' | 'workflow' | 'node';

/** What every task system understands, after all layers were merged and checked strictly. */
export interface TaskConfig {
  /** Who gets mailboxes; empty: nobody. Says nothing about which tickets are picked up. */
  readonly assignee?: string;
  readonly filters: {
    /** Any of them, exact. Absent or empty: all. */
    readonly parentStatuses?: readonly string[];
    /** Any of them, exact. */
    readonly issueTypes?: readonly string[];
    /** All of them. */
    readonly labels?: readonly string[];
    /** Any of them, case-insensitive; the only control by person. `currentUser()` is who the server signs in as. */
    readonly assignees?: readonly string[];
  };
  readonly transitionTo: { readonly parentStatus?: string; readonly taskStatus?: string };
  readonly templates: { readonly mailboxDescription?: string; readonly summaryComment?: string; readonly feedbackComment?: string };
  /** The keys that only this task system has, such as `ticketsDir` or `statusDefaults`. */
  readonly own: TaskConfigLayer;
}

/** The moments at which a ticket's status may change. */
export type LifecyclePoint = 'start' | 'work' | 'complete' | 'end' | 'recovery';
