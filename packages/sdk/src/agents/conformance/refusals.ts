import assert from 'node:assert/strict';
import type { AgentOutcome, AgentTurn } from '../port.js';
import { part, type AgentDeed, type AgentNeed, type AgentRefusal, type Scenario } from './scenario.js';

const HOUR_MS = 3_600_000;

/** How a refusal of the provider has to be told: its class, its code, what to do about it. */
interface Told {
  readonly name: string;
  readonly because: AgentRefusal;
  readonly text: string;
  readonly expected: { readonly class: 'failed'; readonly code: string } | { readonly class: 'lost' };
  readonly needs?: readonly AgentNeed[];
}

const TOLD: readonly Told[] = [
  { name: 'refused credentials are told apart', because: 'unauthorized', text: 'Invalid API key.', expected: { class: 'failed', code: 'cli_unauthenticated' } },
  { name: 'a provider that does not work is told apart', because: 'outage', text: 'Internal server error.', expected: { class: 'failed', code: 'provider_unavailable' } },
  { name: 'a model that does not exist is told apart', because: 'model_unknown', text: 'There is no such model.', expected: { class: 'failed', code: 'model_unknown' } },
  { name: 'a connection that ends before the answer is lost', because: 'dropped_before', text: '', expected: { class: 'lost' } },
  { name: 'a connection that ends in the middle of the answer is lost', because: 'dropped_mid', text: `${'Half of this arrives. '.repeat(20)}`, expected: { class: 'lost' } },
];

/** What providers refuse, and that nobody but the CLI itself tries again. */
export const refusalScenarios: readonly Scenario[] = [
  {
    name: 'an error is a failure with its cause quoted',
    part: part([{ do: 'fail', because: 'error', text: 'the disk is on fire' }]),
    play: async ({ execute }) => {
      const { outcome } = await execute();
      assert.equal(outcome.class, 'failed');
      assert.match(textOf(outcome), /the disk is on fire/);
    },
  },
  {
    name: 'a usage limit is told apart, with the time it resets',
    part: part([limit({ resetsInMs: 2 * HOUR_MS, text: 'You have reached your usage limit. Try again in 2 hours.' })]),
    play: async ({ execute }) => {
      let spawned = 0;
      const begun = Date.now();
      const { outcome } = await execute({ onSpawn: () => (spawned += 1) });
      assert.equal(outcome.class === 'failed' && outcome.code, 'provider_usage_limited', textOf(outcome));
      assertMendable(outcome);
      const resetsAt = outcome.class === 'failed' ? outcome.resetsAt : undefined;
      assert.ok(resetsAt !== undefined && resetsAt >= begun + 2 * HOUR_MS - 60_000 && resetsAt <= Date.now() + 2 * HOUR_MS + 60_000, `it resets at ${resetsAt}, and it is ${begun}`);
      assert.equal(spawned, 1);
    },
  },
  ...TOLD.map(({ name, because, text, expected, needs = ['provider'] }): Scenario => ({
    name,
    needs,
    part: part([{ do: 'fail', because, text }]),
    play: async ({ execute }) => {
      let spawned = 0;
      const { outcome } = await execute({ onSpawn: () => (spawned += 1) });
      assert.deepEqual({ class: outcome.class, ...(outcome.class === 'failed' ? { code: outcome.code } : {}) }, expected, textOf(outcome));
      assertMendable(outcome);
      assert.equal(spawned, 1);
    },
  })),
  {
    name: 'an error in the middle of the work ends it, and what was done stays',
    needs: ['provider'],
    part: part([{ do: 'write', path: 'half.txt', content: 'half\n' }, { do: 'fail', because: 'unauthorized', text: 'Invalid API key.' }]),
    play: async ({ execute }) => {
      const { outcome, events } = await execute();
      assert.equal(outcome.class === 'failed' && outcome.code, 'cli_unauthenticated', textOf(outcome));
      assert.ok(events.some(({ type }) => type === 'tool' || type === 'file_change'));
    },
  },
  {
    name: 'an error that the CLI gets over is none',
    needs: ['provider'],
    part: part([{ do: 'fail', because: 'outage', text: 'Internal server error.', times: 1 }, { do: 'say', text: 'Recovered.' }]),
    play: async ({ execute }) => {
      const turn: AgentTurn = await execute();
      assert.deepEqual(turn.outcome, { class: 'success', message: 'Recovered.' });
      assert.deepEqual(turn.warnings, []);
    },
  },
  {
    name: 'a lost connection that the CLI restores is none',
    needs: ['provider'],
    part: part([{ do: 'fail', because: 'dropped_before', text: '', times: 1 }, { do: 'say', text: 'Recovered.' }]),
    play: async ({ execute }) => {
      assert.deepEqual((await execute()).outcome, { class: 'success', message: 'Recovered.' });
    },
  },
];

function limit(more: { readonly resetsInMs: number; readonly text: string }): AgentDeed {
  return { do: 'fail', because: 'usage_limit', ...more };
}

function textOf(outcome: AgentOutcome): string {
  return outcome.class === 'failed' || outcome.class === 'lost' ? outcome.text : JSON.stringify(outcome);
}

/** It says what happened and what to do. */
function assertMendable(outcome: AgentOutcome): void {
  assert.ok(outcome.class === 'failed' || outcome.class === 'lost');
  assert.match(outcome.text, /\S.*\.$/s);
  assert.notEqual(outcome.hint?.trim() ?? '', '');
}
