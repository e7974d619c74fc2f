import { decideClaim, isFinished } from './claim-rule.js';
import type { Claim, ClaimRef, Journal, OwnerIdentity, RunRecord, Signal, StaleRuns, StepRecord, StoredSource } from './port.js';
import { journalClosed, runExists, runFinished, runNotFound, staleOwner } from './refusals.js';
import { mergeCompleted, mergeProgress, mergeStarted } from './step-merge.js';

interface StoredRun {
  record: RunRecord;
  readonly steps: Map<number, StepRecord>;
  readonly mailbox: Signal[];
}

/** What memory journals keep. Two journals on one store see each other as two processes on one file do. */
export interface MemoryStore {
  /** In the order of creation. */
  readonly runs: Map<string, StoredRun>;
  readonly sources: Map<string, StoredSource>;
  readonly journals: Set<() => void>;
}

export function createMemoryStore(): MemoryStore {
  return { runs: new Map(), sources: new Map(), journals: new Set() };
}

/**
 * A journal that lasts as long as its store: for tests, simulations and hosts whose runs need not survive them.
 *
 * Everything is copied on the way in and out, so what a caller changes afterwards stays its own.
 */
export function createMemoryJournal(options: { readonly store?: MemoryStore } = {}): Journal {
  return new MemoryJournal(options.store ?? createMemoryStore());
}

class MemoryJournal implements Journal {
  readonly #store: MemoryStore;
  readonly #listeners = new Set<() => void>();
  readonly #tell = (): void => {
    for (const listener of this.#listeners) listener();
  };
  #open = true;

