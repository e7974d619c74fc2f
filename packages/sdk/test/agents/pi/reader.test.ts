import { describe, expect, it } from 'vitest';
import type { JsonRecord } from '../../../src/agents/driver/record.js';
import { PiReader } from '../../../src/agents/clis/pi/reader.js';
import { printed, read, recorded, recordsOf, SESSION, VERSIONS, WORK } from './recordings.js';

describe.each(VERSIONS)('what pi %s writes', (version) => {
  const records = (name: string): readonly JsonRecord[] => recordsOf(recorded(version, name));

  it('shows messages, tools, changes of files and the running totals, and ends with the last message', () => {
    const { turn, events } = read(records('tools'));
    expect(events).toEqual([
      { type: 'message', text: 'Working.' },
      { type: 'tool', name: 'bash', summary: 'echo hi; git status --short', phase: 'start' },
      { type: 'tool', name: 'bash', summary: '', phase: 'end' },
      { type: 'message', text: 'Writing.' },
      { type: 'tool', name: 'write', summary: 'hello.txt', phase: 'start' },
      { type: 'tool', name: 'bash', summary: 'exit 3', phase: 'start' },
      { type: 'tool', name: 'bash', summary: '', phase: 'end', failed: true },
      { type: 'tool', name: 'write', summary: '', phase: 'end' },
      { type: 'file_change', path: 'hello.txt', change: 'modify' },
      { type: 'message', text: 'All done.' },
    ]);
    expect(turn).toEqual({
      sessionId: SESSION,
      model: 'stub-model',
      message: 'All done.',
      result: { ok: true, message: 'All done.' },
      usage: { inputTokens: 2_600, outputTokens: 80, cachedInputTokens: 1_100, microDollars: 6_030 },
    });
  });

  it('tells a session only once it is kept, and none of a model call', () => {
    const upTo = (type: string) => records('tools').slice(0, records('tools').findIndex((record) => record['type'] === type));
    expect(read(upTo('message_update')).before.sessionId).toBeUndefined();
    expect(read(upTo('tool_execution_start')).before.sessionId).toBe(SESSION);
    expect(read(records('tools'), { asked: { sessionless: true } }).turn.sessionId).toBeUndefined();
  });

  it.each([
    ['unauthorized', { ok: false, status: 401, text: 'Invalid API key.' }],
    ['limit', { ok: false, status: 429, text: 'You have reached your usage limit. Try again in 2 hours.' }],
  ])('%s: the status and the words of the provider', (name, result) => expect(read(records(name)).before.result).toEqual(result));

  it('states a connection that was lost in the middle, although it exits with 0', () => {
    expect(read(records('dropped-mid')).turn.result).toMatchObject({ ok: false, text: expect.stringMatching(/^terminated/) });
  });

  it('takes an error back that it gets over', () => {
    const { turn, settled, events } = read(records('recovered'));
    expect(turn.result).toEqual({ ok: true, message: 'Recovered.' });
    expect(events).toContainEqual({ type: 'other', name: 'retry', detail: { attempt: 1, of: expect.any(Number), error: expect.stringMatching(/./) } });
    // 0.73.1 does not say in `agent_end` that it will try again.
    expect(settled).toEqual(version === '0.73.1' ? ['agent_end', 'agent_end'] : ['agent_end', 'agent_settled']);
  });

  it('does not take the files of another directory for its own', () => {
    const moved = recordsOf(recorded(version, 'tools').replaceAll('"hello.txt"', '"/elsewhere/hello.txt"'));
    expect(read(moved).events).toContainEqual({ type: 'file_change', path: '/elsewhere/hello.txt', change: 'modify' });
    const whole = recordsOf(recorded(version, 'tools').replaceAll('"hello.txt"', `"${WORK}/sub/hello.txt"`));
    expect(read(whole).events).toContainEqual({ type: 'file_change', path: 'sub/hello.txt', change: 'modify' });
  });

  it('does not know what was paid for a model without a price', () => {
    const free = recordsOf(recorded(version, 'tools').replaceAll(/"total":0\.\d+/g, '"total":0'));
    expect(read(free).turn.usage).toEqual({ inputTokens: 2_600, outputTokens: 80, cachedInputTokens: 1_100 });
  });

  it('is stopped at once with another model, in another directory, or with another session', () => {
    const refused = (asked: Parameters<typeof read>[1]) => read(records('tools'), asked).before;
    expect(refused({ asked: { model: 'stub/other' } })).toMatchObject({ stop: true, result: { ok: false, kind: 'model_unknown', text: 'it took stub/stub-model for stub/other' } });
    expect(refused({ asked: { cwd: '/elsewhere' } })).toMatchObject({ stop: true, result: { ok: false, kind: 'session_unknown', text: `the session belongs to ${WORK}` } });
    expect(refused({ asked: { sessionId: '01a22e00' } })).toMatchObject({ stop: true, result: { ok: false, kind: 'session_unknown' } });
    expect(refused({ asked: { model: 'STUB-model:high', sessionId: SESSION } })).toMatchObject({ result: { ok: true } });
  });

  it('fails when the answer was cut off', () => {
    const cut = recordsOf(recorded(version, 'recovered').replaceAll('"stopReason":"stop"', '"stopReason":"length"'));
    expect(read(cut).turn.result).toMatchObject({ ok: false, kind: 'other', text: expect.stringContaining('…Recovered.') });
  });

  it('leaves an interrupted turn to the end of its process', () => {
    const interrupted = recordsOf(recorded(version, 'unauthorized').replaceAll('"stopReason":"error"', '"stopReason":"aborted"').replaceAll(/"errorMessage":"(?:[^"\\]|\\.)*"/g, '"errorMessage":"Request was aborted"'));
    expect(read(interrupted).before.result).toBeUndefined();
    expect(read(interrupted).turn.result).toEqual({ ok: false, text: 'Request was aborted' });
    expect(read(interrupted, { process: { exitCode: 143 } }).turn.result).toBeUndefined();
    expect(read(interrupted, { process: { exitCode: 143, stopped: 'timeout' } }).turn.result).toBeUndefined();
  });

  it('needs no end of its own after an answer that is one, as where that line is too long to be read', () => {
    const cut = records('tools').filter(({ type }) => type !== 'agent_end' && type !== 'agent_settled');
    expect(read(cut).before.result).toBeUndefined();
    expect(read(cut).turn.result).toEqual({ ok: true, message: 'All done.' });
    expect(read(cut, { process: { exitCode: 1 } }).turn.result).toMatchObject({ ok: false });
  });

  it.each([
    ['not at all', 0],
    ['after its session', 1],
    ['after it has called a tool', records('tools').findIndex((record) => record['type'] === 'tool_execution_end')],
  ])('is no success when it ends %s, whatever its status', (_when, count) => {
    for (const exitCode of [0, 1]) expect(read(records('tools').slice(0, count), { process: { exitCode } }).turn.result).toMatchObject({ ok: false, text: expect.stringMatching(/\S/) });
  });

  it.each([
    ['turnNotSignedIn', 'unauthenticated', 'No API key found for the selected model.'],
    ['otherProvider', 'unauthenticated', 'No API key found for openai.'],
    ['unknownModel', 'model_unknown', 'Model "nosuch" not found. Use --list-models to see available models.'],
    ['sessionElsewhere', 'session_unknown', `Session found in different project: ${WORK}`],
    ['sessionUnknown', 'session_unknown', "No session found matching 'b7a3f0de-4c1f-4a4e-9a55-0d5f3c2b1a90'"],
  ] as const)('%s: says what is wrong instead of beginning', (question, kind, text) => {
    const { status, stdout, stderr } = printed(version, question);
    const process = { exitCode: status, stderr: { text: stderr, dropped: 0 } };
    expect(read(stdout === '' ? [] : recordsOf(stdout), { process }).turn.result).toEqual({ ok: false, kind, text });
  });

  it('quotes no piece of a message, no repetition and no system prompt', () => {
    const reader = new PiReader({ cwd: WORK, sessionless: false });
    const kept = records('tools').filter((record) => !reader.isNoise(record));
    expect(new Set(kept.map(({ type }) => type))).toEqual(new Set(['session', 'agent_start', 'turn_start', 'message_end', 'tool_execution_start', 'tool_execution_end', ...(version === '1.6.0' ? ['agent_settled'] : [])]));
    expect(JSON.stringify(kept)).not.toContain('"role":"system"');
  });
});

