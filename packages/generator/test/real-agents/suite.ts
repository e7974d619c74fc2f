import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseNeedsInput } from '@relayflows/sdk';
import { shippedScenario, type Scenario, type Turn } from '@relayflows/stub-llm';
import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/index.js';
import { PROJECT } from '../flow/project.js';
import { Garden } from './garden.js';

const CHANGE = shippedScenario('garden-change');
const COMMITTED = 'hello.txt is committed and summary.md is written.';
const LONG_MS = 3_600_000;

/** The implementer has committed, and then its model gives this answer instead of the last one. */
function butThen(turn: Turn): Scenario {
  return { ...CHANGE, turns: (CHANGE.turns ?? []).map((played) => (played.text === COMMITTED ? turn : played)) };
}

/** Registers what the Software Garden does with a real agent in every role. `seconds`: within which it should have committed; it gets more where it has not. */
export function gardenSuite(agent: Agent, seconds = 15): void {
  describe(`${agent} in the Software Garden`, () => {
    test('resolves a ticket: committed, checked, reviewed, and ready for a person', async () => {
      const garden = await Garden.create([agent], CHANGE, PROJECT);
      const { completionReason, completionDetail } = await garden.run();
      expect({ completionReason, roles: garden.roles }).toEqual({ completionReason: 'needs_human', roles: ['check-discovery', 'planner', 'plan-reviewer', 'implementer', 'adversary'] });
      expect(garden.changes).toEqual([{ title: 'Fix the thing', draft: false, description: expect.stringMatching(/^# A greeting\n\nhello\.txt greets\.\n\nFixes #4\n[\s\S]*## Checks\n\nThe checks pass\./) as string }]);
      expect(garden.pushed).toEqual(['Add hello.txt']);
      expect(garden.place.pushed()).toEqual(['check.sh', 'hello.txt', 'state.txt']);
      expect(completionDetail).toContain('A person reviews and merges the change.');
    });

    test('asks what an unclear ticket means, and nothing is opened', async () => {
      const garden = await Garden.create([agent], shippedScenario('garden-question'), PROJECT);
      const { completionReason, completionDetail } = await garden.run();
      expect({ completionReason, roles: garden.roles, changes: garden.changes, pushed: garden.pushed }).toEqual({ completionReason: 'needs_human', roles: ['check-discovery', 'planner', 'implementer'], changes: [], pushed: [] });
      expect(parseNeedsInput(completionDetail ?? '')).toEqual({ source: 'needs-input.md', lines: ['Which file is meant? There is no total.js.', '- lib/sum.js', '- lib/cart.js'] });
    });

    test('is stopped at its limit of time: what it committed is published as a draft and reviewed', async () => {
      for (let limit = seconds; ; limit *= 2) {
        const garden = await Garden.create([agent], butThen({ text: 'Too late.', delay_ms: LONG_MS }), PROJECT);
        const { completionReason, completionDetail } = await garden.run((source) => source.replace('timeout: `${minutes}m`, recoveryMode', `timeout: role === 'implementer' ? '${limit}s' : \`\${minutes}m\`, recoveryMode`));
        expect(completionReason).toBe('needs_human');
        if (garden.pushed.length === 0 && limit < 120) continue;
        expect(garden.changes).toEqual([{ title: 'Fix the thing', draft: true, description: expect.stringMatching(/The implementer was stopped[\s\S]*The checks pass\./) as string }]);
        expect(garden.pushed).toEqual(['Add hello.txt']);
        expect(garden.roles.at(-1)).toBe('adversary');
        expect(completionDetail).toMatch(/The implementer was stopped after \d+ minutes\./);
        return;
      }
    });

    test('is stopped at its limit of use: what it committed is published as a draft that says so', async () => {
      const garden = await Garden.create([agent], butThen({ error: { status: 429, reset_in: 8_000 } }), PROJECT, 'person');
      const { completionReason, completionDetail } = await garden.run();
      expect(completionReason).toBe('step_failed');
      expect(garden.pushed).toEqual(['Add hello.txt']);
      expect(garden.changes).toEqual([{ title: 'Fix the thing', draft: true, description: expect.stringMatching(/The implementer failed: [\s\S]*The checks pass\./) as string }]);
      expect(completionDetail).toContain('limit');
      expect(readFileSync(join(garden.place.repo, 'hello.txt'), 'utf8')).toBe('hello from the stub\n');
    });
  });
}
