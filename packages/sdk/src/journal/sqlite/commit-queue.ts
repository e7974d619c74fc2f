import { fault, type FaultPoint } from '../../faults/fault.js';
import { isFlowsError } from '../../errors/flows-error.js';
import type { SqliteDatabase, SqliteStatement } from './database.js';
import { isBusy } from './failures.js';

/**
 * The order in which calls reach the database, and what they share a commit with.
 *
 * Owns the transactions of the connection, but for those of a host's tables, which begin and end within one call. Calls made within one turn of the event loop become one transaction: five hundred runs that finish a step
 * together cost one fsync, and a call that comes alone waits for nothing but the end of the turn.
 *
 * Invariants:
 * 1. Operations are executed in the order in which they were given, and each is answered after the commit it is part of.
 * 2. An operation refuses (throws a `FlowsError`) before it has written anything; the others of its transaction are not affected.
 * 3. When a transaction of several fails otherwise, it is rolled back and its operations are repeated one by one, so that a failure is its own.
 * 4. Waiting for another process never blocks the event loop for longer than `BLOCKING_MS`.
 */
export class CommitQueue {
  readonly #database: SqliteDatabase;
  readonly #begin: SqliteStatement;
  readonly #commit: SqliteStatement;
  readonly #busyTimeoutMs: number;
  readonly #gatherMs: number;
  /** When the last transaction ended. */
  #committedAt = Number.NEGATIVE_INFINITY;
  readonly #onRollback: () => void;
  readonly #explain: (error: unknown) => unknown;
  #waiting: Waiting[] = [];
  #singles = 0;
  #scheduled = false;
  #busySince: number | undefined;
  #synchronous: 'FULL' | 'NORMAL' | undefined;

  constructor(options: { readonly database: SqliteDatabase; readonly busyTimeoutMs: number; readonly gatherMs: number; readonly onRollback: () => void; readonly explain: (error: unknown) => unknown }) {
    this.#database = options.database;
    this.#busyTimeoutMs = options.busyTimeoutMs;
    this.#gatherMs = options.gatherMs;
    this.#onRollback = options.onRollback;
    this.#explain = options.explain;
    this.#database.exec(`PRAGMA busy_timeout = ${Math.min(BLOCKING_MS, options.busyTimeoutMs)}`);
    this.#begin = this.#database.prepare('BEGIN IMMEDIATE');
    this.#commit = this.#database.prepare('COMMIT');
  }

  run<T>(operation: Operation<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ operation, resolve: resolve as (value: unknown) => void, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const drain = (): void => {
      this.#scheduled = false;
      this.#drain();
    };
    // Whoever comes alone waits for nothing; where one commit follows the other, they are better one.
    const gather = this.#committedAt + this.#gatherMs - performance.now();
    if (gather > 0) setTimeout(drain, gather);
    else setImmediate(drain);
  }

  #drain(): void {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, this.#singles > 0 ? 1 : this.#waiting.length);
      let answers: readonly Answer[];
      try {
        answers = this.#transact(batch.map(({ operation }) => operation));
      } catch (error) {
        if (isBusy(error) && this.#mayStillWait()) return this.#retryLater();
        if (batch.length > 1 && !isBusy(error)) {
          this.#singles = batch.length;
          continue;
        }
        answers = batch.map(() => ({ error }));
      }
      this.#busySince = undefined;
      this.#singles = Math.max(0, this.#singles - 1);
      this.#waiting = this.#waiting.slice(batch.length);
      for (const [index, { resolve, reject }] of batch.entries()) {
        const answer = answers[index] as Answer;
        if ('error' in answer) reject(this.#explain(answer.error));
        else resolve(answer.value);
      }
    }
  }

  #mayStillWait(): boolean {
    this.#busySince ??= performance.now();
    return performance.now() - this.#busySince < this.#busyTimeoutMs;
  }

  /** What comes meanwhile waits behind. */
  #retryLater(): void {
    this.#scheduled = true;
    setTimeout(() => {
      this.#scheduled = false;
      this.#drain();
    }, RETRY_MS);
  }

  #transact(operations: readonly Operation<unknown>[]): readonly Answer[] {
    if (operations.every(({ effect }) => effect === 'read')) return operations.map(answerOf);
    this.waitForDisk(operations.some(({ effect }) => effect === 'durable'));
    this.#begin.run(NO_ARGS);
    let answers: readonly Answer[];
    try {
      answers = operations.map(answerOf);
      for (const { faults } of operations) if (faults !== undefined) fault(faults.beforeCommit);
      this.#commit.run(NO_ARGS);
    } catch (error) {
      this.#rollback();
      throw error;
    }
    this.#committedAt = performance.now();
    for (const { faults } of operations) if (faults?.afterCommit !== undefined) fault(faults.afterCommit);
    return answers;
  }

  /** Whether the next commit of the connection waits for the disk: it must be decided before the transaction begins. */
  waitForDisk(wait: boolean): void {
    const level = wait ? 'FULL' : 'NORMAL';
    if (this.#synchronous === level) return;
    this.#database.exec(`PRAGMA synchronous = ${level}`);
    this.#synchronous = level;
  }

  #rollback(): void {
    this.#onRollback();
    try {
      this.#database.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back by itself, as it does after some failures of the disk. The failure being handled tells more than this one.
    }
  }
}

/** One call: what it does in the transaction, and whether that writes (`write`) and must survive power loss (`durable`). */
export interface Operation<T> {
  readonly effect: 'read' | 'write' | 'durable';
  readonly act: () => T;
  readonly faults?: { readonly beforeCommit: FaultPoint; readonly afterCommit?: FaultPoint };
}

interface Waiting {
  readonly operation: Operation<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Answer = { readonly value: unknown } | { readonly error: unknown };

const NO_ARGS = [] as const;

/** How long SQLite itself waits for a lock: enough for another process's usual commit, too short to be felt. */
export const BLOCKING_MS = 10;
const RETRY_MS = 20;

function answerOf({ act }: Operation<unknown>): Answer {
  try {
    return { value: act() };
  } catch (error) {
    if (isFlowsError(error)) return { error };
    throw error;
  }
}
