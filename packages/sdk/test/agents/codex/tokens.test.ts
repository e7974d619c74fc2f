import { appendFile, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { begunAt, sessionFile, sessionFiles } from '../../../src/agents/clis/codex/sessions.js';
import { turnTokens } from '../../../src/agents/clis/codex/tokens.js';
import { RECORDED, threadOf } from './recordings.js';

const DAY = join('sessions', '2026', '11', '30');

let home = '';
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'relayflows-codex-'));
  await cp(`${RECORDED}home`, home, { recursive: true });
});
afterEach(async () => await rm(home, { recursive: true, force: true }));

async function fileOf(thread: string): Promise<string> {
  const file = await sessionFile(join(home, 'sessions'), thread);
  if (file === undefined) throw new Error(`${thread} has no session file`);
  return file;
}

/** Cuts a session file before its second turn, and hands out what it cut off. */
async function backToFirstTurn(thread: string): Promise<{ readonly file: string; readonly secondTurn: string }> {
  const file = await fileOf(thread);
  const text = await readFile(file, 'utf8');
  const at = text.lastIndexOf('\n', text.lastIndexOf('"task_started"')) + 1;
  await writeFile(file, text.slice(0, at));
  return { file, secondTurn: text.slice(at) };
}

describe('session files', () => {
  it('are found by the thread, whose id tells when it began', async () => {
    const thread = threadOf('changes');
    expect(new Date(begunAt(thread) ?? 0).toISOString()).toMatch(/^2026-11-30T20:07:0/);
    expect(await fileOf(thread)).toBe(join(home, DAY, (await readdir(join(home, DAY))).find((name) => name.includes(thread)) ?? ''));
    expect(await sessionFile(join(home, 'sessions'), '01a22e11-75ea-7000-8000-00000000ffff')).toBeUndefined();
    expect(await sessionFile(join(home, 'nowhere'), thread)).toBeUndefined();
  });

  it('of threads that began earlier are not looked at', async () => {
    const all = await readdir(join(home, DAY));
    expect(await sessionFiles(join(home, 'sessions'), 0)).toHaveLength(all.length);
    const later = await sessionFiles(join(home, 'sessions'), begunAt(threadOf('forked')) ?? 0);
    expect(later.every(({ begunAt: at }) => at !== undefined && at >= (begunAt(threadOf('forked')) ?? 0))).toBe(true);
    expect(later.length).toBeGreaterThan(0);
    expect(later.length).toBeLessThan(all.length);
    expect(await sessionFiles(join(home, 'sessions'), Date.UTC(2027, 0, 1))).toEqual([]);
  });

  it('of an id of another kind are found as well', async () => {
    const id = 'b7a3f0de-4c1f-4a4e-9a55-0d5f3c2b1a90';
    await writeFile(join(home, DAY, `rollout-2026-11-30T20-07-05-${id}.jsonl`), '');
    expect(begunAt(id)).toBeUndefined();
    expect(await sessionFile(join(home, 'sessions'), id)).toContain(id);
  });
});

describe('the tokens of a turn', () => {
  it('of a new thread are all that it used, also when it failed', async () => {
    const tokens = await turnTokens(home, undefined);
    await tokens.read(threadOf('half'), true);
    expect(tokens).toMatchObject({ before: { input: 0, output: 0 }, own: { input: 900, output: 90 }, others: { input: 0, output: 0 }, model: 'stub-model' });
  });

  it('of a thread that goes on are what it used since', async () => {
    const thread = threadOf('continued');
    const { file, secondTurn } = await backToFirstTurn(thread);
    const tokens = await turnTokens(home, thread);
    expect(tokens.before).toBeUndefined();
    await tokens.read(thread, false);
    expect(tokens).toMatchObject({ before: { input: 4_000, output: 120 }, own: { input: 0, output: 0 }, model: undefined });
    // Half a line is no record yet.
    const half = secondTurn.indexOf('"token_usage_record"') + 200;
    await appendFile(file, secondTurn.slice(0, half));
    await tokens.read(thread, false);
    expect(tokens).toMatchObject({ own: { input: 0, output: 0 }, model: 'gpt-5.5' });
    await appendFile(file, secondTurn.slice(half));
    await tokens.read(thread, false);
    expect(tokens).toMatchObject({ before: { input: 4_000, output: 120 }, own: { input: 100, output: 10 } });
  });

  it('are known from token_count alone, as older versions write it', async () => {
    const thread = threadOf('continued');
    const { file, secondTurn } = await backToFirstTurn(thread);
    const older = (text: string) => text.split('\n').filter((line) => !line.includes('"token_usage_record"')).join('\n');
    await writeFile(file, older(await readFile(file, 'utf8')));
    const tokens = await turnTokens(home, thread);
    await appendFile(file, older(secondTurn));
    await tokens.read(thread, true);
    expect(tokens).toMatchObject({ before: { input: 4_000, output: 120 }, own: { input: 100, output: 10 } });
  });

  it('count its sub-agents, once each, while they work and afterwards', async () => {
    const tokens = await turnTokens(home, undefined);
    for (const last of [false, true]) {
      await tokens.read(threadOf('sub-agents'), last);
      expect(tokens).toMatchObject({ own: { input: 3_100, output: 80 }, others: { input: 200_000, output: 1_000 } });
    }
  });

  it('count a sub-agent that began with a copy of its parent by what it used itself', async () => {
    const tokens = await turnTokens(home, undefined);
    await tokens.read(threadOf('forked'), true);
    expect(tokens).toMatchObject({ own: { input: 3_000, output: 70 }, others: { input: 2_000, output: 20 }, model: 'gpt-6.2-sol' });
  });

  it('do not count what a sub-agent used in an earlier turn', async () => {
    const thread = threadOf('sub-agents');
    const tokens = await turnTokens(home, thread);
    const file = await fileOf(thread);
    const used = (await readFile(file, 'utf8')).split('\n').find((line) => line.includes('"token_usage_record"')) ?? '';
    const earlier = /"root_turn_id":"([^"]+)"/.exec(used)?.[1] ?? '';
    const again = (text: string) => text.replaceAll(earlier, '01a22e19-0000-7000-8000-000000000099').replaceAll(/"thread_token_usage":\{[^}]*\}/g, '"thread_token_usage":{"input_tokens":3600,"output_tokens":85}').replaceAll(/"usage":\{[^}]*\}/g, '"usage":{"input_tokens":500,"output_tokens":5}');
    await appendFile(file, `${again(used)}\n`);
    await tokens.read(thread, true);
    expect(tokens).toMatchObject({ before: { input: 3_100, output: 80 }, own: { input: 500, output: 5 }, others: { input: 0, output: 0 } });
    // The sub-agent of the earlier turn works again.
    const { path: sub = '' } = (await sessionFiles(join(home, 'sessions'), begunAt(thread) ?? 0)).find(({ threadId }) => threadId !== thread && threadId.startsWith('01a22e11-ed')) ?? {};
    const ofSub = (await readFile(sub, 'utf8')).split('\n').find((line) => line.includes('"token_usage_record"')) ?? '';
    await appendFile(sub, `${again(ofSub)}\n`);
    await tokens.read(thread, true);
    expect(tokens.others).toEqual({ input: 500, output: 5 });
  });

  it('of a thread whose file is not there are unknown', async () => {
    const thread = threadOf('continued');
    await rm(await fileOf(thread));
    const tokens = await turnTokens(home, thread);
    await tokens.read(thread, true);
    expect(tokens).toMatchObject({ before: undefined, own: undefined, others: { input: 0, output: 0 } });
  });
});
