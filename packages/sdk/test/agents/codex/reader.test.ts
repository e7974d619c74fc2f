import { describe, expect, it } from 'vitest';
import { knownTokens, readTurn, recorded, threadOf } from './recordings.js';

describe('what Codex writes', () => {
  it('shows messages, commands and changes of files, and ends with the last message', async () => {
    const { turn, events } = await readTurn(recorded('changes'));
    expect(events).toEqual([
      { type: 'message', text: 'I will change files.' },
      { type: 'tool', name: 'apply_patch', summary: 'a.txt, c.txt, sub/b.txt', phase: 'start' },
      { type: 'tool', name: 'apply_patch', summary: '', phase: 'end' },
      { type: 'file_change', path: 'a.txt', change: 'delete' },
      { type: 'file_change', path: 'c.txt', change: 'modify' },
      { type: 'file_change', path: 'sub/b.txt', change: 'create' },
      { type: 'tool', name: 'shell', summary: 'cat c.txt; exit 3', phase: 'start' },
      { type: 'tool', name: 'shell', summary: '', phase: 'end', failed: true },
      { type: 'message', text: 'Three files are changed.' },
    ]);
    expect(turn).toEqual({
      sessionId: threadOf('changes'),
      message: 'Three files are changed.',
      result: { ok: true, message: 'Three files are changed.' },
      // Cached input is part of the input, reasoning of the output.
      usage: { inputTokens: 4_000, outputTokens: 120 },
    });
  });

  it('shows tools of MCP servers and sub-agents', async () => {
    expect((await readTurn(recorded('mcp'))).events.slice(1, 3)).toEqual([
      { type: 'tool', name: 't.wr', summary: '{}', phase: 'start' },
      { type: 'tool', name: 't.wr', summary: '', phase: 'end' },
    ]);
    expect((await readTurn(recorded('sub-agents'))).events).toContainEqual({ type: 'tool', name: 'spawn_agent', summary: 'CHILD do it', phase: 'start' });
  });

  it('is no failure while it tries again', async () => {
    const { turn, events } = await readTurn(recorded('bounced'));
    expect(turn.result).toEqual({ ok: true, message: 'Recovered.' });
    expect(turn.warnings).toBeUndefined();
    expect(events.filter(({ type }) => type === 'other').at(-1)).toMatchObject({ name: 'reconnecting', detail: expect.stringContaining('503 Service Unavailable') });
  });

  it('fails with what turn.failed says, and keeps what was said before', async () => {
    const { turn } = await readTurn(recorded('half'), { process: { exitCode: 1 } });
    expect(turn).toMatchObject({ message: 'I begin.', result: { ok: false, status: 401, text: expect.stringContaining('Invalid API key.') } });
  });

  it('ends as lost without a network', async () => {
    expect((await readTurn(recorded('no-network'), { process: { exitCode: 1 } })).turn.result).toEqual({ ok: false, kind: 'lost', text: 'Connection failed: error sending request' });
  });

  it('gives up on a network that it would wait for without end, and goes on when it comes back', async () => {
    const waiting = recorded('waiting-for-network').trim();
    const twice = waiting.split('\n').slice(0, waiting.split('\n').findIndex((line) => line.includes('waiting for network')) + 2).join('\n');
    expect((await readTurn(twice)).turn.result).toBeUndefined();
    expect((await readTurn(waiting)).turn.result).toMatchObject({ ok: false, kind: 'lost' });
    const restored = `${waiting}\n{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"Back."}}\n{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}`;
    expect((await readTurn(restored)).turn.result).toEqual({ ok: true, message: 'Back.' });
  });

  it('goes on after an error that was followed by more work', async () => {
    const { turn } = await readTurn('{"type":"error","message":"Quota exceeded."}\n{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"ls","status":"in_progress"}}');
    expect(turn.result).toBeUndefined();
  });

  it('takes the last of several turns, and a turn that has begun again is not over', async () => {
    const first = recorded('changes').trim();
    const second = '{"type":"turn.started"}\n{"type":"item.completed","item":{"id":"item_9","type":"agent_message","text":"More."}}';
    expect((await readTurn(`${first}\n${second}`)).turn.result).toBeUndefined();
    const { turn } = await readTurn(`${first}\n${second}\n{"type":"turn.completed","usage":{"input_tokens":4500,"output_tokens":150}}`);
    expect(turn).toMatchObject({ result: { ok: true, message: 'More.' }, usage: { inputTokens: 4_500, outputTokens: 150 } });
  });

  it('states a success without a word as such, for the verdict to refuse', async () => {
    expect((await readTurn('{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}')).turn.result).toEqual({ ok: true, message: '' });
  });

  it('says on standard error why it could not begin', async () => {
    const stderr = { text: 'WARNING: x\nError: thread/resume: thread/resume failed: no rollout found for thread id 1 (code -32600)\n\nStack backtrace:\n   0: <unknown>\n', dropped: 0 };
    expect((await readTurn('', { process: { exitCode: 1, stderr } })).turn.result).toMatchObject({ ok: false, text: expect.stringMatching(/^thread\/resume: .*no rollout found/) });
    expect((await readTurn('', { process: { stderr, stopped: 'timeout' } })).turn.result).toBeUndefined();
  });
});

