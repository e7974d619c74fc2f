import { describe, expect, test } from 'vitest';
import type { TurnRecord } from '../../../src/agents/driver/turn-record.js';
import { verdict, type Facts } from '../../../src/agents/driver/verdict.js';
import type { ProcessOutcome } from '../../../src/process/port.js';
import { words } from './scripted-cli.js';

const NOW = Date.parse('2026-11-30T20:00:00Z');

function judge(turn: TurnRecord, process: Partial<ProcessOutcome> = {}, more: Partial<Facts> = {}) {
  const stream = { text: '', dropped: 0 };
  return verdict({
    words, executable: '/bin/scripted', args: ['-p'], cwd: '/repo', turn, redact: (text) => text, now: NOW, said: { all: '', plain: '' },
    process: { exitCode: 1, durationMs: 1, stdout: stream, stderr: stream, leftRunning: [], survivors: [], ...process },
    ...more,
  });
}

describe('a refusal', () => {
  test.each([
    ['unauthenticated', 'cli_unauthenticated', 'scripted is not signed in, or its credentials were refused (HTTP 418): Said.', 'To sign in, run scripted login. Then resume the run.'],
    ['usage_limited', 'provider_usage_limited', 'scripted has reached a limit of its provider (HTTP 418): Said.', 'Wait until the limit resets, or use another model, then resume the run. It is not retried by itself.'],
    ['outage', 'provider_unavailable', 'scripted could not use its provider (HTTP 418): Said.', 'Look at the status page of the provider, and resume the run when it works again.'],
    ['model_unknown', 'model_unknown', 'scripted does not know the model (HTTP 418): Said.', 'Name another model. To see the models, run scripted models.'],
    ['model_unavailable', 'model_unavailable', 'scripted may not use the model (HTTP 418): Said.', 'Name another model, or get access to this one. To see the models, run scripted models.'],
    ['session_unknown', 'worker_error', 'scripted cannot continue the session (HTTP 418): Said.', 'Leave resume out, or pass the sessionId of a session that this CLI still has, begun in the same directory where it asks for that.'],
    ['outdated', 'cli_outdated', 'scripted is too old (HTTP 418): Said.', 'Bring it up to date: scripted update'],
    ['other', 'worker_error', 'scripted reports an error (HTTP 418): Said.', 'The transcript of the step shows what it did.'],
  ] as const)('%s has its code, its sentence and what to do', (kind, code, text, hint) => {
    expect(judge({ result: { ok: false, kind, status: 418, text: ' Said \n' } })).toMatchObject({ outcome: { class: 'failed', code, text, hint }, warnings: [] });
  });

  test('says whether only the session was the reason', () => {
    expect(judge({ result: { ok: false, kind: 'session_unknown', text: 'x' } }).outcome).toHaveProperty('sessionUnknown', true);
    expect(judge({ result: { ok: false, kind: 'other', text: 'x' } }).outcome).not.toHaveProperty('sessionUnknown');
  });

  test('for a lost connection is a lost turn', () => {
    expect(judge({ result: { ok: false, text: 'ECONNRESET' } }).outcome).toMatchObject({ class: 'lost', text: 'scripted lost the connection to its provider: ECONNRESET.' });
  });

  test('for a process that somebody ended is a lost turn', () => {
    expect(judge({ result: { ok: false, kind: 'ended', text: 'stopped' } }).outcome).toMatchObject({ class: 'lost', text: 'scripted ended in the middle of its turn: stopped.' });
  });

  test('for a limit tells when it resets: as the CLI states it, else from its words', () => {
    const resetsAt = NOW + 3_600_000;
    expect(judge({ result: { ok: false, kind: 'usage_limited', text: 'retry in 5 minutes', resetsAt } }).outcome).toMatchObject({ resetsAt, hint: expect.stringContaining('Wait until 2026-11-30T21:00:00.000Z') });
    expect(judge({ result: { ok: false, kind: 'usage_limited', text: 'retry in 5 minutes' } }).outcome).toMatchObject({ resetsAt: NOW + 300_000 });
    expect(judge({ result: { ok: false, kind: 'usage_limited', text: 'too much' } }).outcome).not.toHaveProperty('resetsAt');
  });

  test('is quoted in one line of bounded length, after secrets are out', () => {
    const { outcome } = judge({ result: { ok: false, text: `a\n\n  b SECRET ${'x'.repeat(2_000)}` } }, {}, { redact: (text) => text.replaceAll('SECRET', '***') });
    expect(outcome).toMatchObject({ text: expect.stringMatching(/^scripted reports an error: a b \*\*\* x+…$/) });
    expect(outcome.class === 'failed' && outcome.text.length).toBeLessThan(1_100);
  });
});

describe('a program that does not start', () => {
  const spawnError = { code: 'ENOENT', message: 'no such file', transient: false };
  test('is missing, lost for a moment, or broken', () => {
    expect(judge({}, { spawnError: { ...spawnError, missing: 'program' } }).outcome).toMatchObject({ class: 'failed', code: 'cli_missing', text: '/bin/scripted could not be started: ENOENT, no such file.' });
    expect(judge({}, { spawnError: { ...spawnError, code: 'EAGAIN', transient: true } }).outcome).toMatchObject({ class: 'lost' });
    expect(judge({}, { spawnError: { ...spawnError, missing: 'interpreter' } }).outcome).toMatchObject({ class: 'failed', code: 'worker_error' });
  });
});

test('evidence names the command, where and how it ended, and what it said', () => {
  const { outcome } = judge({ result: { ok: false, text: 'x' } }, { exitCode: 3, stderr: { text: 'oops', dropped: 0 } }, { said: { all: '{"type":"x"}', plain: '' } });
  expect(outcome).toHaveProperty('evidence', { command: '/bin/scripted -p', cwd: '/repo', exitCode: 3, stdoutTail: '{"type":"x"}', stderrTail: 'oops' });
});

test('an input that was not read to its end makes an end without a result a lost turn', () => {
  expect(judge({}, { exitCode: 1, inputError: 'EPIPE' }).outcome.class).toBe('lost');
});
