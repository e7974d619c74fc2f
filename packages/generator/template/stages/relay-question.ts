import type { Ctx } from '@relayflows/surface';
import { CHANGE_CHECK, NEEDS_INPUT } from '../shell.js';
import { answerOf, type Told } from '../steps.js';
import type { Work } from '../work.js';

/** How much of the end of a message is looked at for a question, in characters. */
const WINDOW = 8_000;

/**
 * Whether the implementer changed anything. Only a definite no gives a text, which says so and relays the question that
 * it left; the checks, the push and the change request are spared then.
 */
export async function questionOf(f: Ctx, work: Work, { summary, stopped }: Told): Promise<string> {
  if (stopped.includes('was stopped after')) return '';
  const change = await answerOf(f, work, CHANGE_CHECK, { RELAYFLOW_BASE: work.base });
  if (change !== 'unchanged') return '';
  const records = await answerOf(f, work, NEEDS_INPUT, {
    RELAYFLOW_SUMMARY: endOf(summary),
    RELAYFLOW_SUMMARY_BYTES: String(new TextEncoder().encode(summary).length),
  });
  const why = stopped === '' ? '' : ` ${stopped}`;
  return `Nothing was changed, so nothing was checked, pushed or opened.${why}\n${records}`;
}

/** The last whole lines of a text; of a single line that is too long, its end. */
function endOf(text: string): string {
  const end = Array.from(text).slice(-WINDOW).join('');
  const line = end.indexOf('\n');
  return end.length === text.length || line === -1 ? end : end.slice(line + 1);
}
