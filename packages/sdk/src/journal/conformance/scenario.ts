import assert from 'node:assert/strict';
import { isFlowsError } from '../../errors/flows-error.js';
import type { ErrorCode } from '../../errors/codes.js';
import type { ClaimRef, CompletedRecord, Journal, NewRun, OwnerIdentity, StartedRecord } from '../port.js';

export interface Scenario {
  readonly name: string;
  /** Set when closing the journal between calls would take away what the scenario is about. */
  readonly needs?: 'lasting objects';
  readonly play: (stage: Stage) => Promise<void>;
}

export interface Stage {
  readonly journal: Journal;
  /** Opens the same journal once more. */
  readonly another: () => Promise<Journal>;
}

export const NOW = 1_700_000_000_000;
export const FINGERPRINT = '0123456789abcdef0123456789abcdef';

export function owner(token = 'first', host = 'here'): OwnerIdentity {
  return { pid: 4711, startTime: '123456', bootId: 'boot:4026531836', host, token };
}

export function newRun(id = 'run-a', members: Partial<NewRun> = {}): NewRun {
  return { id, flowName: 'hello', source: { kind: 'registered', name: 'hello', version: '1.0.0' }, input: null, cwd: '/somewhere', createdAt: NOW, flags: [1], ...members };
}

export async function begin(journal: Journal, id = 'run-a', members: Partial<NewRun> = {}): Promise<ClaimRef> {
  const { runId, epoch } = await journal.createRun({ run: newRun(id, members), owner: owner(), leaseUntil: NOW + 30_000 });
  return { runId, epoch };
}

export function startedStep(claim: ClaimRef, seq: number, members: Partial<StartedRecord> = {}): StartedRecord {
  return { ...claim, seq, stepId: `run-${seq}`, kind: 'run', fingerprint: FINGERPRINT, attempt: 1, at: NOW + seq, ...members };
}

export function completedStep(claim: ClaimRef, seq: number, members: Partial<CompletedRecord> = {}): CompletedRecord {
  return { ...claim, seq, stepId: `run-${seq}`, kind: 'run', fingerprint: FINGERPRINT, attempt: 1, endedAt: NOW + seq, outcome: { ok: true, value: seq }, ...members };
}

/** The journal refuses with this code; returns what it gives as evidence. */
export async function refuses(code: ErrorCode, call: Promise<unknown>): Promise<Readonly<Record<string, unknown>>> {
  const error = await call.then(
    () => assert.fail(`expected ${code}, but the call succeeded`),
    (reason: unknown) => reason,
  );
  assert.ok(isFlowsError(error), `expected ${code}, got ${String(error)}`);
  assert.equal(error.code, code);
  return error.evidence;
}

/** Everything a journal tells about a run. */
export async function observed(journal: Journal, runId: string): Promise<unknown> {
  return { run: await journal.run({ runId }), steps: await journal.history({ runId }), signals: await journal.signals({ runId }) };
}
