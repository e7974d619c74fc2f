import { describe, expect, it } from 'vitest';
import { asJsonObject, unwrapFence } from '../../src/agents/answer.js';
import { usageLimitLine } from '../../src/agents/usage-limit.js';
import { readAnswer, RESULT_PROTOCOL } from '../../src/agents/wrapper/protocol.js';

describe('asJsonObject', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    [' \n{"a":{"b":[1]}}\n', { a: { b: [1] } }],
    ['{}', {}],
  ])('%j is an object', (message, object) => expect(asJsonObject(message)).toEqual(object));

  it.each(['', 'done', '[1]', '"{}"', 'null', '{"a":1} and more', '{"a":1}{"b":2}', '```json\n{"a":1}\n```', '{a:1}', '{done}'])('%j is text', (message) => {
    expect(asJsonObject(message)).toBeUndefined();
  });
});

describe('unwrapFence', () => {
  it.each([
    ['```json\n{"a":1}\n```', '{"a":1}'],
    ['\n```\n[1]\n```\n\n', '[1]'],
    ['~~~~json\n1\n~~~~', '1'],
    ['```json\r\n{"a":1}\r\n```', '{"a":1}'],
    ['````\n```\n1\n```\n````', '```\n1\n```'],
    ['```json\n{"code":"```js"}\n```', '{"code":"```js"}'],
    ['```\n1\n`````', '1'],
  ])('%j → %j', (reply, inner) => expect(unwrapFence(reply)).toBe(inner));

  it.each([
    '{"a":1}',
    'Here:\n```json\n1\n```',
    '```json\n1\n```\nDone.',
    '```\n1\n```\n```\n2\n```',
    '```json\n1',
    '``\n1\n``',
    '````\n1\n```',
    '~~~\n1\n```',
  ])('%j stays as it is', (reply) => expect(unwrapFence(reply)).toBe(reply));
});

describe('readAnswer', () => {
  const envelope = (more: object): string => JSON.stringify({ protocol: RESULT_PROTOCOL, ...more });

  it('takes text as it is, without the newlines that end it', () => expect(readAnswer(' a\n\nb \n\n')).toEqual({ message: ' a\n\nb ' }));

  it('takes JSON of another protocol as text', () => expect(readAnswer('{"protocol":"x","output":1}')).toEqual({ message: '{"protocol":"x","output":1}' }));

  it.each([
    [{ output: 'x' }, { message: 'x' }],
    [{ output: { a: 1 } }, { message: '{"a":1}' }],
    [{ output: '', usage: { input_tokens: 0, output_tokens: 0 } }, { message: '', usage: { inputTokens: 0, outputTokens: 0 } }],
    [{ output: 'x', usage: { input_tokens: 5, output_tokens: 2, cached: 1 } }, { message: 'x', usage: { inputTokens: 5, outputTokens: 2 } }],
  ])('reads the envelope %j', (more, answer) => expect(readAnswer(envelope(more))).toEqual(answer));

  it.each([
    {},
    { output: 'x', usage: null },
    { output: 'x', usage: 'many' },
    { output: 'x', usage: { input_tokens: 1 } },
    { output: 'x', usage: { input_tokens: -1, output_tokens: 1 } },
    { output: 'x', usage: { input_tokens: 1.5, output_tokens: 1 } },
    { output: 'x', usage: { input_tokens: '1', output_tokens: 1 } },
    { output: 'x', usage: { input_tokens: 2 ** 60, output_tokens: 1 } },
  ])('refuses the envelope %j', (more) => expect(readAnswer(envelope(more))).toHaveProperty('malformed'));
});

describe('usageLimitLine', () => {
  it.each([
    'Claude AI usage limit reached|1735689600', "You've hit your limit · resets 5pm", '5-hour limit reached', 'Weekly limit reached', 'Session limit reached', '{"error":{"type":"rate_limit_error"}}',
    'API Error: 429 Too Many Requests', 'Your credit balance is too low to use the API',
  ])('finds %j', (line) => expect(usageLimitLine(`before\n  ${line}  \nafter`)).toBe(line));

  it.each(['', 'rate limiting middleware added', 'HTTP 429', 'the limit of 5 files'])('lets %j pass', (text) => expect(usageLimitLine(text)).toBeUndefined());
});
