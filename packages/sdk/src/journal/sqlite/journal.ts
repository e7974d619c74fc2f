import type { Claim, ClaimRef, Journal, RunRecord, Signal, StaleRuns, StepRecord, StoredSource } from '../port.js';
import { journalClosed, runNotFound, staleOwner } from '../refusals.js';
import { FlowsError } from '../../errors/flows-error.js';
import { BLOCKING_MS, CommitQueue, type Operation } from './commit-queue.js';
import type { SqliteDatabase } from './database.js';
import { journalFailure } from './failures.js';
import { ForeignChanges } from './foreign-changes.js';
import { tablesBeside, type HostDatabase } from './host-tables.js';
import { Mailbox } from './mailbox.js';
import { Runs } from './runs.js';
import { preparedOnce, type Statements } from './statements.js';
import { Steps, type StaleSet } from './steps.js';

export interface SqliteJournalParts {
  readonly database: SqliteDatabase;
  readonly path: string;
  readonly busyTimeoutMs: number;
  readonly gatherMs: number;
  readonly readOnly: boolean;
  /** Called once the database is closed. */
  readonly onClosed: () => void;
}

/** A journal whose file may hold tables of its host. */
export interface FileJournal extends Journal {
  /**
   * The tables of this journal's host in the same file: what `openDatabase` gives, but on the journal's own connection, so that neither makes the other read again what it
   * knew, and nothing that the host writes counts as a foreign change. It ends with the journal. Throws `journal_unavailable` once the journal is closed.
   */
  tables(): HostDatabase;
}

/**
 * The journal in one SQLite file. Methods turn their arguments into what is stored at once, so that a caller may change them afterwards, and leave the
 * writing to the queue.
 */
export class SqliteJournal implements FileJournal {
  readonly #parts: SqliteJournalParts;
  readonly #queue: CommitQueue;
  readonly #sql: Statements;
  readonly #runs: Runs;
  readonly #steps: Steps;
  readonly #mailbox: Mailbox;
  readonly #changes: ForeignChanges;
  readonly #tables = new Set<HostDatabase>();
  #closed: Promise<void> | undefined;

