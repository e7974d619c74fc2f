import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/redaction/redactor.js';
import { seededRandom } from '../seeded-random.js';

const env = {
  GITHUB_TOKEN: 'tok-Abcdef123456',
  DB_PASSWORD: 'p@ss w/rd"x\\y',
  LONG_KEY: `${'x'.repeat(70)}LONG-TAIL-9`,
  LONGER_KEY: `${'x'.repeat(70)}LONG-TAIL-10-and-more`,
  ODD_TOKEN: 'redacted',
  REPEATED_SECRET: 'aaaaaaaaaaab',
  LINES_SECRET: 'line one\nline two',
  WORD_SECRET: 'hunterhunter',
  BEARER_TOKEN: 'BearerTokenKey=',
  NUMBER_SECRET: '1234567890'.repeat(7),
};
const values = Object.values(env);
const redactor = createRedactor({ env });

function inPieces(text: string, cut: () => number): string {
  const stream = redactor.stream();
  let output = '';
  for (let at = 0; at < text.length;) {
    const length = cut();
    output += stream.push(text.slice(at, at + length));
    at += length;
  }
  return output + stream.end();
}

/** Everything that rules react to, to be put together without sense. */
const FRAGMENTS = [
  ...values, ...values.map((value) => Buffer.from(value).toString('base64')), ...values.map((value) => Buffer.from(`u:${value}`).toString('base64url')), ...values.map(encodeURIComponent),
  ...values.map((value) => JSON.stringify(value)), ...values.map((value) => value.slice(0, value.length >> 1)),
  'Authorization: ', 'authorization:', '"authorization":"', 'Bearer ', 'bearer%20', 'Cookie: a=', 'x-api-key: ', 'set-cookie: a="', 'basic ', 'token ', 'API_KEY=', 'token=', '--password=', 'key=', '"token": "', "'password':'", '\\"secret\\":\\"',
  '\\\\\\"secret\\\\\\":\\\\\\"', '"key":"', '"cookie" => "', 'https://', 'user:', '@host', '://', ':', '@', '/', 'ghp_', 'abcdefghijklmnop', 'sk-', 'sk-ant-', 'AKIA', 'ABCDEFGHIJKLMNOP', 'at_', 'live_0123456789abcdef', '-----BEGIN RSA PRIVATE KEY-----',
  '-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----', 'A'.repeat(64), 'QQ==', '\\n', '\n', '\r\n', ' ', '"', "'", '\\', '\\"', ',', ';', '&', '$X', '[redacted:', '[redacted:GITHUB_TOKEN]', ']', '=', '==', 'hello', 'world ', '\u001b[32m', '\u00e9', '\u{1F600}',
  '%3D', '-', 'PROJ-123', '1', '(x)', 'Digest username="a", x="b"', 'x'.repeat(130),
];

