import { expect, it } from 'vitest';
import type { StepRecord } from '../../src/journal/port.js';
import { Ledger } from '../../src/run/ledger.js';

it('keeps no value that the body has, neither a new one nor one of history', () => {
  const row = (seq: number, position?: number): StepRecord => ({
    seq, stepId: `uuid-${seq}`, kind: 'uuid', fingerprint: '', attempt: 1, outcome: { ok: true, value: 'large' }, ...(position === undefined ? {} : { position }),
  });
  const ledger = new Ledger([row(1, 2), row(2, 1), row(3)]);
  expect(ledger.delivered.map(({ seq }) => seq)).toEqual([2, 1]);
  for (const one of ledger.delivered) ledger.noteReplayed(one);
  ledger.noteCompleted({ ...row(4, 3), runId: 'run-a', epoch: 1 });
  expect(JSON.stringify([ledger.delivered, ledger.row(1), ledger.row(2), ledger.row(4)])).not.toContain('large');
  // Nobody has been given this one.
  expect(ledger.row(3)?.outcome).toEqual({ ok: true, value: 'large' });
});