  constructor(parts: SqliteJournalParts) {
    const { database, path, busyTimeoutMs, gatherMs } = parts;
    this.#parts = parts;
    this.#sql = preparedOnce(database);
    this.#runs = new Runs(this.#sql);
    this.#steps = new Steps(this.#sql, this.#runs);
    this.#mailbox = new Mailbox(this.#sql, this.#runs);
    this.#changes = new ForeignChanges(database);
    this.#queue = new CommitQueue({
      database,
      busyTimeoutMs,
      gatherMs,
      onRollback: () => this.#runs.forgetNumbers(),
      explain: (error) => journalFailure(error, path),
    });
  }

  async createRun({ source, ...row }: Parameters<Journal['createRun']>[0]): Promise<Claim> {
    const create = this.#runs.prepareCreate(row);
    return this.#run({
      effect: 'durable',
      faults: { beforeCommit: 'journal.create.before-commit' },
      act: () => {
        create();
        if (source !== undefined) this.#keep(source);
        return this.#claimOf(row.run.id);
      },
    });
  }

  async claim(args: Parameters<Journal['claim']>[0]): Promise<Claim> {
    const ownerText = JSON.stringify(args.owner);
    return this.#run({
      effect: 'durable',
      act: () => {
        const previousOwner = this.#runs.claim({ ...args, ownerText });
        return { ...this.#claimOf(args.runId), ...(previousOwner === undefined ? {} : { previousOwner }) };
      },
    });
  }

  async heartbeat({ claims, leaseUntil }: Parameters<Journal['heartbeat']>[0]): Promise<StaleRuns> {
    const refs = claims.map(({ runId, epoch }) => ({ runId, epoch }));
    return this.#runBatch('write', () => new Set(refs.filter((claim) => !this.#runs.extendLease(claim, leaseUntil)).map(({ runId }) => runId)));
  }

  async history({ runId }: { readonly runId: string }): Promise<readonly StepRecord[]> {
    return this.#run({ effect: 'read', act: () => this.#steps.history(runId) });
  }

  async started({ records, durable }: Parameters<Journal['started']>[0]): Promise<StaleRuns> {
    const encoded = records.map((record) => this.#steps.encodeStarted(record));
    return this.#runBatch(durable ? 'durable' : 'write', () => this.#steps.writeStarted(encoded));
  }

  async progressed({ records }: Parameters<Journal['progressed']>[0]): Promise<StaleRuns> {
    const encoded = records.map((record) => this.#steps.encodeProgressed(record));
    return this.#runBatch('write', () => this.#steps.writeProgressed(encoded));
  }

  async completed({ records }: Parameters<Journal['completed']>[0]): Promise<StaleRuns> {
    const encoded = records.map((record) => this.#steps.encodeCompleted(record));
    return this.#runBatch('durable', () => this.#steps.writeCompleted(encoded), {
      beforeCommit: 'journal.completed.before-commit',
      afterCommit: 'journal.completed.after-commit',
    });
  }

  async signal({ payload, ...message }: Parameters<Journal['signal']>[0]): Promise<{ readonly accepted: boolean }> {
    const payloadText = JSON.stringify(payload);
    return this.#run({ effect: 'durable', act: () => ({ accepted: this.#mailbox.put({ ...message, payloadText }) }) });
  }

  async takeSignal({ name, seq, ...claim }: Parameters<Journal['takeSignal']>[0]): Promise<Signal | undefined> {
    return this.#run({ effect: 'durable', act: () => this.#mailbox.take(claim, name, seq) });
  }

  async signals({ runId }: { readonly runId: string }): Promise<readonly Signal[]> {
    return this.#run({ effect: 'read', act: () => this.#mailbox.waiting(runId) });
  }

  async park({ runId, epoch, ...to }: Parameters<Journal['park']>[0]): Promise<void> {
    return this.#rest({ runId, epoch }, to);
  }

  async continueAs({ runId, epoch, input, forget, at }: Parameters<Journal['continueAs']>[0]): Promise<void> {
    const inputText = JSON.stringify(input);
    const forgotten = [...forget];
    return this.#run({
      effect: 'durable',
      faults: { beforeCommit: 'journal.continue.before-commit', afterCommit: 'journal.continue.after-commit' },
      act: () => {
        const number = this.#runs.beginAgain({ runId, epoch }, inputText, at);
        if (number === undefined) throw staleOwner(runId, epoch);
        // Before the steps, which say whose messages are used up.
        this.#mailbox.beginAgain(number, forgotten);
        this.#steps.forget(number);
      },
    });
  }

  async finish({ runId, epoch, completion, ...to }: Parameters<Journal['finish']>[0]): Promise<void> {
    return this.#rest({ runId, epoch }, { ...to, completion: JSON.stringify(completion) });
  }

  async remove({ runIds }: { readonly runIds: readonly string[] }): Promise<readonly string[]> {
    const ids = [...new Set(runIds)];
    return this.#run({
      effect: 'durable',
      act: () => ids.filter((id) => {
        const number = this.#runs.remove(id);
        if (number === undefined) return false;
        this.#mailbox.remove(number);
        this.#steps.forget(number);
        return true;
      }),
    });
  }

  async run({ runId }: { readonly runId: string }): Promise<RunRecord | undefined> {
    return this.#run({ effect: 'read', act: () => this.#runs.get(runId) });
  }

  async list(filter: Parameters<Journal['list']>[0]): Promise<readonly RunRecord[]> {
    return this.#run({ effect: 'read', act: () => this.#runs.list(filter) });
  }

  async source({ digest }: { readonly digest: string }): Promise<StoredSource | undefined> {
    return this.#run({
      effect: 'read',
      act: () => {
        const content = this.#sql('SELECT content FROM source WHERE digest = ?').rows([digest])[0]?.[0];
        return typeof content === 'string' ? { digest, content } : undefined;
      },
    });
  }

  async adoptSource({ runId, epoch, ref, source }: Parameters<Journal['adoptSource']>[0]): Promise<void> {
    const refText = JSON.stringify(ref);
    return this.#run({
      effect: 'durable',
      act: () => {
        if (!this.#runs.setSource({ runId, epoch }, refText)) throw staleOwner(runId, epoch);
        this.#keep(source);
      },
    });
  }

  async markHumanInfluenced({ runId }: { readonly runId: string }): Promise<void> {
    return this.#run({ effect: 'durable', act: () => this.#runs.markHumanInfluenced(runId) });
  }

  async charged({ flowName, since }: { readonly flowName: string; readonly since: number }): Promise<number> {
    return this.#run({ effect: 'read', act: () => this.#steps.charged(flowName, since) });
  }

  tables(): HostDatabase {
    if (this.#closed !== undefined) throw journalClosed();
    const { database, path } = this.#parts;
    const tables = tablesBeside({ database, path, beforeCommit: () => this.#queue.waitForDisk(false), blockingMs: Math.min(BLOCKING_MS, this.#parts.busyTimeoutMs) });
    this.#tables.add(tables);
    return tables;
  }

  onForeignChange(listener: () => void): () => void {
    if (this.#closed !== undefined) throw journalClosed();
    return this.#changes.listen(listener);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#changes.stop();
    // Everything given before is answered first.
    await this.#queue.run({ effect: 'read', act: () => undefined });
    const { database, readOnly, onClosed } = this.#parts;
    try {
      // A plain copy of the file is then the whole journal. While another process uses it, part of it stays in the WAL, which is as good.
      if (!readOnly) database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').rows([]);
    } catch {
      // What is committed stays in the WAL, where the next one to open the journal finds it.
    } finally {
      for (const tables of this.#tables) tables.close();
      database.close();
      onClosed();
    }
  }

  #keep({ digest, content }: StoredSource): void {
    this.#sql('INSERT INTO source (digest, content) VALUES (?, ?) ON CONFLICT DO NOTHING').run([digest, content]);
  }

  #claimOf(runId: string): Claim {
    const run = this.#runs.get(runId);
    if (run === undefined) throw runNotFound(runId);
    return { runId, epoch: run.epoch, run };
  }

  #rest(claim: ClaimRef, to: Parameters<Runs['rest']>[1]): Promise<void> {
    return this.#run({
      effect: 'durable',
      act: () => {
        if (!this.#runs.rest(claim, to)) throw staleOwner(claim.runId, claim.epoch);
      },
    });
  }

  async #runBatch(effect: Operation<StaleSet>['effect'], act: () => StaleSet, faults?: NonNullable<Operation<StaleSet>['faults']>): Promise<StaleRuns> {
    const stale = await this.#run({ effect, act, ...(faults === undefined ? {} : { faults }) });
    return { stale: [...stale] };
  }

  #run<T>(operation: Operation<T>): Promise<T> {
    if (this.#closed !== undefined) throw journalClosed();
    if (this.#parts.readOnly && operation.effect !== 'read') {
      throw new FlowsError('journal_unavailable', `The journal ${this.#parts.path} was opened for reading only.`, { hint: 'Open it without readOnly to write.', evidence: { path: this.#parts.path } });
    }
    return this.#queue.run(operation);
  }
}
