import { expect, it } from 'vitest';
import * as surface from '../../src/index.js';

it('the vocabularies are exact and cannot be changed', () => {
  expect(surface.FLOW_COMPLETION_REASONS).toEqual(['success', 'step_failed', 'canceled', 'budget_exceeded', 'needs_human', 'declined']);
  expect(surface.RUN_COMPLETION_REASONS).toEqual(['success', 'step_failed', 'canceled', 'budget_exceeded']);
  expect(surface.COMPLETION_REASONS).toEqual([
    'success', 'verification_failed', 'retries_exhausted', 'lease_expired', 'crashed', 'timeout', 'worker_error', 'budget_exceeded', 'canceled',
  ]);
  expect(surface.COMPLETION_DETAIL_MAX_CODE_POINTS).toBe(2_000);
  for (const list of [surface.FLOW_COMPLETION_REASONS, surface.RUN_COMPLETION_REASONS, surface.COMPLETION_REASONS]) expect(Object.isFrozen(list)).toBe(true);
});

it('the package exports these values and no others', () => {
  expect(Object.keys(surface).sort()).toEqual([
    'COMPLETION_DETAIL_MAX_CODE_POINTS', 'COMPLETION_REASONS', 'FLOW_COMPLETION_REASONS', 'RUN_COMPLETION_REASONS',
    'flow', 'github', 'matchesIssue', 'schedule', 'slack', 'webhook',
  ]);
});