describe('warnings', () => {
  it('come from items of type error, once each, without those that nobody can do anything about', async () => {
    const { turn, events } = await readTurn(`${recorded('another-model')}\n${recorded('another-model')}`);
    expect(turn.warnings).toEqual([{ code: 'cli_warning', text: expect.stringMatching(/^codex warns: This session was recorded with model `gpt-5.5` but is resuming with `gpt-6.2-sol`/) }]);
    expect(turn.result?.ok).toBe(true);
    expect(events.some(({ type }) => type === 'other')).toBe(false);
    const unknownModel = await readTurn(recorded('sub-agents'));
    expect(unknownModel.turn.warnings).toBeUndefined();
    expect(unknownModel.events[0]).toMatchObject({ type: 'other', name: 'notice', detail: expect.stringContaining('Model metadata') });
  });

  it('tell of a sandbox that does not work, of an agent that may only read', async () => {
    const permissions = { accessPreset: 'readonly' } as const;
    expect((await readTurn(recorded('no-sandbox'), { request: { permissions } })).turn.warnings).toEqual([{ code: 'sandbox_unavailable', text: expect.stringContaining('bwrap: Creating new namespace failed') }]);
    expect((await readTurn(recorded('read-only'), { request: { permissions } })).turn.warnings).toBeUndefined();
    expect((await readTurn(recorded('no-sandbox'))).turn.warnings).toBeUndefined();
  });
});

describe('sessions', () => {
  it('are known from the first record, and are not of a model call', async () => {
    expect((await readTurn(recorded('changes').split('\n', 1)[0] ?? '')).turn.sessionId).toBe(threadOf('changes'));
    expect((await readTurn(recorded('changes'), { request: { mode: 'llm' } })).turn.sessionId).toBeUndefined();
  });

  it('that are begun instead of continued are stopped at once', async () => {
    const session = { kind: 'resume', id: threadOf('half') } as const;
    const { turn } = await readTurn(recorded('changes'), { request: { session } });
    expect(turn).toMatchObject({ stop: true, result: { ok: false, kind: 'session_unknown' } });
    expect(turn.sessionId).toBeUndefined();
  });
});

describe('usage', () => {
  const session = { kind: 'resume', id: threadOf('continued') } as const;

  it('of a session that goes on is what the turn added to the sum', async () => {
    const tokens = knownTokens({ before: { input: 4_000, output: 120 }, own: { input: 100, output: 10 } });
    const { turn } = await readTurn(recorded('continued'), { request: { session }, tokens });
    expect(turn.usage).toEqual({ inputTokens: 100, outputTokens: 10 });
    expect(turn.warnings).toBeUndefined();
  });

  it('is the whole sum, with a warning, when nobody knows what it was before', async () => {
    const { turn } = await readTurn(recorded('continued'), { request: { session }, tokens: knownTokens({ before: undefined }) });
    expect(turn.usage).toEqual({ inputTokens: 4_100, outputTokens: 130 });
    expect(turn.warnings).toEqual([{ code: 'usage_unknown', text: expect.stringContaining('sum of the whole thread') }]);
  });

  it('is the whole sum where the count was begun anew', async () => {
    const { turn } = await readTurn(recorded('continued'), { request: { session }, tokens: knownTokens({ before: { input: 9_000, output: 900 } }) });
    expect(turn.usage).toEqual({ inputTokens: 4_100, outputTokens: 130 });
  });

  it('counts sub-agents too', async () => {
    const { turn } = await readTurn(recorded('sub-agents'), { tokens: knownTokens({ others: { input: 200_000, output: 1_000 }, model: 'gpt-5.5' }) });
    expect(turn).toMatchObject({ usage: { inputTokens: 203_100, outputTokens: 1_080 }, model: 'gpt-5.5' });
  });

  it('of a turn that failed is what the session file says', async () => {
    const { turn } = await readTurn(recorded('half'), { tokens: knownTokens({ own: { input: 900, output: 90 } }) });
    expect(turn.usage).toEqual({ inputTokens: 900, outputTokens: 90 });
    expect((await readTurn(recorded('half'))).turn.usage).toBeUndefined();
  });
});
