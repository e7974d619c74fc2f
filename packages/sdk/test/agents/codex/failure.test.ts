import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { codexFailure } from '../../../src/agents/clis/codex/failure.js';
import { failureKind } from '../../../src/agents/driver/failure-kind.js';
import { resetTime } from '../../../src/agents/driver/reset-time.js';
import { RECORDED } from './recordings.js';

const refusals = JSON.parse(readFileSync(`${RECORDED}refusals.json`, 'utf8')) as Readonly<Record<string, string>>;

const KINDS: Readonly<Record<string, string>> = {
  unauthorized: 'unauthenticated',
  forbidden: 'unauthenticated',
  'forbidden by a proxy': 'unauthenticated',
  'missing variable': 'unauthenticated',
  'plan without codex': 'unauthenticated',
  'too many requests': 'usage_limited',
  quota: 'usage_limited',
  'quota in the stream': 'usage_limited',
  'payment required': 'usage_limited',
  'tokens a minute': 'usage_limited',
  'plan limit today': 'usage_limited',
  'plan limit another day': 'usage_limited',
  'plan limit without a time': 'usage_limited',
  'limit without a time': 'usage_limited',
  'server error': 'outage',
  unavailable: 'outage',
  'bad gateway': 'outage',
  overloaded: 'outage',
  'model not found': 'model_unknown',
  'model not supported': 'model_unavailable',
  'model not supported, as a detail': 'model_unavailable',
  'dropped before': 'lost',
  'dropped in the middle': 'lost',
  'server error in the stream': 'lost',
  'bad request': 'other',
  'context window': 'other',
  policy: 'other',
  incomplete: 'other',
};

it.each(Object.keys(refusals))('%s is told apart', (name) => {
  expect(failureKind(codexFailure(refusals[name] ?? ''))).toBe(KINDS[name]);
});

it('states the status, and the words of the provider without their wrapping', () => {
  expect(codexFailure(refusals['unauthorized'] ?? '')).toEqual({ status: 401, text: 'unexpected status 401 Unauthorized: Invalid API key., url: http://127.0.0.1:8080/v1/responses' });
  expect(codexFailure(refusals['too many requests'] ?? '').status).toBe(429);
  expect(codexFailure(refusals['bad request'] ?? '')).toEqual({ status: 400, text: 'Invalid request.' });
  expect(codexFailure(refusals['model not supported, as a detail'] ?? '')).toMatchObject({ status: 400, text: "The 'gpt-9' model is not supported when using Codex with a ChatGPT account." });
  expect(codexFailure('')).toEqual({ text: '' });
});

it('says when the limit of a plan resets, in the zone of this machine', () => {
  const now = new Date(2026, 10, 30, 20, 8).getTime();
  expect(resetTime(refusals['plan limit today'] ?? '', now)).toBe(new Date(2026, 10, 30, 21, 8).getTime());
  expect(resetTime(refusals['plan limit another day'] ?? '', now)).toBe(new Date(2026, 11, 3, 20, 8).getTime());
  expect(resetTime(refusals['limit without a time'] ?? '', now)).toBeUndefined();
  expect(resetTime(refusals['plan limit without a time'] ?? '', now)).toBeUndefined();
});
