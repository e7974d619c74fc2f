import type { Simulation } from '@relayflows/sdk/testing';
import { describe, expect, test } from 'vitest';
import { WORKFLOWS, type Workflow } from '../../src/index.js';
import { MINUTES } from '../../template/time-plan.js';
import { MINUTE, partOf, play, type Timing } from './world.js';

const AGENTS = [1, 12, 40, 'limit', 'stopped', 'lost'] as const;
const CHECKS = [1, 7, 20, 30, 45, 60, 'hung'] as const;
const SMALL = ['instant', 'limit'] as const;
/** How often the checks fail, of two repairs, and what the base says where they still do. */
const FAILURES = [{ failures: 0 }, { failures: 1 }, { failures: 2 }, { failures: 9, base: 'pass' }, { failures: 9, base: 'fail' }] as const;

const FINDINGS = { simple: [0], traditional: [0, 1, 2], prototype: [0, 1, 2] };

function grid(workflow: Workflow): Timing[] {
  return AGENTS.flatMap((agents) => CHECKS.flatMap((checks) => SMALL.flatMap((small) => FAILURES.flatMap((failing) =>
    FINDINGS[workflow].map((findings) => ({ base: 'pass' as const, ...failing, agents, checks, small, findings }))))));
}

/** What is wrong with how a run spent its time; empty when nothing is. */
function wrong({ verdict, calls, spend }: Simulation): string {
  const parts = partsOf(calls);
  if (verdict.completionReason === 'budget_exceeded') return `a step was refused: ${verdict.cause?.message}`;
  if (spend.wallclock > MINUTES.total * MINUTE) return `it spent ${spend.wallclock / MINUTE} minutes`;
  if (!parts.includes('open-change')) return 'it opened no change';
  if (!parts.includes('check-run')) return 'it checked nothing';
  if (parts.at(-1) !== 'finish') return 'it did not come to its end';
  return '';
}

function partsOf(calls: Simulation['calls']): string[] {
  return calls.flatMap((call) => (call.kind === 'run' ? [partOf(call) ?? ''] : []));
}

describe.each(WORKFLOWS)('the time of %s', (workflow) => {
  test('suffices to check and to publish, whatever takes long', async () => {
    const problems: string[] = [];
    let most = 0;
    for (const timing of grid(workflow)) {
      const simulation = await play(workflow, timing);
      most = Math.max(most, simulation.spend.wallclock / MINUTE);
      const problem = wrong(simulation);
      if (problem !== '') problems.push(`${JSON.stringify(timing)}: ${problem}`);
    }
    expect(problems).toEqual([]);
    // A plan that leaves the half of it unused would pass as well.
    expect(most).toBeGreaterThan(MINUTES.total * 0.9);
  }, 600_000);

  test('ends at once when no branch is named in its time', async () => {
    const { verdict, calls } = await play(workflow, { agents: 1, checks: 1, failures: 0, base: 'pass', small: 'hung', findings: 0 });
    expect(verdict).toMatchObject({ completionReason: 'needs_human', detail: 'No branch could be made for the work.' });
    expect([calls.length, ...partsOf(calls)]).toEqual([1, 'start']);
  });

  test('suffices when every later step is stopped at its limit, and the run says that it could not push', async () => {
    const { verdict, calls, spend } = await play(workflow, { agents: 'stopped', checks: 'hung', failures: 9, base: 'pass', small: 'hung', branch: true, findings: 9 });
    expect(verdict).toMatchObject({ completionReason: 'needs_human', detail: 'The branch could not be pushed. It is here, with all that was done.' });
    expect(partsOf(calls)).toContain('push');
    expect(spend.wallclock).toBeLessThanOrEqual(MINUTES.total * MINUTE);
  });

  test.each([1, 30] as const)('suffices when the process dies once in the longest turn, with checks of %d minutes', async (checks) => {
    const simulation = await play(workflow, { agents: 'crash', checks, failures: 1, base: 'pass', small: 'limit', findings: 1 });
    expect(wrong(simulation)).toBe('');
    expect(simulation.crashes).toBe(1);
  });
});

test('a run that dies after each of its outcomes publishes once', async () => {
  const timing = { agents: 12, checks: 7, failures: 1, base: 'pass', small: 'instant', findings: 1 } as const;
  const undisturbed = await play('traditional', timing);
  const killed = await play('traditional', timing, { crashAfter: 'each' });
  expect(killed.crashes).toBeGreaterThan(20);
  expect({ verdict: killed.verdict, calls: steps(killed) }).toEqual({ verdict: undisturbed.verdict, calls: steps(undisturbed) });
});

function steps({ calls }: Simulation): unknown[] {
  return calls.map((call) => (call.kind === 'run' ? (partOf(call) ?? call.command) : call.kind === 'agent' ? call.name : call.kind));
}
