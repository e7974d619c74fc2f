import { describe, expect, it } from 'vitest';
import type { ApiName } from '../src/index.js';
import { ask, stubFor } from './client.js';

const USAGE = { input: 1_000, output: 50, cache_read: 200, cache_write: 30, reasoning: 7 };

const PROVIDERS: readonly { readonly api: ApiName; readonly shell: string; readonly end: string; readonly toolEnd: string; readonly usage: object }[] = [
  { api: 'anthropic', shell: 'Bash', end: 'end_turn', toolEnd: 'tool_use', usage: { input_tokens: 1_000, cache_read_input_tokens: 200, cache_creation_input_tokens: 30, output_tokens: 50 } },
  { api: 'responses', shell: 'shell_command', end: 'completed', toolEnd: 'completed', usage: { input_tokens: 1_230, input_tokens_details: { cached_tokens: 200 }, output_tokens: 50, total_tokens: 1_280 } },
  { api: 'chat', shell: 'bash', end: 'stop', toolEnd: 'tool_calls', usage: { prompt_tokens: 1_230, prompt_tokens_details: { cached_tokens: 200 }, completion_tokens: 50, total_tokens: 1_280 } },
  { api: 'gemini', shell: 'run_shell_command', end: 'STOP', toolEnd: 'STOP', usage: { promptTokenCount: 1_230, cachedContentTokenCount: 200, candidatesTokenCount: 50, thoughtsTokenCount: 7, totalTokenCount: 1_287 } },
];

describe.each(PROVIDERS)('$api', ({ api, shell, end, toolEnd, usage }) => {
  describe.each([{ stream: false }, { stream: true }])('with stream: $stream', ({ stream }) => {
    it('gives the text, why it ended and what it cost', async () => {
      const text = 'A text that is longer than one piece of a stream: zażółć gęślą jaźń, 😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀.';
      const stub = await stubFor({ text, usage: USAGE });
      expect(await ask(stub, api, { prompt: 'Go.', tools: [shell] }, stream)).toMatchObject({ text, calls: [], end, usage });
    });

    it('calls tools, several at once, after a text', async () => {
      const stub = await stubFor({ text: 'First this.', tools: [{ shell: `echo "it's" > 'a b'` }, { tool: 'Other', input: { deep: [1, { x: null }] } }] });
      const heard = await ask(stub, api, { prompt: 'Go.', tools: [shell, 'Other'] }, stream);
      expect(heard).toMatchObject({ text: 'First this.', end: toolEnd });
      expect(heard.calls).toMatchObject([{ name: shell, input: { command: `echo "it's" > 'a b'` } }, { name: 'Other', input: { deep: [1, { x: null }] } }]);
      expect(new Set(heard.calls.map(({ id }) => id)).size).toBe(2);
    });

    it('answers with nothing', async () => {
      const stub = await stubFor({});
      expect(await ask(stub, api, { prompt: 'Go.', tools: [shell] }, stream)).toMatchObject({ text: '', calls: [], end });
    });

    it('answers with megabytes', async () => {
      const stub = await stubFor({ text: { repeat: 'line 😀\n', times: 300_000 } });
      const { text } = await ask(stub, api, { prompt: 'Go.', tools: [shell] }, stream);
      expect(text === 'line 😀\n'.repeat(300_000)).toBe(true);
    });
  });

  it('is asked with context, and the log tells the prompt byte for byte', async () => {
    const stub = await stubFor({ text: 'Yes.' });
    const prompt = ` ${'zażółć 😀 "quoted" `x` \\n <b>\t\r\n'.repeat(10_000)}\n`;
    await ask(stub, api, { prompt, system: 'You are an agent.', tools: [shell, 'Other'] });
    const [request] = stub.requests();
    expect(request?.user === prompt).toBe(true);
    expect(request).toMatchObject({ n: 1, api, turn: 0, side: false, stream: false, model: expect.stringMatching(/-x$/), system: expect.stringContaining('You are an agent.'), tools: [shell, 'Other'], tool_results: [] });
    expect(stub.entries()).toMatchObject([{ type: 'request', body: request?.body }, { type: 'response', n: 1, turn: 0, status: 200, outcome: 'done' }]);
  });

  it('goes on with the next turn when the result of a tool comes, and starts anew with a new prompt', async () => {
    const stub = await stubFor({ tools: { shell: 'one' } }, { tools: { shell: 'two' } }, { text: 'Ready.' });
    const said = { prompt: 'Go.', tools: [shell] };
    const [one] = (await ask(stub, api, said)).calls;
    const first = { call: one!, result: 'result of one' };
    const [two] = (await ask(stub, api, { ...said, steps: [first] })).calls;
    expect(two).toMatchObject({ input: { command: 'two' } });
    expect(stub.requests()[1]?.tool_results.join('')).toContain('result of one');
    const steps = [first, { call: two!, result: 'result of two' }];
    expect(await ask(stub, api, { ...said, steps })).toMatchObject({ text: 'Ready.' });
    expect(await ask(stub, api, { ...said, steps: [...steps, { reply: 'Ready.', prompt: 'Once more.' }] })).toMatchObject({ calls: [{ input: { command: 'one' } }] });
    expect(stub.requests().map(({ turn, user }) => ({ turn, user }))).toEqual([0, 1, 2, 0].map((turn, index) => ({ turn, user: index === 3 ? 'Once more.' : 'Go.' })));
  });

  it('counts the steps where a CLI gives calls ids of its own', async () => {
    const stub = await stubFor({ tools: { shell: 'one' } }, { text: 'Ready.' });
    expect(await ask(stub, api, { prompt: 'Go.', tools: [shell], steps: [{ call: { id: 'mine', name: shell, input: {} }, result: 'x' }] })).toMatchObject({ text: 'Ready.' });
  });
});

it('counts tokens and lists its model', async () => {
  const stub = await stubFor();
  const get = async (path: string, method = 'GET'): Promise<unknown> => await (await fetch(`${stub.url}${path}`, { method })).json();
  expect(await get('/v1/messages/count_tokens', 'POST')).toEqual({ input_tokens: 100 });
  expect(await get('/v1beta/models/x:countTokens', 'POST')).toEqual({ totalTokens: 100 });
  expect(await get('/v1/models')).toMatchObject({ data: [{ id: 'stub-model' }] });
  expect(await get('/')).toEqual({ ok: true });
  expect(stub.requests()).toEqual([]);
  expect(stub.entries()).toMatchObject([{ kind: 'count', api: 'anthropic' }, { kind: 'count', api: 'gemini' }, { kind: 'models' }, { kind: 'none' }]);
});

it('refuses a path it does not know and a body that is no JSON', async () => {
  const stub = await stubFor();
  expect((await fetch(`${stub.url}/v1/embeddings`, { method: 'POST', body: '{}' })).status).toBe(404);
  expect((await fetch(`${stub.url}/v1/messages`, { method: 'POST', body: '{' })).status).toBe(400);
});
