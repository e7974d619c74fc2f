import { CHANGE_CHECK, NEEDS_INPUT } from '../shell.js';
import { answerOf } from '../steps.js';
import type { Work } from '../work.js';

/** The question of an implementer that definitely changed nothing. Empty when it may have. */
export async function questionOf(work: Work) {
  const { summary, stopped } = work.told;
  if (stopped.includes('was stopped after') || (await answerOf(work, CHANGE_CHECK)) !== 'unchanged') return '';
  // The question is at the end: its last whole lines, or whole characters.
  const end = summary.length > 8_000 ? summary.slice(-8_000).replace(/^([^\n]*\n|[\uDC00-\uDFFF])/, '') : summary;
  const summaryBytes = String(new TextEncoder().encode(summary).length);
  const records = await answerOf(work, NEEDS_INPUT, { summary: end, summaryBytes });
  return `${`Nothing was changed, so nothing was checked, pushed or opened. ${stopped}`.trim()}\n${records}`;
}
