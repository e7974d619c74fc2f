import { findReport, parseReport, reportProblems, type Report, type Routes } from 'relay-flow-plugin/report';
import type { TurnEnd } from '../port.js';

/** What a finished turn leads to. */
export type Judgement =
  | { readonly is: 'report'; readonly report: Report; readonly text: string }
  /** It said something, and that is no report of this node. */
  | { readonly is: 'invalid'; readonly problems: readonly string[] }
  /** It gave nothing to read. */
  | { readonly is: 'failed'; readonly problem: string }
  /** Pointless before then. */
  | { readonly is: 'limited'; readonly until: number; readonly reason: string }
  /** The session to go on with does not exist. */
  | { readonly is: 'session lost'; readonly reason: string };

/** A limit that says it is over already, and is met again, would be asked without a pause. */
const SHORTEST_LIMIT_MS = 60_000;

/** Judges a turn by what its harness read. Pure. A turn that failed has no report, whatever it printed before. */
export function judge(end: TurnEnd, routes: Routes, now: number): Judgement {
  const failure = end.failure ?? (end.text === undefined ? 'The agent ended without an answer.' : undefined);
  if (end.notBefore !== undefined) return { is: 'limited', until: Math.max(end.notBefore, now + SHORTEST_LIMIT_MS), reason: failure ?? 'A limit of use is reached.' };
  if (failure !== undefined) return end.sessionLost === true ? { is: 'session lost', reason: failure } : { is: 'failed', problem: failure };
  const text = findReport(end.text ?? '');
  // Asked about everything that was said, the grammar tells what is missing.
  const parsed = parseReport(text ?? end.text ?? '');
  if (!parsed.ok) return { is: 'invalid', problems: parsed.problems };
  const problems = reportProblems(parsed.report, routes);
  return problems.length === 0 ? { is: 'report', report: parsed.report, text: text ?? end.text ?? '' } : { is: 'invalid', problems };
}
