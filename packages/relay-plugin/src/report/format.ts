import { FEEDBACK_FIELDS, labelLine, SUMMARY_FIELDS } from './labels.js';
import { NONE, type Report } from './report.js';

/**
 * The canonical text of a report. Reading it gives the same report, if this came from `parseReport`; a report in which a section holds a line that begins
 * with a label has no text that could be read back.
 */
export function formatReport(report: Report): string {
  return [
    field('STATUS', report.status),
    field('NEXT STEP', report.nextStep),
    '',
    'SUMMARY:',
    ...SUMMARY_FIELDS.map(([label, key]) => field(label, report.summary[key])),
    '',
    'FEEDBACK:',
    ...FEEDBACK_FIELDS.map(([label, key]) => field(label, report.feedback[key])),
    '',
  ].join('\n');
}

/** The sections of the summary that say something, for a comment in Markdown; `None` where none does. */
export function summaryText({ summary }: Report): string {
  return sectionsText(SUMMARY_FIELDS.map(([label, key]) => [label, summary[key]]));
}

/** The sections of the feedback that say something, for a comment in Markdown; `None` where none does. */
export function feedbackText({ feedback }: Report): string {
  return sectionsText(FEEDBACK_FIELDS.map(([label, key]) => [label, feedback[key]]));
}

function sectionsText(sections: readonly (readonly [label: string, value: string])[]): string {
  const said = sections.filter(([, value]) => value !== NONE && value.trim() !== '');
  return said.length === 0 ? NONE : said.map(([label, value]) => field(label, value)).join('\n\n');
}

/** Several lines stand below their label, so that lists stay lists; but a first line that would itself be read as a label only behind one. */
function field(label: string, value: string): string {
  const lineEnd = value.indexOf('\n');
  return lineEnd < 0 || labelLine(value.slice(0, lineEnd)) !== undefined ? `${label}: ${value}` : `${label}:\n${value}`;
}
