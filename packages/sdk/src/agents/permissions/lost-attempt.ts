import type { StepFailure } from '../../journal/port.js';
import type { AgentNotes } from '../continuation.js';
import type { Work } from '../round.js';
import { endGuard } from './guard.js';
import { dropHeld, readHeld } from './held.js';
import { violationFailure } from './violation.js';

/**
 * Looks after an attempt that was lost with its process, or stopped: what it wrote against its permissions is put back and fails the step before anything
 * more is spent. Between then and now others may have had the directory: a person who edited it is not told apart, which the text says.
 */
export async function leftByLostAttempt(work: Work, notes: AgentNotes): Promise<StepFailure | undefined> {
  const { rule, plan, attempt } = work;
  if (notes.violation !== undefined) return notes.violation;
  if (rule === undefined || notes.held === undefined) return undefined;
  const held = await readHeld(notes.held);
  if (held === undefined) {
    attempt.warn('permissions_unverified', `What agent "${plan.name}" wrote before its process died could not be compared with its permissions: ${notes.held} is gone.`);
    return undefined;
  }
  const finding = await endGuard({ ...work, rule, agent: plan.name }, held, 'several');
  await dropHeld(held.folder);
  if (finding.forbidden.length === 0) return undefined;
  return violationFailure({ agent: plan.name, rule, finding, since: ` between ${new Date(held.at).toISOString()} and now, edits of others included since its process was lost` });
}
