import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/forge/http/exchange.js';
import { lostConnection } from '../../src/forge/http/lost-connection.js';
import { isLimited, pauseAfter } from '../../src/forge/http/pause.js';

const NOW = Date.UTC(2026, 10, 30, 12);
const answer = (status: number, headers: Answer['headers'] = {}, body?: unknown): Answer => ({ kind: 'answer', status, headers, body });

describe('whether something is tried again', () => {
  it.each([
    ['success', answer(200), 1, undefined],
    ['a refusal', answer(422), 1, undefined],
    ['forbidden', answer(403, {}, { message: 'Resource not accessible by integration' }), 1, undefined],
    ['failing, first', answer(502), 1, { because: 'failing', ms: 500 }],
    ['failing, fourth', answer(500), 4, { because: 'failing', ms: 4_000 }],
    ['failing, too often', answer(503), 6, undefined],
    ['failing, with a wish', answer(503, { 'retry-after': '7' }), 1, { because: 'failing', ms: 7_000 }],
    ['not implemented', answer(501), 1, undefined],
    ['lost', { kind: 'lost', reason: 'x', reached: true } as const, 2, { because: 'lost', ms: 1_000 }],
    ['lost for good', { kind: 'lost', reason: 'x', reached: false, lasting: true } as const, 1, undefined],
    ['too many, in seconds', answer(429, { 'retry-after': '30' }), 1, { because: 'limit', ms: 30_000 }],
    ['too many, at a time', answer(429, { 'retry-after': new Date(NOW + 5_000).toUTCString() }), 1, { because: 'limit', ms: 5_000 }],
    ['too many, by GitLab', answer(429, { 'ratelimit-remaining': '0', 'ratelimit-reset': String(NOW / 1_000 + 10) }), 1, { because: 'limit', ms: 11_000 }],
    ['secondary limit, untimed', answer(403, {}, { message: 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.' }), 1, { because: 'limit', ms: 60_000 }],
    ['secondary limit, timed', answer(403, { 'retry-after': '12' }, { message: 'You have exceeded a secondary rate limit.' }), 1, { because: 'limit', ms: 12_000 }],
    ['primary limit', answer(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1_000 + 20) }, { message: 'API rate limit exceeded' }), 1, { because: 'limit', ms: 21_000 }],
    // The clock of this machine is an hour behind.
    ['by the clock of the forge', answer(429, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1_000 + 3_620), 'date': new Date(NOW + 3_600_000).toUTCString() }), 1, { because: 'limit', ms: 21_000 }],
    ['limit of GraphQL', answer(200, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1_000) }, { errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] }), 1, { because: 'limit', ms: 1_000 }],
  ])('%s', (_what, outcome, attempt, pause) => {
    expect(pauseAfter(outcome, attempt, NOW)).toEqual(pause);
  });

  it('does not take a missing permission for a limit', () => {
    expect(isLimited(answer(403, { 'x-ratelimit-remaining': '4999' }, { message: 'Must have push access to repository' }))).toBe(false);
  });
});

describe('a connection that failed', () => {
  const failed = (code: string, message: string): Error => new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });

  it.each([
    [failed('ENOTFOUND', 'getaddrinfo ENOTFOUND api.github.com'), false, 'getaddrinfo ENOTFOUND api.github.com', undefined],
    [failed('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1'), false, 'connect ECONNREFUSED 127.0.0.1:1', undefined],
    [failed('UND_ERR_SOCKET', 'other side closed'), true, 'other side closed (UND_ERR_SOCKET)', undefined],
    [failed('ECONNRESET', 'read ECONNRESET'), true, 'read ECONNRESET', undefined],
    [failed('SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain'), false, 'its certificate is not trusted (SELF_SIGNED_CERT_IN_CHAIN)', true],
    [new TypeError('fetch failed', { cause: new AggregateError([Object.assign(new Error('connect ECONNREFUSED ::1:443'), { code: 'ECONNREFUSED' })]) }), false, 'connect ECONNREFUSED ::1:443', undefined],
    [new Error('odd.'), true, 'odd', undefined],
  ])('%#', (error, reached, reason, lasting) => {
    expect(lostConnection(error)).toMatchObject({ kind: 'lost', reached, reason, ...(lasting === undefined ? {} : { lasting }) });
  });
});