  constructor(store: MemoryStore) {
    this.#store = store;
    store.journals.add(this.#tell);
  }

  async createRun({ run, source, owner, leaseUntil }: Parameters<Journal['createRun']>[0]): Promise<Claim> {
    const { runs } = this.#opened();
    if (runs.has(run.id)) throw runExists(run.id);
    if (source !== undefined) this.#keep(source);
    const record: RunRecord = copy({ ...run, status: 'running', epoch: 1, owner, leaseUntil, updatedAt: run.createdAt, humanInfluenced: false });
    runs.set(run.id, { record, steps: new Map(), mailbox: [] });
    this.#changed();
    return { runId: run.id, epoch: 1, run: copy(record) };
  }

  async claim({ runId, owner, now, leaseUntil, takeOver }: Parameters<Journal['claim']>[0]): Promise<Claim> {
    const stored = this.#run(runId);
    const { status, epoch, owner: holder, leaseUntil: held, wakeAt: _wakeAt, ...rest } = stored.record;
    const displaced = decideClaim(
      { runId, status, epoch, owner: holder, leaseUntil: held },
      { owner, now, ...(takeOver === undefined ? {} : { takeOver }) },
    );
    stored.record = copy({ ...rest, status: 'running', epoch: epoch + 1, owner, leaseUntil, updatedAt: now });
    this.#changed();
    return { runId, epoch: epoch + 1, run: copy(stored.record), ...(displaced === undefined ? {} : { previousOwner: copy(displaced) }) };
  }

  async heartbeat({ claims, leaseUntil }: Parameters<Journal['heartbeat']>[0]): Promise<StaleRuns> {
    return this.#writeEach(claims, (stored) => {
      stored.record = { ...stored.record, leaseUntil };
    });
  }

  async history({ runId }: { readonly runId: string }): Promise<readonly StepRecord[]> {
    const steps = this.#opened().runs.get(runId)?.steps ?? new Map<number, StepRecord>();
    return [...steps.values()].sort((a, b) => a.seq - b.seq).map(copy);
  }

  async started({ records }: Parameters<Journal['started']>[0]): Promise<StaleRuns> {
    return this.#writeEach(records, ({ steps }, record) => steps.set(record.seq, mergeStarted(steps.get(record.seq), record)));
  }

  async progressed({ records }: Parameters<Journal['progressed']>[0]): Promise<StaleRuns> {
    return this.#writeEach(records, ({ steps }, record) => {
      const row = steps.get(record.seq);
      if (row !== undefined) steps.set(record.seq, mergeProgress(row, record));
    });
  }

  async completed({ records }: Parameters<Journal['completed']>[0]): Promise<StaleRuns> {
    return this.#writeEach(records, ({ steps }, record) => steps.set(record.seq, mergeCompleted(steps.get(record.seq), record)));
  }

  async signal({ runId, name, payload, at, once }: Parameters<Journal['signal']>[0]): Promise<{ readonly accepted: boolean }> {
    const { record, mailbox } = this.#run(runId);
    if (isFinished(record.status)) throw runFinished(runId, record.status);
    if (once && mailbox.some((signal) => signal.name === name)) return { accepted: false };
    mailbox.push(copy({ name, payload, at }));
    this.#changed();
    return { accepted: true };
  }

  async takeSignal({ name, seq, ...claim }: Parameters<Journal['takeSignal']>[0]): Promise<Signal | undefined> {
    const { mailbox } = this.#claimed(claim);
    const named = (signal: Signal): boolean => signal.name === name;
    const taken = mailbox.find((signal) => named(signal) && signal.takenBy === seq);
    if (taken !== undefined) return copy(taken);
    const index = mailbox.findIndex((signal) => named(signal) && signal.takenBy === undefined);
    const oldest = mailbox[index];
    if (oldest === undefined) return undefined;
    mailbox[index] = { ...oldest, takenBy: seq };
    this.#changed();
    return copy({ ...oldest, takenBy: seq });
  }

  async signals({ runId }: { readonly runId: string }): Promise<readonly Signal[]> {
    const mailbox = this.#opened().runs.get(runId)?.mailbox ?? [];
    return mailbox.filter((signal) => signal.takenBy === undefined).map(copy);
  }

  async park({ status, wakeAt, at, ...claim }: Parameters<Journal['park']>[0]): Promise<void> {
    const stored = this.#claimed(claim);
    stored.record = { ...withoutClaim(stored.record), status, updatedAt: at, ...(wakeAt === undefined ? {} : { wakeAt }) };
    this.#changed();
  }

  async continueAs({ input, forget, at, ...claim }: Parameters<Journal['continueAs']>[0]): Promise<void> {
    const stored = this.#claimed(claim);
    stored.record = { ...withoutClaim(stored.record), status: 'interrupted', updatedAt: at, input: copy(input) };
    const kept = stored.mailbox.filter(({ name, takenBy }) => !forget.includes(name) && (takenBy === undefined || stored.steps.get(takenBy)?.position === undefined));
    stored.mailbox.splice(0, stored.mailbox.length, ...kept.map(({ takenBy: _takenBy, ...signal }) => signal));
    stored.steps.clear();
    this.#changed();
  }

  async finish({ status, completion, at, ...claim }: Parameters<Journal['finish']>[0]): Promise<void> {
    const stored = this.#claimed(claim);
    stored.record = { ...withoutClaim(stored.record), status, updatedAt: at, completion: copy(completion) };
    this.#changed();
  }

  async remove({ runIds }: { readonly runIds: readonly string[] }): Promise<readonly string[]> {
    const { runs } = this.#opened();
    const removed = [...new Set(runIds)].filter((id) => {
      const stored = runs.get(id);
      return stored !== undefined && isFinished(stored.record.status) && runs.delete(id);
    });
    if (removed.length > 0) this.#changed();
    return removed;
  }

  async run({ runId }: { readonly runId: string }): Promise<RunRecord | undefined> {
    const stored = this.#opened().runs.get(runId);
    return stored && copy(stored.record);
  }

  async list({ statuses, flowName, idPrefix, wakeBefore, limit }: Parameters<Journal['list']>[0]): Promise<readonly RunRecord[]> {
    const fits = ({ record }: StoredRun): boolean =>
      (statuses === undefined || statuses.includes(record.status)) &&
      (flowName === undefined || record.flowName === flowName) &&
      (idPrefix === undefined || record.id.startsWith(idPrefix)) &&
      (wakeBefore === undefined || (record.status === 'parked' && record.wakeAt !== undefined && record.wakeAt <= wakeBefore));
    return [...this.#opened().runs.values()].reverse().filter(fits).slice(0, limit).map(({ record }) => copy(record));
  }

  async source({ digest }: { readonly digest: string }): Promise<StoredSource | undefined> {
    const stored = this.#opened().sources.get(digest);
    return stored && copy(stored);
  }

  async adoptSource({ ref, source, ...claim }: Parameters<Journal['adoptSource']>[0]): Promise<void> {
    const stored = this.#claimed(claim);
    this.#keep(source);
    stored.record = { ...stored.record, source: copy(ref) };
    this.#changed();
  }

  async markHumanInfluenced({ runId }: { readonly runId: string }): Promise<void> {
    const stored = this.#run(runId);
    stored.record = { ...stored.record, humanInfluenced: true };
    this.#changed();
  }

  async charged({ flowName, since }: { readonly flowName: string; readonly since: number }): Promise<number> {
    let sum = 0;
    for (const { record, steps } of this.#opened().runs.values()) {
      if (record.flowName !== flowName) continue;
      for (const step of steps.values()) {
        if (step.outcome !== undefined && step.endedAt !== undefined && step.endedAt >= since) sum += step.spend?.microDollars ?? 0;
      }
    }
    return sum;
  }

  onForeignChange(listener: () => void): () => void {
    // A wrapper, so that one function registered twice is two registrations.
    const registration = (): void => listener();
    this.#listeners.add(registration);
    return () => this.#listeners.delete(registration);
  }

  async close(): Promise<void> {
    this.#open = false;
    this.#listeners.clear();
    this.#store.journals.delete(this.#tell);
  }

  #opened(): MemoryStore {
    if (!this.#open) throw journalClosed();
    return this.#store;
  }

  #keep(source: StoredSource): void {
    if (!this.#store.sources.has(source.digest)) this.#store.sources.set(source.digest, copy(source));
  }

  #run(runId: string): StoredRun {
    const stored = this.#opened().runs.get(runId);
    if (stored === undefined) throw runNotFound(runId);
    return stored;
  }

  #claimed(claim: ClaimRef): StoredRun {
    const stored = this.#opened().runs.get(claim.runId);
    if (stored === undefined || !holds(stored.record, claim)) throw staleOwner(claim.runId, claim.epoch);
    return stored;
  }

  #writeEach<R extends ClaimRef>(records: readonly R[], write: (stored: StoredRun, record: R) => void): StaleRuns {
    const { runs } = this.#opened();
    const stale = new Set<string>();
    for (const record of records) {
      const stored = runs.get(record.runId);
      if (stored !== undefined && holds(stored.record, record)) write(stored, copy(record));
      else stale.add(record.runId);
    }
    this.#changed();
    return { stale: [...stale] };
  }

  #changed(): void {
    for (const tell of this.#store.journals) if (tell !== this.#tell) queueMicrotask(tell);
  }
}

function holds(record: { readonly epoch: number; readonly owner?: OwnerIdentity }, claim: ClaimRef): boolean {
  return record.owner !== undefined && record.epoch === claim.epoch;
}

function withoutClaim({ owner: _owner, leaseUntil: _leaseUntil, wakeAt: _wakeAt, ...rest }: RunRecord): Omit<RunRecord, 'owner' | 'leaseUntil' | 'wakeAt'> {
  return rest;
}

/** As through JSON text, which every journal that keeps anything goes through: members that are `undefined` are gone on the other side. */
function copy<T>(value: T): T {
  return copied(value) as T;
}

function copied(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : copied(item)));
  // Whatever is no plain data is what its own text says.
  if (Object.getPrototypeOf(value) !== Object.prototype) return JSON.parse(JSON.stringify(value));
  const plain: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    // An assignment to this name would change the prototype.
    if (key === '__proto__') Object.defineProperty(plain, key, { value: copied(member), enumerable: true, configurable: true, writable: true });
    else plain[key] = copied(member);
  }
  return plain;
}
