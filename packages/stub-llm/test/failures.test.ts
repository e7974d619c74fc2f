import { describe, expect, it } from 'vitest';
import type { ApiName, Turn } from '../src/index.js';
import { DIALECTS, ask, eventsOf, post, stubFor, type Answered } from './client.js';

const APIS: readonly ApiName[] = ['anthropic', 'responses', 'chat', 'gemini'];
const SAID = { prompt: 'Go.', tools: ['Bash', 'bash', 'shell', 'run_shell_command'] };

async function answer(api: ApiName, stream: boolean, ...turns: readonly Turn[]): Promise<Answered & { readonly json: () => unknown }> {
  const stub = await stubFor(...turns);
  const { path, streamPath, body } = DIALECTS[api];
  const answered = await post(stub, stream ? (streamPath ?? path) : path, body(SAID, stream));
  return { ...answered, json: () => JSON.parse(answered.text) as unknown };
}

/** What each API says to a status. */
const REFUSALS: readonly (readonly [ApiName, number, object])[] = [
  ['anthropic', 401, { type: 'error', error: { type: 'authentication_error', message: 'No.' } }],
  ['anthropic', 429, { type: 'error', error: { type: 'rate_limit_error', message: 'No.' } }],
  ['anthropic', 500, { type: 'error', error: { type: 'api_error', message: 'No.' } }],
  ['anthropic', 529, { type: 'error', error: { type: 'overloaded_error', message: 'No.' } }],
  ['responses', 401, { error: { message: 'No.', type: 'invalid_request_error', code: 'invalid_api_key' } }],
  ['responses', 429, { error: { message: 'No.', type: 'rate_limit_error', code: 'rate_limit_exceeded' } }],
  ['responses', 500, { error: { message: 'No.', type: 'server_error', code: null } }],
  ['chat', 401, { error: { message: 'No.', code: 'invalid_api_key' } }],
  ['chat', 429, { error: { message: 'No.', code: 'rate_limit_exceeded' } }],
  ['chat', 500, { error: { message: 'No.', type: 'server_error' } }],
  ['gemini', 401, { error: { code: 401, message: 'No.', status: 'UNAUTHENTICATED', details: [] } }],
  ['gemini', 429, { error: { code: 429, message: 'No.', status: 'RESOURCE_EXHAUSTED' } }],
  ['gemini', 503, { error: { code: 503, message: 'No.', status: 'UNAVAILABLE' } }],
];

it.each(REFUSALS)('%s refuses with %i in its own shape, whether a stream was asked for or not', async (api, status, body) => {
  for (const stream of [false, true]) {
    const refused = await answer(api, stream, { error: { status, message: 'No.' } });
    expect(refused).toMatchObject({ status });
    expect(refused.headers.get('content-type')).toBe('application/json');
    expect(refused.json()).toMatchObject(body);
  }
});

