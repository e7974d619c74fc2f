import type { ReportFeedback, ReportSummary } from './report.js';

/** The sections of a summary with their labels, in the order in which they are written. */
export const SUMMARY_FIELDS: readonly (readonly [label: Label, key: keyof ReportSummary])[] = [
  ['COMPLETED', 'completed'],
  ['COMMITS', 'commits'],
  ['NOT COMPLETED', 'notCompleted'],
  ['ISSUES DISCOVERED', 'issuesDiscovered'],
  ['VERIFICATION', 'verification'],
  ['NOTES', 'notes'],
];

/** The sections of feedback with their labels, in the order in which they are written. */
export const FEEDBACK_FIELDS: readonly (readonly [label: Label, key: keyof ReportFeedback])[] = [
  ['REASON FOR NEXT STEP', 'reasonForNextStep'],
  ['REQUIRED ACTIONS', 'requiredActions'],
  ['RELEVANT CONTEXT', 'relevantContext'],
  ['EXPECTED RESULT', 'expectedResult'],
];

export type Label =
  | 'STATUS' | 'NEXT STEP'
  | 'SUMMARY' | 'COMPLETED' | 'COMMITS' | 'NOT COMPLETED' | 'ISSUES DISCOVERED' | 'VERIFICATION' | 'NOTES'
  | 'FEEDBACK' | 'REASON FOR NEXT STEP' | 'REQUIRED ACTIONS' | 'RELEVANT CONTEXT' | 'EXPECTED RESULT';

export const SUMMARY_LABELS: readonly Label[] = SUMMARY_FIELDS.map(([label]) => label);
export const FEEDBACK_LABELS: readonly Label[] = FEEDBACK_FIELDS.map(([label]) => label);
/** The labels below the two headings; none of them is part of the four-field form. */
export const SECTION_LABELS: readonly Label[] = [...SUMMARY_LABELS, ...FEEDBACK_LABELS];
export const LABELS: readonly Label[] = ['STATUS', 'NEXT STEP', 'SUMMARY', ...SUMMARY_LABELS, 'FEEDBACK', ...FEEDBACK_LABELS];

const KNOWN: ReadonlySet<string> = new Set(LABELS);
const LONGEST = Math.max(...LABELS.map((label) => label.length));

/** A line that begins with a label, without its decoration: `**NEXT STEP:** review` is the label `NEXT STEP` with the value `review`. */
export interface LabelLine {
  readonly label: Label;
  readonly value: string;
}

const WORD = /[\p{L}\p{N}]/u;
const WORD_OR_COLON = /[\p{L}\p{N}:]/u;
/** Marks that open before a label and close after it or after its value. */
const EMPHASIS = '*_`~';

/** The label a line begins with, if it is one of the contract; upper case only. Takes time in proportion to the line. */
export function labelLine(line: string): LabelLine | undefined {
  const start = line.search(WORD_OR_COLON);
  if (start < 0 || line[start] === ':') return undefined;
  const label = knownAt(line, start);
  if (label === undefined) return undefined;
  const rest = line.slice(start + label.length);
  const colon = rest.search(WORD_OR_COLON);
  if (colon < 0 || rest[colon] !== ':') return undefined;
  const open = line.slice(0, start);
  return { label, value: undecorated(open, rest.slice(0, colon), rest.slice(colon + 1).trim()) };
}

/** Labels differ after their last letter at the latest, so the text up to the colon is one of them or none is. */
function knownAt(line: string, start: number): Label | undefined {
  const head = line.slice(start, start + LONGEST + 1);
  for (const label of LABELS) {
    if (!head.startsWith(label)) continue;
    const next = head[label.length];
    if (next === undefined || !WORD.test(next)) return label;
  }
  return undefined;
}

/** What opened before the label and has not closed before the colon closes at the start of the value, or at its end. */
function undecorated(open: string, betweenLabelAndColon: string, value: string): string {
  const marks = trailingMarks(open);
  if (marks === '' || betweenLabelAndColon.trimStart().startsWith(marks)) return value;
  if (value.startsWith(marks)) return value.slice(marks.length).trim();
  return value.endsWith(marks) ? value.slice(0, -marks.length).trim() : value;
}

/** The marks at the end of a text, in the order in which they close. */
function trailingMarks(open: string): string {
  let marks = '';
  for (let at = open.length - 1; at >= 0 && EMPHASIS.includes(open.charAt(at)); at -= 1) marks += open.charAt(at);
  return marks;
}

/** What stands before a colon at the start of a line in upper case without being a label of the contract, such as `WARNING`. */
export function unknownLabel(line: string): string | undefined {
  const start = line.search(WORD_OR_COLON);
  if (start < 0 || line[start] === ':') return undefined;
  // Longer than any heading: prose in upper case.
  const head = line.slice(start, start + 80);
  const colon = head.indexOf(':');
  if (colon < 0) return undefined;
  const name = head.slice(0, colon).trim();
  return /^\p{Lu}[\p{Lu}\p{N} _/&-]*\P{L}*$/u.test(name) && !KNOWN.has(name) ? name : undefined;
}
