/** What an agent says at the end of its node; the only thing that moves a run. Every text is non-empty; {@link NONE} marks one with nothing to say. */
export interface Report {
  readonly status: ReportStatus;
  /** The name of the next node, or {@link END}. */
  readonly nextStep: string;
  readonly summary: ReportSummary;
  readonly feedback: ReportFeedback;
}

export type ReportStatus = 'success' | 'failure';

/** What was done, for those who read the ticket. */
export interface ReportSummary {
  readonly completed: string;
  readonly commits: string;
  readonly notCompleted: string;
  readonly issuesDiscovered: string;
  readonly verification: string;
  readonly notes: string;
}

/** What the next node must know. */
export interface ReportFeedback {
  readonly reasonForNextStep: string;
  readonly requiredActions: string;
  readonly relevantContext: string;
  readonly expectedResult: string;
}

/** A route of a node: its target, and when an agent should choose it. */
export interface NextStep {
  readonly target: string;
  readonly when?: string;
}

/** The routes of one node, by the status that may choose them. */
export interface Routes {
  readonly success: readonly NextStep[];
  readonly failure: readonly NextStep[];
}

/** The exact text of a section in which there is nothing to say. */
export const NONE = 'None';

/** The node at which a ticket's run ends: nobody comes after it, so it takes no feedback. */
export const END = 'end';