it('says when to come back, and takes type, code and headers of the scenario', async () => {
  const error = { status: 429, message: 'Slow down.', type: 'a_type', code: 'a_code', retry_after: 7, headers: { 'x-should-retry': 'false' } };
  const refused = await answer('chat', false, { error });
  expect(refused.json()).toEqual({ error: { message: 'Slow down.', type: 'a_type', param: null, code: 'a_code' } });
  expect([refused.headers.get('retry-after'), refused.headers.get('x-should-retry')]).toEqual(['7', 'false']);
  expect((await answer('gemini', false, { error })).json()).toMatchObject({ error: { details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' }] } });
});

describe('a usage limit that resets', () => {
  const limit: Turn = { error: { status: 429, reset_in: 8_000 } };
  const inEightThousand = (): number => Math.ceil(Date.now() / 1_000) + 8_000;
  /** Seconds since the epoch that were computed between two moments. */
  const between = (value: unknown, least: number): void => {
    expect(Number(value)).toBeGreaterThanOrEqual(least - 1);
    expect(Number(value)).toBeLessThanOrEqual(inEightThousand() + 1);
  };

  it('is in the headers of Anthropic', async () => {
    const least = inEightThousand();
    const { headers } = await answer('anthropic', true, limit);
    between(headers.get('anthropic-ratelimit-unified-reset'), least);
    expect(headers.get('anthropic-ratelimit-unified-status')).toBe('rejected');
    expect(headers.get('anthropic-ratelimit-unified-representative-claim')).toBe('five_hour');
  });

  it('is in the body of the service behind codex', async () => {
    const least = inEightThousand();
    const body = (await answer('responses', true, limit)).json() as { readonly error: Readonly<Record<string, unknown>> };
    expect(body.error).toMatchObject({ type: 'usage_limit_reached', plan_type: 'plus', resets_in_seconds: 8_000 });
    between(body.error['resets_at'], least);
  });

  it('is in the text and the headers of OpenAI', async () => {
    const refused = await answer('chat', true, limit);
    expect(refused.json()).toMatchObject({ error: { message: 'Rate limit reached for requests. Please try again in 2h13m20s.' } });
    expect(refused.headers.get('x-ratelimit-reset-requests')).toBe('2h13m20s');
  });

  it('is in the text and the details of Google', async () => {
    const { error } = (await answer('gemini', true, limit)).json() as { readonly error: { readonly message: string; readonly details: readonly object[] } };
    expect(error.message).toContain('Your quota will reset after 2h13m20s.');
    expect(error.details).toMatchObject([{ reason: 'QUOTA_EXHAUSTED', metadata: { quotaResetDelay: '8000s' } }, { retryDelay: '8000s' }]);
  });
});

describe.each(APIS)('%s', (api) => {
  it.each([{ stream: false }, { stream: true }])('drops the connection before an answer ($stream)', async ({ stream }) => {
    await expect(answer(api, stream, { text: 'Never.', drop: 'before' })).rejects.toThrow('fetch failed');
  });

  it('drops the connection in the middle of a stream', async () => {
    const stub = await stubFor({ text: 'x'.repeat(1_000), drop: 'mid' });
    const { path, streamPath, body } = DIALECTS[api];
    const response = await fetch(`${stub.url}${streamPath ?? path}`, { method: 'POST', body: JSON.stringify(body(SAID, true)) });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('terminated');
    expect(stub.entries().at(-1)).toMatchObject({ type: 'response', status: 200, outcome: 'dropped' });
  });

  it('falls silent in the middle of a stream until the client goes', async () => {
    const stub = await stubFor({ text: 'Half of it.', drop: 'silent' });
    const { path, streamPath, body } = DIALECTS[api];
    const going = new AbortController();
    const response = await fetch(`${stub.url}${streamPath ?? path}`, { method: 'POST', body: JSON.stringify(body(SAID, true)), signal: going.signal });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    expect((await reader.read()).value?.length).toBeGreaterThan(0);
    expect(stub.entries().at(-1)).toMatchObject({ type: 'response', outcome: 'silent' });
    going.abort();
    await expect(reader.read().then(() => reader.read())).rejects.toThrow('abort');
  });

  it.each([{ stream: false }, { stream: true }])('sends JSON that is cut ($stream)', async ({ stream }) => {
    const { status, text } = await answer(api, stream, { text: 'A text.', malformed: true });
    expect(status).toBe(200);
    expect(() => (stream ? eventsOf(text) : (JSON.parse(text) as unknown))).toThrow(SyntaxError);
  });

  it('sends what a proxy in between might say', async () => {
    const raw = { status: 502, type: 'text/html', body: '<html>Bad gateway</html>' };
    const sent = await answer(api, true, { raw });
    expect({ ...sent, headers: sent.headers.get('content-type') }).toMatchObject({ status: 502, text: raw.body, headers: 'text/html' });
  });

  it('fails once and then answers', async () => {
    const stub = await stubFor({ times: 1, error: { status: 500 } }, { times: 1, drop: 'before' }, { text: 'Better.' });
    await expect(ask(stub, api, SAID)).rejects.toThrow('500');
    await expect(ask(stub, api, SAID)).rejects.toThrow('fetch failed');
    expect(await ask(stub, api, SAID)).toMatchObject({ text: 'Better.' });
    expect(stub.requests().map(({ turn }) => turn)).toEqual([0, 1, 2]);
  });
});

it('says which shell tool it misses, and the CLI gets an error', async () => {
  const stub = await stubFor({ tools: { shell: 'ls' } });
  await expect(ask(stub, 'chat', { prompt: 'Go.', tools: ['Read'] })).rejects.toThrow('500');
  expect(stub.entries().at(-1)).toMatchObject({ type: 'stub-error', message: 'Turn 0 needs a shell tool, and the CLI offers none: Read.' });
});

it('waits before it answers, but not for a client that has gone', async () => {
  const stub = await stubFor({ text: 'Late.', delay_ms: 3_600_000 });
  const going = new AbortController();
  const asked = fetch(`${stub.url}${DIALECTS.chat.path}`, { method: 'POST', body: JSON.stringify(DIALECTS.chat.body(SAID, false)), signal: going.signal });
  await stub.request(({ turn }) => turn === 0);
  expect(stub.entries()).toHaveLength(1);
  going.abort();
  await expect(asked).rejects.toThrow('abort');
  await expect.poll(() => stub.entries().at(-1)).toMatchObject({ type: 'response', status: 0, outcome: 'client-closed' });
});
