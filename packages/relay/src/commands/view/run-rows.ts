import type { RunPhase, RunRow } from '../../server/answers.js';
import { since } from '../text/amounts.js';
import { oneLine } from '../text/clean.js';
import { grid } from '../text/columns.js';
import type { Paint } from '../text/paint.js';

export interface Page {
  readonly paint: Paint;
  /** Columns. */
  readonly room: number;
  readonly now: number;
}

/** Runs below each other, with what a person must do. */
export function runRows(runs: readonly RunRow[], { paint, room, now }: Page): string[] {
  const [head = '', ...rows] = grid(
    [{ title: 'ticket', least: 8 }, { title: 'title', least: 8 }, { title: 'repository', least: 6 }, { title: 'workflow', least: 6 }, { title: 'state', least: 12 }, { title: 'node', least: 6 }, { title: 'changed', right: true }],
    runs.map(({ ticket, repo, workflow, attempt, phase, currentNode, updatedAt, attention }) => [
      `${oneLine(ticket.key)}${attempt > 1 ? ` (${attempt})` : ''}`, oneLine(ticket.title), repo, workflow, `${attention === null ? '' : '! '}${PHASE_WORDS[phase]}`, currentNode ?? '', since(updatedAt, now),
    ]),
    room,
  );
  return [paint.dim(head), ...rows.map((row, index) => paintRow(row, runs[index], paint))];
}

/** A whole line, so that no width changes. */
function paintRow(row: string, run: RunRow | undefined, paint: Paint): string {
  if (run === undefined) return row;
  if (run.state === 'blocked') return paint.red(row);
  if (run.attention !== null) return paint.yellow(row);
  return run.state === 'completed' || run.state === 'canceled' ? paint.dim(row) : row;
}

/** What a run waits for or does, as people read it. */
export const PHASE_WORDS: { readonly [phase in RunPhase]: string } = {
  starting: 'starting', running: 'running', queued: 'agent in line', agent: 'agent at work', person: 'needs a person', retrying: 'retrying', blocked: 'blocked', completed: 'completed',
  canceling: 'canceling', canceled: 'canceled',
};

/** The same as a heading. */
export function phaseHeading(phase: RunPhase, paint: Paint): string {
  const word = PHASE_WORDS[phase].toUpperCase();
  if (phase === 'completed') return paint.green(word);
  if (phase === 'blocked') return paint.red(word);
  return phase === 'person' || phase === 'retrying' ? paint.yellow(word) : phase === 'canceled' || phase === 'canceling' ? paint.dim(word) : paint.cyan(word);
}
