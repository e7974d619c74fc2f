import type { ClaimRef, Signal } from '../port.js';
import { staleOwner } from '../refusals.js';
import type { Runs } from './runs.js';
import { STEPS_PER_RUN } from './schema.js';
import { parsedJson, type Statements } from './statements.js';

const TAKE_SQL = `
UPDATE signal SET taken_by = ? WHERE number = (
  SELECT number FROM signal WHERE run = ? AND name = ? AND (taken_by IS NULL OR taken_by = ?) ORDER BY number LIMIT 1)
RETURNING payload, at`;

/** The table `signal`. */
export class Mailbox {
  readonly #sql: Statements;
  readonly #runs: Runs;

  constructor(sql: Statements, runs: Runs) {
    this.#sql = sql;
    this.#runs = runs;
  }

  /** Returns whether the message was accepted. Throws `run_not_found`, `run_finished`. */
  put(message: { readonly runId: string; readonly name: string; readonly payloadText: string; readonly at: number; readonly once: boolean }): boolean {
    const run = this.#runs.numberOfUnfinished(message.runId);
    if (message.once && this.#sql('SELECT 1 FROM signal WHERE run = ? AND name = ? LIMIT 1').rows([run, message.name]).length > 0) return false;
    this.#sql('INSERT INTO signal (run, at, name, payload) VALUES (?, ?, ?, ?)').run([run, message.at, message.name, message.payloadText]);
    return true;
  }

  /** Throws `stale_owner`. */
  take(claim: ClaimRef, name: string, seq: number): Signal | undefined {
    const fence = this.#runs.fence(claim);
    if (fence === undefined || !this.#runs.holds(claim)) throw staleOwner(claim.runId, claim.epoch);
    const [row] = this.#sql(TAKE_SQL).rows([seq, fence[0], name, seq]);
    if (row === undefined) return undefined;
    const [payload, at] = row as [string, number];
    return { name, payload: parsedJson(payload), at, takenBy: seq };
  }

  /** Removes what the body has got and what is to be forgotten; what was taken otherwise is free again. */
  beginAgain(run: number, forget: readonly string[]): void {
    this.#sql('DELETE FROM signal WHERE run = ? AND taken_by IN (SELECT key - ? FROM step WHERE key BETWEEN ? AND ? AND position IS NOT NULL)').run([
      run, run * STEPS_PER_RUN, run * STEPS_PER_RUN, run * STEPS_PER_RUN + STEPS_PER_RUN - 1,
    ]);
    for (const name of forget) this.#sql('DELETE FROM signal WHERE run = ? AND name = ?').run([run, name]);
    this.#sql('UPDATE signal SET taken_by = NULL WHERE run = ? AND taken_by IS NOT NULL').run([run]);
  }

  /** Every message of a run that is deleted. */
  remove(run: number): void {
    this.#sql('DELETE FROM signal WHERE run = ?').run([run]);
  }

  waiting(runId: string): readonly Signal[] {
    const rows = this.#sql(
      'SELECT name, payload, at FROM signal WHERE run = (SELECT number FROM run WHERE id = ?) AND taken_by IS NULL ORDER BY number',
    ).rows([runId]);
    return rows.map((row) => {
      const [name, payload, at] = row as [string, string, number];
      return { name, payload: parsedJson(payload), at };
    });
  }
}