describe('a full context', () => {
  it('is mended by 1.6.0 and paid for', () => {
    const { turn, settled, events } = read(recordsOf(recorded('1.6.0', 'overflow')));
    expect(turn.result).toEqual({ ok: true, message: 'Echo: done.' });
    expect(settled).toEqual(['agent_end', 'entry_appended', 'agent_end', 'agent_settled']);
    expect(events).toEqual([{ type: 'message', text: 'Echo: done.' }]);
    // 100 and 20 for the answer; the summary takes two requests.
    expect(turn.usage).toMatchObject({ inputTokens: 300, outputTokens: 60 });
  });

  it('ends 0.73.1 with status 0 in the middle of mending it', () => {
    const { before, turn } = read(recordsOf(recorded('0.73.1', 'overflow')));
    expect(before.result).toBeUndefined();
    expect(turn.result).toMatchObject({ ok: false, status: 400, text: expect.stringContaining('maximum context length') });
  });

  it.each(VERSIONS)('does not touch the answer when it is shortened afterwards (%s)', (version) => {
    const { before, turn } = read(recordsOf(recorded(version, 'compacted')));
    expect(turn.result).toEqual({ ok: true, message: 'Looked.' });
    // 0.73.1 is gone before it has shortened anything.
    expect(before.result).toEqual(version === '0.73.1' ? undefined : turn.result);
  });
});
