import type { NodeEnvironment } from './environment.js';
import { correction, END, parseReport, reportProblems, type Report } from './report/index.js';

/** The last message of an agent, once its session has become idle. */
export interface FinishedTurn {
  readonly sessionId: string;
  readonly messageId: string;
  readonly text: string;
  /** A person stopped it, or it ended with an error: then nothing follows from what it says, not even from a whole report. */
  readonly aborted: boolean;
}

export type TurnDecision =
  | { readonly do: 'nothing' }
  | { readonly do: 'deliver'; readonly report: Report }
  /** A person approves or rejects exactly this report. */
  | { readonly do: 'ask'; readonly report: Report }
  /** The agent is sent this text. */
  | { readonly do: 'correct'; readonly text: string };

/** How many labels make talk with a person an attempt at a report: one alone also occurs in what people write. */
const LABELS_OF_AN_ATTEMPT = 2;

/** What follows from a finished turn. Pure: that a turn is decided upon only once is up to {@link HandledTurns}. */
export function decideTurn(node: NodeEnvironment, turn: FinishedTurn): TurnDecision {
  if (turn.aborted) return { do: 'nothing' };
  const parsed = parseReport(turn.text);
  const problems = parsed.ok ? certainProblems(node, parsed.report) : parsed.problems;
  if (parsed.ok && problems.length === 0) {
    const { report } = parsed;
    const asks = node.nodeType === 'hitl' && !(node.autoReject && report.status === 'failure');
    return { do: asks ? 'ask' : 'deliver', report };
  }
  if (node.nodeType === 'hitl' && parsed.labels < LABELS_OF_AN_ATTEMPT) return { do: 'nothing' };
  return { do: 'correct', text: correction(problems, node.reportFormat) };
}

/** What the server would refuse whatever the routes of either status are, so that nobody approves what cannot be taken. The rest is for the server to say. */
function certainProblems({ targets }: NodeEnvironment, report: Report): readonly string[] {
  const { nextStep, status } = report;
  if (targets.length > 0 && !targets.includes(nextStep)) return [`NEXT STEP ${JSON.stringify(nextStep.slice(0, 80))} is none of the names that can be chosen here.`];
  const step = [{ target: nextStep }];
  if (status === 'failure' && nextStep === END) return [`A failure may not choose ${END} as NEXT STEP.`];
  return reportProblems(report, { success: step, failure: step });
}

/** What identifies a report to the server, and a turn here. */
export function reportIdOf({ sessionId, messageId }: Pick<FinishedTurn, 'sessionId' | 'messageId'>): string {
  return `${sessionId}:${messageId}`;
}

/** The turns that were decided upon. Hosts announce one turn more than once. */
export class HandledTurns {
  readonly #ids = new Set<string>();

  /** True for the first who asks about a message, who then must act on it. */
  take(turn: FinishedTurn): boolean {
    const id = reportIdOf(turn);
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    return true;
  }
}

/** The approval that a person is asked for: of one message of one session, until a newer one takes its place. */
export class OpenApproval {
  #id: string | undefined;

  open(turn: FinishedTurn): void {
    this.#id = reportIdOf(turn);
  }

  /** Whether it was open for this message; it is not any more. */
  close(turn: FinishedTurn): boolean {
    const was = this.#id === reportIdOf(turn);
    if (was) this.#id = undefined;
    return was;
  }

  /** Whatever is open is not valid any more. */
  invalidate(): void {
    this.#id = undefined;
  }
}
