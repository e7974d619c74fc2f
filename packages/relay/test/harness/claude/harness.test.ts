import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createClaudeHarness } from '../../../src/harness/claude/harness.js';
import type { Launch, TurnEnd } from '../../../src/harness/port.js';
import { folder } from '../workbench.js';

const NOW = Date.UTC(2026, 10, 30, 12);
const create = (config: unknown = {}) => createClaudeHarness({ config, env: process.env, now: () => NOW });
const launch: Launch = { cwd: '/workspace', title: 'T-1:build', agent: 'default', nodeType: 'agent', prompt: 'Build it.', purpose: 'initial', env: {} };

/** What is read of a turn with these lines. */
function read(lines: readonly unknown[], exit: { readonly exitCode?: number; readonly signal?: string } = { exitCode: 0 }): TurnEnd {
  const { reader } = create().buildTurn(launch);
  for (const line of lines) reader.line(typeof line === 'string' ? line : JSON.stringify(line));
  return reader.end(exit);
}

const init = { type: 'system', subtype: 'init', session_id: 's-1', model: 'm' };
const says = (text: string, id = 'm-1') => ({ type: 'assistant', message: { id, model: 'm', content: [{ type: 'text', text }] } });
const result = (change: object) => ({ type: 'result', subtype: 'success', is_error: false, num_turns: 1, session_id: 's-1', result: 'Done.', ...change });

describe('the command of a turn', () => {
  it('works without asking, and prints records', () => {
    const { file, args, stdin, env } = create().buildTurn(launch);
    expect([file, ...args]).toEqual(['claude', '-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages', '--dangerously-skip-permissions']);
    expect(stdin).toBe('Build it.');
    expect(env).toMatchObject({ DISABLE_AUTOUPDATER: '1' });
  });

  it('goes on with a session, as an agent, with what the settings say', () => {
    const harness = create({ model: 'opus', permissionMode: 'acceptEdits', extraArgs: ['--add-dir', '/shared'] });
    expect(harness.buildTurn({ ...launch, agent: 'coder', sessionId: 's-1' }).args.slice(5)).toEqual(['--permission-mode', 'acceptEdits', '--resume', 's-1', '--agent', 'coder', '--model', 'opus', '--add-dir', '/shared']);
  });

  it('is not taken for one of its commands', () => {
    expect(create().buildTurn({ ...launch, prompt: '/clear' }).stdin).toBe('\n/clear');
  });

  it.each([
    [{ extraArgs: ['--resume', 'x'] }, '--resume'], [{ extraArgs: ['--output-format=text'] }, '--output-format'], [{ extraArgs: ['prompt'] }, 'must begin with a switch'], [{ extraArgs: ['--'] }, '--'],
    [{ permissionMode: 'yolo' }, 'permissionMode'], [{ model: '--help' }, 'model'], [{ model: '' }, 'model'], [{ agent: 'x' }, 'Unrecognized key'],
  ])('refuses the settings %j', (config, text) => {
    expect(() => create(config)).toThrow(expect.objectContaining({ code: 'config_invalid', text: expect.stringContaining(text) }));
  });
});

describe('agents', () => {
  it('are files of the repository or of the home', async () => {
    const [repo, home] = [await folder(), await folder()];
    for (const [root, name] of [[repo, 'ours'], [home, 'mine']] as const) {
      await mkdir(join(root, '.claude', 'agents'), { recursive: true });
      await writeFile(join(root, '.claude', 'agents', `${name}.md`), '');
    }
    const harness = createClaudeHarness({ config: {}, env: { PATH: `${await program()}:/bin`, HOME: home } });
    for (const agent of ['default', 'ours', 'mine']) await harness.validateAgent({ path: repo, agent });
    await expect(harness.validateAgent({ path: repo, agent: 'nobody' })).rejects.toThrow(expect.objectContaining({ code: 'harness_rejected', hint: expect.stringContaining('default') }));
  });

  async function program(): Promise<string> {
    const bin = await folder();
    await writeFile(join(bin, 'claude'), '#!/bin/sh\n', { mode: 0o755 });
    return bin;
  }
});

describe('what a turn says', () => {
  it('is its last message', () => {
    expect(read([init, says('Working.'), says('STATUS: success', 'm-2'), result({ result: 'STATUS: success' })])).toEqual({ text: 'STATUS: success', sessionId: 's-1' });
  });

  it('is nothing when it says that it is done without a word', () => {
    expect(read([init, result({ result: ' ' })])).toMatchObject({ sessionId: 's-1', failure: expect.stringContaining('has not said a word') });
  });

  it('is nothing without a result, whatever its status', () => {
    expect(read([init, says('STATUS: success')])).toEqual({ sessionId: 's-1', failure: 'Claude Code ended with status 0 and stated no result.' });
    expect(read(['Error: something is wrong'], { exitCode: 1 })).toEqual({ failure: 'Claude Code ended with status 1 and stated no result: Error: something is wrong.' });
    expect(read([init], { signal: 'SIGKILL' })).toMatchObject({ failure: 'Claude Code was ended by SIGKILL and stated no result.' });
  });

  it('is nothing when it failed, although its subtype says success', () => {
    expect(read([init, result({ is_error: true, result: 'API Error: 500 internal server error', api_error_status: 500 })], { exitCode: 1 })).toEqual({ sessionId: 's-1', failure: 'Claude Code reports a failure: API Error: 500 internal server error.' });
  });

  it('is a limit with its reset, however it is told', () => {
    const limit = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: NOW / 1_000 + 3_600 } };
    const refused = result({ is_error: true, result: "You've hit your limit", api_error_status: 429 });
    expect(read([init, limit, refused])).toMatchObject({ notBefore: NOW + 3_600_000, sessionId: 's-1' });
    expect(read([init, result({ is_error: true, result: 'Claude AI usage limit reached|' + String(NOW / 1_000 + 600), api_error_status: 429 })])).toMatchObject({ notBefore: NOW + 600_000 });
    expect(read([init, refused])).toMatchObject({ notBefore: NOW + 900_000 });
  });

  it('is a session that is gone, which has no id to go on with', () => {
    expect(read([{ type: 'result', subtype: 'error_during_execution', is_error: true, num_turns: 0, errors: ['No conversation found with session ID: s-0'], session_id: 's-9' }], { exitCode: 1 })).toEqual({ failure: 'Claude Code reports a failure: No conversation found with session ID: s-0.', sessionLost: true });
  });

  it('is done once there is a result, unless the model goes on', () => {
    const { reader } = create().buildTurn(launch);
    reader.line(JSON.stringify(init));
    expect([reader.session?.(), reader.done?.()]).toEqual(['s-1', false]);
    reader.line(JSON.stringify(result({})));
    expect(reader.done?.()).toBe(true);
    reader.line(JSON.stringify(says('One more thing.')));
    expect(reader.done?.()).toBe(false);
  });
});
