import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startStub } from '../src/index.js';
import { ask, DIALECTS, eventsOf, post, stubFor } from './client.js';

const SAID = { prompt: 'Go.', tools: ['bash'] };

it('stops at once, also in the middle of answers, and may be stopped twice', async () => {
  const stub = await stubFor({ times: 1, delay_ms: 3_600_000 }, { match: {}, text: 'Half.', drop: 'silent' });
  const late = ask(stub, 'chat', SAID).catch((error: unknown) => String(error));
  await stub.request(({ turn }) => turn === 0);
  const begun = await fetch(`${stub.url}${DIALECTS.chat.path}`, { method: 'POST', body: JSON.stringify(DIALECTS.chat.body(SAID, true)) });
  const silent = begun.text().catch((error: unknown) => String(error));
  await stub.stop();
  await stub.stop();
  expect(await Promise.all([late, silent])).toEqual(['TypeError: fetch failed', 'TypeError: terminated']);
  await expect(fetch(stub.url)).rejects.toThrow('fetch failed');
});

it('waits for a request, of those so far or to come, until it stops', async () => {
  const stub = await stubFor({ text: 'Yes.' });
  const coming = stub.request(({ user }) => user === 'Second.');
  await ask(stub, 'chat', { ...SAID, prompt: 'First.' });
  expect(await stub.request(({ user }) => user === 'First.')).toMatchObject({ n: 1 });
  await ask(stub, 'chat', { ...SAID, prompt: 'Second.' });
  expect(await coming).toMatchObject({ n: 2 });
  const never = stub.request(({ user }) => user === 'Third.').catch((error: unknown) => String(error));
  await stub.stop();
  expect(await never).toBe('Error: The stub server stopped before such a request came.');
  await expect(stub.request(({ user }) => user === 'Third.')).rejects.toThrow('stopped');
});

it('says that its port is taken, and what is wrong with its scenario', async () => {
  const { port } = await stubFor();
  await expect(startStub({ scenario: {}, port })).rejects.toThrow('EADDRINUSE');
  await expect(startStub({ scenario: { turns: [{ times: 0 }] } })).rejects.toThrow('What startStub was given is no scenario:\n  turns[0].times must be a whole number from 1, not 0.');
});

it('adds to a log that is there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stub-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const log = join(folder, 'log.jsonl');
  for (let time = 0; time < 2; time += 1) {
    const stub = await startStub({ scenario: {}, log });
    await ask(stub, 'chat', SAID);
    await stub.stop();
  }
  expect(readFileSync(log, 'utf8').trimEnd().split('\n').map((line) => (JSON.parse(line) as { readonly type: string }).type)).toEqual(['request', 'response', 'request', 'response']);
});

it('cuts no character in two', async () => {
  const stub = await stubFor({ text: { repeat: 'a😀😀', times: 500 } });
  const { text } = await post(stub, DIALECTS.chat.path, DIALECTS.chat.body(SAID, true));
  const pieces = eventsOf(text).slice(0, -1).map(({ data }) => (data as { readonly choices: readonly { readonly delta: { readonly content?: string } }[] }).choices[0]?.delta.content ?? '');
  expect(pieces.length).toBeGreaterThan(50);
  expect(pieces.filter((piece) => !piece.isWellFormed())).toEqual([]);
});
