import type { RunRow, RunState } from '../../server/answers.js';
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
    [{ title: 'ticket', least: 8 }, { title: 'title', least: 8 }, { title: 'repository', least: 6 }, { title: 'workflow', least: 6 }, { title: 'state' }, { title: 'node', least: 6 }, { title: 'changed', right: true }],
    runs.map(({ ticket, repo, workflow, attempt, state, currentNode, updatedAt, attention }) => [
      `${oneLine(ticket.key)}${attempt > 1 ? ` (${attempt})` : ''}`, oneLine(ticket.title), repo, workflow, `${state}${attention === null ? '' : ' !'}`, currentNode ?? '', since(updatedAt, now),
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

/** The word for a person, as in `run get`. */
export function stateWord(state: RunState, paint: Paint): string {
  const word = state.toUpperCase();
  if (state === 'completed') return paint.green(word);
  if (state === 'blocked') return paint.red(word);
  return state === 'waiting' ? paint.yellow(word) : state === 'canceled' || state === 'canceling' ? paint.dim(word) : paint.cyan(word);
}