describe('a stream', () => {
  it('gives what the whole text gives, wherever it is split, and redacting once is enough', () => {
    for (let seed = 1; seed <= 600; seed += 1) {
      const random = seededRandom(seed);
      let text = '';
      for (let parts = 1 + random(14); parts > 0; parts -= 1) {
        text += FRAGMENTS[random(FRAGMENTS.length)];
        if (random(3) === 0) text += String.fromCharCode(32 + random(95));
      }
      const whole = redactor.text(text);
      const longest = [1, 5, 60][random(3)] ?? 1;
      const context = `seed ${seed}: ${JSON.stringify(text)}`;
      expect(inPieces(text, () => 1 + random(longest)), context).toBe(whole);
      expect(redactor.text(whole), context).toBe(whole);
      for (const value of values) if (value !== 'redacted') expect(whole.includes(value), context).toBe(false);
    }
  });

  it.each([
    `the value ${env.GITHUB_TOKEN} in the middle`, `Authorization: Bearer abc.def\nnext`, '{"token":"ab\\"cd","x":1}', 'API_KEY=abcdef rest', 'https://user:secret@host/path', 'ghp_0123456789abcdefghijklmnopqrstuvwxyz.',
    `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(64)}\nQQ==\n-----END PRIVATE KEY-----\nafter`, `${'x'.repeat(70)}LONG-TAIL-10-and-more!`, Buffer.from(`user:${env.GITHUB_TOKEN}`).toString('base64'),
  ])('finds a secret split anywhere in %j', (text) => {
    const whole = redactor.text(text);
    expect(whole).toContain('[redacted:');
    for (let split = 0; split <= text.length; split += 1) {
      const stream = redactor.stream();
      expect(stream.push(text.slice(0, split)) + stream.push(text.slice(split)) + stream.end()).toBe(whole);
    }
  });

  it('lets a line flow that never ends, and keeps back only what could begin a secret', () => {
    const stream = redactor.stream();
    expect(stream.push('Downloading 10% ')).toBe('Downloading 10% ');
    expect(stream.push('20% ')).toBe('20% ');
    expect(stream.push('Continue? [y/n] ')).toBe('Continue? [y/n] ');
    expect(stream.push('tok')).toBe('');
    expect(stream.push('en ring ')).toBe('token ring ');
    expect(stream.push('x '.repeat(5_000))).toBe('x '.repeat(5_000));
    expect(stream.push('ghp_0123')).toBe('');
    expect(stream.push(' was short ')).toBe('ghp_0123 was short ');
    expect(stream.push('API_KEY=')).toBe('API_KEY=');
    expect(stream.push('abcdef')).toBe('');
    expect(stream.push(' done. ')).toBe('[redacted:secret] done. ');
    expect(stream.end()).toBe('');
  });

  it('keeps little, whatever comes', () => {
    for (const filler of ['a', 'token=', 'https://a:b', '"token":"', 'sk-', 'Bearer ', '-----BEGIN PRIVATE KEY-----\n', '\\', 'x', '[redacted:', 'authorization: a b ']) {
      const stream = redactor.stream();
      let pushed = 0;
      let delivered = '';
      for (let i = 0; i < 150; i += 1) {
        const piece = filler.repeat(Math.ceil(64 / filler.length));
        pushed += piece.length;
        delivered += stream.push(piece);
      }
      const kept = pushed - delivered.length;
      // What is kept back is bounded; what was replaced is shorter or longer than it was.
      if (!delivered.includes('[redacted:')) expect(kept, filler).toBeLessThan(5_000);
      expect(stream.end().length, filler).toBeLessThan(6_000);
    }
  });

  it('swallows a secret of any length without keeping it', () => {
    const stream = redactor.stream();
    let output = stream.push('before ghp_0123456789');
    for (let i = 0; i < 1_000; i += 1) output += stream.push('abcdefghij'.repeat(100));
    output += stream.push(' after');
    expect(output + stream.end()).toBe('before [redacted:token] after');
  });

  it('keeps characters whole', () => {
    const text = '\u{1F600}'.repeat(50);
    expect(inPieces(text, () => 1)).toBe(text);
  });
});

describe('time is linear', () => {
  const MEGABYTE = 1_000_000;
  const { text: redact } = createRedactor({ env: { GITHUB_TOKEN: env.GITHUB_TOKEN, REPEATED_SECRET: env.REPEATED_SECRET } });

  it.each([
    'a', '\\', '"', '-', 'key', 'token=', 'token="', '"token":"', '\\"token\\":\\"', 'Bearer ', 'authorization: ', 'Cookie: a=', '://', '://a:', 'https://a:b@', 'sk-', 'sk-aaaaaaaaaaaaaaaaaa',
    '-----BEGIN PRIVATE KEY-----', '-----BEGIN PRIVATE KEY-----\nAAAA\n', '[redacted:', '[redacted:X]', '{"key":',
  ])('for a megabyte of %j', (part) => {
    expect(redact(part.repeat(Math.ceil(MEGABYTE / part.length)))).not.toBe('');
  });

  it('for a megabyte that nearly matches everywhere', () => {
    const random = seededRandom(7);
    let text = '';
    while (text.length < MEGABYTE) text += FRAGMENTS[random(FRAGMENTS.length)];
    expect(redactor.text(text)).not.toContain(env.GITHUB_TOKEN);
  });
});
