import { describe, expect, it } from 'vitest';
import { beginning, evidenceOf, instruction, INTERRUPTED, retryAgent, type AgentNotes } from '../../src/agents/continuation.js';
import { charge } from '../../src/agents/charge.js';
import type { StepFailure } from '../../src/journal/port.js';

const notes: AgentNotes = { iteration: 1, losses: 0, sessionSeen: true };
const failure = (code: string, iteration = 1, losses = 0, transportRetries = 1): StepFailure => ({ code, text: 'x', evidence: { iteration, losses, transportRetries } });

describe('beginning', () => {
  const facts = { plan: { resume: undefined }, abilities: { resume: 'anywhere' as const }, notes, sessionId: 's1', resumed: false, previousFailure: undefined };

  it.each([
    ['nothing happened before', { ...facts, notes: undefined }, { kind: 'first', iteration: 1, losses: 0 }],
    ['a session the author names', { ...facts, notes: undefined, plan: { resume: 'own' } }, { kind: 'first', iteration: 1, losses: 0, resume: 'own' }],
    ['a crash with a session', { ...facts, resumed: true }, { kind: 'continue', iteration: 1, losses: 0, resume: 's1' }],
    ['a lost connection with a session', { ...facts, previousFailure: failure('crashed') }, { kind: 'continue', iteration: 1, losses: 1, resume: 's1' }],
    ['a crash of a CLI that keeps no sessions', { ...facts, resumed: true, abilities: { resume: 'no' as const } }, { kind: 'again', iteration: 1, losses: 0 }],
    ['a crash before the CLI confirmed the session', { ...facts, resumed: true, notes: { iteration: 1, losses: 0 } }, { kind: 'again', iteration: 1, losses: 0 }],
    ['an error', { ...facts, previousFailure: failure('worker_error') }, { kind: 'iteration', iteration: 2, losses: 0 }],
    ['a connection lost once too often', { ...facts, previousFailure: failure('crashed', 1, 1), notes: { ...notes, losses: 1 } }, { kind: 'iteration', iteration: 2, losses: 1 }],
  ])('%s', (_what, given, begun) => expect(beginning(given)).toEqual(begun));
});

describe('retryAgent', () => {
  const plan = { maxIterations: 1, transportRetries: 1, recoveryMode: 'reset' as const };

  it.each([
    ['an error of the only iteration', plan, failure('worker_error'), undefined],
    ['an error of the first of two', { ...plan, maxIterations: 2 }, failure('worker_error'), { delayMs: 0 }],
    ['an error of the second of two', { ...plan, maxIterations: 2 }, failure('worker_error', 2), undefined],
    ['a lost connection', plan, failure('crashed'), { delayMs: 1_000 }],
    ['a second lost connection', plan, failure('crashed', 1, 1), undefined],
    ['a second lost connection with an iteration left', { ...plan, maxIterations: 2 }, failure('crashed', 1, 1), { delayMs: 0 }],
    ['a lost connection, retries off', { ...plan, transportRetries: 0 }, failure('crashed', 1, 0, 0), undefined],
    ['a lost connection, stopping for a person', { ...plan, recoveryMode: 'manual' as const }, failure('crashed'), undefined],
    ['a usage limit', { ...plan, maxIterations: 9 }, failure('provider_usage_limited'), undefined],
    ['a missing sign-in', { ...plan, maxIterations: 9 }, failure('cli_unauthenticated'), undefined],
    ['a cancel', { ...plan, maxIterations: 9 }, failure('canceled'), undefined],
  ])('%s', (_what, given, failed, retry) => expect(retryAgent(given, failed)).toEqual(retry));

  it('ends after iterations plus transport retries, whatever happens', () => {
    const given = { ...plan, maxIterations: 3, transportRetries: 2, resume: undefined };
    let attempts = 0;
    let previousFailure: StepFailure | undefined;
    let known: AgentNotes | undefined;
    for (; ;) {
      attempts += 1;
      const begun = beginning({ plan: given, abilities: { resume: 'no' }, notes: known, sessionId: undefined, resumed: false, previousFailure });
      known = { iteration: begun.iteration, losses: begun.losses };
      previousFailure = { code: 'crashed', text: 'lost', evidence: evidenceOf(given, begun) };
      if (retryAgent(given, previousFailure) === undefined) break;
    }
    expect(attempts).toBe(5);
  });
});

describe('instruction', () => {
  const told = { kind: 'first' as const, task: ' the task\r\n', transcript: 'agent: hello', directory: 'kept' as const };

  it('is the task itself, byte for byte, the first time and for another iteration', () => {
    expect(instruction(told)).toBe(told.task);
    expect(instruction({ ...told, kind: 'iteration' })).toBe(told.task);
  });

  it('is one fixed sentence and the task when a session goes on', () => {
    expect(instruction({ ...told, kind: 'continue' })).toBe(`${INTERRUPTED}\n\n${told.task}`);
  });

  it('brings the end of the transcript and says what became of the files when it starts afresh', () => {
    expect(instruction({ ...told, kind: 'again' })).toMatch(/still there.*agent: hello.*the task\r\n$/s);
    expect(instruction({ ...told, kind: 'again', directory: 'restored' })).toMatch(/taken back/);
    expect(instruction({ ...told, kind: 'again', transcript: '' })).toBe(told.task);
  });
});

describe('charge', () => {
  const usage = { inputTokens: 1_000, outputTokens: 10 };

  it.each([
    ['a known price', { usage, price: { input: 3, output: 15 } }, { tokens: 1_010, microDollars: 3_150 }],
    ['parts of a micro-dollar are rounded up', { usage: { inputTokens: 1, outputTokens: 0 }, price: { input: 0.25, output: 1 } }, { tokens: 1, microDollars: 1 }],
    ['what the CLI states', { usage: { ...usage, microDollars: 42 }, price: undefined }, { tokens: 1_010, microDollars: 42 }],
    ['no price', { usage, price: undefined }, { tokens: 1_010, microDollars: 0, unmetered: true }],
    ['no usage', { usage: undefined, price: { input: 3, output: 15 } }, { tokens: 0, microDollars: 0, unmetered: true }],
  ])('%s', (_what, turn, spend) => expect(charge(turn)).toEqual(spend));
});
