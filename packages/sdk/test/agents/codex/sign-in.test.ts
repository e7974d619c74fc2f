import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { signInOf, type SignIn, type SignInFacts } from '../../../src/agents/clis/codex/probe.js';
import type { JsonRecord } from '../../../src/agents/driver/record.js';
import { RECORDED } from './recordings.js';

interface Recorded {
  readonly exitCode: number;
  readonly said: string;
  readonly doctor?: JsonRecord;
  readonly provider?: string;
}
const recorded = JSON.parse(readFileSync(`${RECORDED}sign-in.json`, 'utf8')) as Readonly<Record<string, Recorded>>;

function facts(name: string, more: Partial<SignInFacts> = {}): SignInFacts {
  const { exitCode, said, doctor, provider } = recorded[name] ?? { exitCode: -1, said: '' };
  return { isLoggedIn: exitCode === 0, said, doctor, provider, hasKey: name === 'CODEX_API_KEY', hasOpenAiKey: name === 'OPENAI_API_KEY only', ...more };
}

const EXPECTED: Readonly<Record<string, SignIn | Partial<SignIn>>> = {
  nothing: { is: 'out' },
  'provider with a token': { is: 'in', account: 'provider stub', isOpenAi: false },
  'provider whose variable is missing': { is: 'out', hint: 'Set STUB_KEY to the key of the provider.' },
  'provider whose variable is set': { is: 'in', account: 'provider stub', isOpenAi: false },
  'signed in, but the variable of the provider is missing': { is: 'out', hint: 'Set STUB_KEY to the key of the provider.' },
  'OPENAI_API_KEY only': { is: 'out', why: 'it does not use OPENAI_API_KEY by itself.' },
  CODEX_API_KEY: { is: 'in', account: 'CODEX_API_KEY', isOpenAi: true },
  'API key': { is: 'in', account: 'API key', isOpenAi: true },
  'broken token': { is: 'out' },
  'broken settings': { is: 'broken', why: expect.stringContaining('config.toml:1:12') as string },
  'provider that is not described': { is: 'broken', why: 'Error loading configuration: Model provider `nosuch` not found.' },
};

it.each(Object.keys(recorded))('%s', (name) => expect(signInOf(facts(name))).toMatchObject(EXPECTED[name] ?? { is: 'expected' }));

it('shows nothing of a key', () => {
  expect(JSON.stringify(signInOf(facts('API key')))).not.toContain('sk-');
});

it('names the account of a subscription', () => {
  expect(signInOf(facts('API key', { said: 'Logged in using ChatGPT\n' }))).toMatchObject({ is: 'in', account: 'ChatGPT' });
});

/** Older versions have no doctor, and its questions to the network may take too long. */
it.each([
  ['API key', {}, { is: 'in', account: 'API key' }],
  ['nothing', {}, { is: 'out' }],
  ['nothing', { hasKey: true }, { is: 'in', account: 'CODEX_API_KEY' }],
  // A provider of one's own may need no key at all: that is not known without asking it.
  ['provider with a token', { provider: 'stub' }, { is: 'in', account: 'provider stub' }],
] as const)('without the word of the doctor: %s %j', (name, more, expected) => {
  expect(signInOf({ ...facts(name, { provider: undefined }), doctor: undefined, ...more })).toMatchObject(expected);
});
