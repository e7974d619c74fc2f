import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isAlive, withinTime } from '../fixture.js';
import type { LogLine } from '../../../src/agents/driver/turn-record.js';
import { drive, PlainReader, say } from './scripted-cli.js';

const DONE = say({ type: 'result', text: 'done' });

describe('the outcome', () => {
  test('is what the record says, whatever the exit status, with a warning', async () => {
    const { turn } = await drive(`${DONE}; echo "ECONNRESET while sending telemetry" >&2; exit 3`);
    expect(turn.outcome).toEqual({ class: 'success', message: 'done' });
    expect(turn.warnings).toEqual([{ code: 'late_exit', text: 'scripted gave its result and then exited with status 3: ECONNRESET while sending telemetry. The result stands.' }]);
  });

  test('is a success without a warning although the error output speaks of trouble', async () => {
    const { turn } = await drive(`echo "Error: ECONNRESET, rate limit, not logged in" >&2; ${DONE}`);
    expect(turn).toMatchObject({ outcome: { class: 'success', message: 'done' }, warnings: [] });
  });

  test.each([
    ['no record and status 0', 'true', 'scripted exited with status 0 and printed nothing. It stated no result, so what it did is unknown.'],
    ['only text and status 0', 'echo All done', 'scripted exited with status 0: All done. It stated no result, so what it did is unknown.'],
    ['records without a result', say({ type: 'message', text: 'I begin.' }), 'scripted exited with status 0. It stated no result, so what it did is unknown.'],
    ['a record that is cut', `printf '{"type":"result","text":"do'`, 'scripted exited with status 0: {"type":"result","text":"do. It stated no result, so what it did is unknown.'],
    ['JSON that is no object', `printf '[1]\\n"result"\\n42\\nnull\\n'`, 'scripted exited with status 0: null. It stated no result, so what it did is unknown.'],
    ['a status alone', 'exit 7', 'scripted exited with status 7 and printed nothing. It stated no result, so what it did is unknown.'],
    ['a stack of Node.js', `printf 'Error: boom!\\n    at x (y.js:1)\\n\\nNode.js v24.1.0\\n' >&2; exit 1`, 'scripted exited with status 1: Error: boom! It stated no result, so what it did is unknown.'],
  ])('%s is a failure with a cause', async (_what, program, text) => {
    const { turn } = await drive(program);
    expect(turn.outcome).toMatchObject({ class: 'failed', code: 'worker_error', text });
  });

  test.each([
    ['a signal', 'kill -KILL $$', 'scripted was ended by SIGKILL and printed nothing. It stated no result, so what it did is unknown.'],
    ['the status of a signal', 'exit 137', 'scripted exited with status 137 and printed nothing. It stated no result, so what it did is unknown.'],
    ['a broken connection', 'echo "TypeError: fetch failed" >&2; exit 1', 'scripted exited with status 1: TypeError: fetch failed. It stated no result, so what it did is unknown.'],
  ])('%s without a result is a lost connection', async (_what, program, text) => {
    expect((await drive(program)).turn.outcome).toMatchObject({ class: 'lost', text });
  });

  test('what the agent said is no sign of the reason', async () => {
    const { turn } = await drive(`${say({ type: 'message', text: 'The rate limit test says: 429 too many requests, not logged in, ECONNRESET' })}; exit 1`);
    expect(turn.outcome).toMatchObject({ class: 'failed', code: 'worker_error' });
  });

  test('what the CLI said in plain words is', async () => {
    const { turn } = await drive(`echo "You've hit your usage limit. Try again in 5 minutes."; exit 1`, { now: () => 1_000_000 });
    expect(turn.outcome).toMatchObject({ class: 'failed', code: 'provider_usage_limited', resetsAt: 1_300_000 });
  });

  test('a success without a word is a failure, and one that repeats nothing hands on what was said before', async () => {
    expect((await drive(say({ type: 'result', text: ' \n' }))).turn.outcome).toMatchObject({ class: 'failed', code: 'worker_error', text: 'scripted says that it is done, and its agent has not said a word.' });
    expect((await drive(`${say({ type: 'message', text: 'I did it.' })}; ${say({ type: 'result', text: '' })}`)).turn.outcome).toEqual({ class: 'success', message: 'I did it.' });
  });

  test('a blank refusal says how the process ended', async () => {
    expect((await drive(`${say({ type: 'refused', text: ' ' })}; exit 4`)).turn.outcome).toMatchObject({ class: 'failed', text: 'scripted reports an error: exited with status 4.' });
  });
});

describe('stopping', () => {
  const FOREVER = 'while :; do sleep 0.05; done';
  /** Asked to end, it calls that a success. */
  const OBLIGING = `trap '${say({ type: 'usage', input: 9 }).replaceAll("'", `'\\''`)}; ${DONE.replaceAll("'", `'\\''`)}; exit 0' TERM; ${say({ type: 'message', text: 'at work' })}; ${FOREVER}`;

  test('a result that comes after a cancel is none; its usage counts', async () => {
    const stop = new AbortController();
    const { turn } = await drive(OBLIGING, { signal: stop.signal, onEvent: (event) => event.type === 'message' && stop.abort() });
    expect(turn).toMatchObject({ outcome: { class: 'canceled' }, usage: { inputTokens: 9 }, process: { exitCode: 0, stopped: 'canceled' } });
  });

  test('a result that comes after the time limit is none', async () => {
    const { turn } = await withinTime(async (timeoutMs) => await drive(OBLIGING, { timeoutMs }), ({ events }) => events.length > 0);
    expect(turn).toMatchObject({ outcome: { class: 'timeout', message: 'at work' }, process: { stopped: 'timeout' } });
  });

  test('a result that was stated before a cancel stands', async () => {
    const stop = new AbortController();
    const { turn } = await drive(`${DONE}; ${FOREVER}`, { signal: stop.signal, onEvent: (event) => event.type === 'other' && stop.abort() });
    expect(turn).toMatchObject({ outcome: { class: 'success', message: 'done' }, process: { stopped: 'canceled' } });
  });

  test('a result that was stated before the time limit stands', async () => {
    const { turn } = await withinTime(async (timeoutMs) => await drive(`${DONE}; ${FOREVER}`, { timeoutMs }), ({ events }) => events.length > 0);
    expect(turn).toMatchObject({ outcome: { class: 'success', message: 'done' }, process: { stopped: 'timeout' } });
  });

  test('a refusal that was stated before a cancel is canceled', async () => {
    const stop = new AbortController();
    const { turn } = await drive(`${say({ type: 'refused', text: 'no' })}; ${say({ type: 'message', text: 'x' })}; ${FOREVER}`, { signal: stop.signal, onEvent: (event) => event.type === 'message' && stop.abort() });
    expect(turn.outcome).toEqual({ class: 'canceled' });
  });

  test('a CLI that has its result and does not end is stopped with what it runs, and the result stands', async () => {
    const { turn, cwd } = await drive(`sleep 600 & echo $! > child.pid; ${DONE}; wait`, { outcomeGraceMs: 200 });
    expect(turn).toMatchObject({
      outcome: { class: 'success', message: 'done' }, process: { stopped: 'outcome_known' },
      warnings: [{ code: 'late_exit', text: 'scripted did not exit after it had given its result, and was stopped. The result stands.' }],
    });
    expect(isAlive(Number(readFileSync(join(cwd, 'child.pid'), 'utf8')))).toBe(false);
  });

  test('records that come after the result do not put the stop off', async () => {
    const { turn } = await drive(`${DONE}; while :; do ${say({ type: 'noise' })}; sleep 0.05; done`, { outcomeGraceMs: 300 });
    expect(turn).toMatchObject({ outcome: { class: 'success' }, process: { stopped: 'outcome_known' } });
  });

  test('a result that is taken back lets it go on, and the next one counts', async () => {
    const program = `${say({ type: 'result', text: 'first' }, { type: 'back' })}; sleep 1; ${say({ type: 'result', text: 'second' })}`;
    const { turn } = await drive(program, { outcomeGraceMs: 200 });
    expect(turn).toMatchObject({ outcome: { class: 'success', message: 'second' }, process: { exitCode: 0 } });
  });

  test('a result that is taken back is none when nothing follows', async () => {
    const { turn } = await drive(`${say({ type: 'result', text: 'first' })}; ${say({ type: 'back' })}; kill -KILL $$`);
    expect(turn.outcome.class).toBe('lost');
  });

  test('what is about to do something else is stopped at once, and its reason stands', async () => {
    const { turn } = await drive(`trap '' TERM; ${say({ type: 'at-once', text: 'another directory' })}; ${FOREVER}`, { call: {} });
    expect(turn).toMatchObject({ outcome: { class: 'failed', sessionUnknown: true }, process: { stopped: 'outcome_known' } });
  });
});

describe('what is read', () => {
  test('the input arrives byte for byte, and ends', async () => {
    const input = `-first\r\n\t$HOME \`x\` \\ 'é😀'\0${'x'.repeat(1_000_000)}\nlast`;
    const { turn, cwd } = await drive(`cat > task.txt; ${DONE}`, { call: { input } });
    expect(turn.outcome.class).toBe('success');
    expect(readFileSync(join(cwd, 'task.txt'), 'utf8')).toBe(input);
  });

  test('a line of 20 MB is a record like any other', async () => {
    const { turn } = await drive(`printf '{"type":"result","text":"'; head -c 20000000 /dev/zero | tr '\\0' x; printf '"}\\n'`);
    expect(turn.outcome.class === 'success' && turn.outcome.message.length).toBe(20_000_000);
  });

  test('bytes that are no text, blank lines and lines of other programs are passed over', async () => {
    const { turn, events } = await drive(`printf '\\377\\376\\000\\n\\n{broken\\n[1]\\nnull\\n'; ${say({ type: 'message', text: 'hello' })}; ${DONE}`);
    expect(turn.outcome).toEqual({ class: 'success', message: 'done' });
    expect(events).toEqual([{ type: 'message', text: 'hello' }, { type: 'other', name: 'result' }]);
  });

  test('a record that no line end follows counts', async () => {
    expect((await drive(`printf '{"type":"result","text":"whole"}'`)).turn.outcome).toEqual({ class: 'success', message: 'whole' });
  });

  test('the session, the model and the usage are reported when they are new, and the model before what it is to price', async () => {
    const records = [{ type: 'session', text: 's1' }, { type: 'model', text: 'm1' }, { type: 'usage', input: 5 }, { type: 'model', text: 'm1' }, { type: 'usage', input: 5 }, { type: 'session', text: 's1' }, { type: 'usage', input: 8 }];
    const { turn, events } = await drive(`${say(...records)}; ${DONE}`);
    expect(events).toEqual([{ type: 'session', sessionId: 's1' }, { type: 'model', model: 'm1' }, { type: 'usage', inputTokens: 5, outputTokens: 0 }, { type: 'usage', inputTokens: 8, outputTokens: 0 }, { type: 'other', name: 'result' }]);
    expect(turn).toMatchObject({ sessionId: 's1', usage: { inputTokens: 8, outputTokens: 0 } });
  });

  test('the error output is an event', async () => {
    expect((await drive(`echo hey >&2; ${DONE}`)).events).toContainEqual({ type: 'other', name: 'stderr', detail: 'hey\n' });
  });
});

describe('a log', () => {
  /** Waits for nobody: a line that says that it would ends the turn. */
  class LogReader extends PlainReader {
    readLog(line: string): LogLine {
      if (line.startsWith('waiting')) this.turn = { ...this.turn, result: { ok: false, kind: 'usage_limited', text: line }, stop: true };
      return { quoted: !line.startsWith('debug'), ...(line.startsWith('limit') ? { events: [{ type: 'other', name: 'error', detail: line }] } : {}) };
    }
  }

  test('that tells more than the records ends a turn, and only what it says is quoted', async () => {
    const { turn, events } = await drive('echo "debug 1" >&2; echo "limit reached" >&2; echo "waiting for 2 hours" >&2; while :; do sleep 0.05; done', { reader: new LogReader() });
    expect(turn).toMatchObject({ outcome: { class: 'failed', code: 'provider_usage_limited', evidence: { stderrTail: 'limit reached\nwaiting for 2 hours' } }, process: { stopped: 'outcome_known' } });
    expect(events).toEqual([{ type: 'other', name: 'error', detail: 'limit reached' }]);
  });
});

describe('evidence', () => {
  const SECRET = 'sk-ant-api03-AAAABBBBCCCCDDDDEEEEFFFF';

  test('quotes the last records that matter and the end of the error output, both bounded', async () => {
    const many = Array.from({ length: 40 }, (_, n) => say({ type: 'message', text: `${n} ${'x'.repeat(1_500)}` })).join('\n');
    const { turn } = await drive(`${many}\n${say({ type: 'noise', text: 'tools '.repeat(500) })}\necho plain words\nhead -c 90000 /dev/zero | tr '\\0' e >&2\nexit 1`);
    const evidence = turn.outcome.class === 'failed' ? turn.outcome.evidence : undefined;
    const [stdout, stderr] = [evidence?.['stdoutTail'], evidence?.['stderrTail']].map(String);
    expect(stdout?.length).toBeLessThanOrEqual(4_096);
    expect(stdout).toMatch(/^\{"type":"message","text":"3\d x/);
    expect(stdout).toContain('{"type":"message","text":"39 x');
    expect(stdout?.split('\n').at(-1)).toBe('plain words');
    expect(stdout).not.toContain('noise');
    expect(stderr?.length).toBe(4_096);
  });

  test('holds no secret, wherever it stands', async () => {
    const program = `${say({ type: 'warning', text: `beware of ${SECRET}` })}; echo "key ${SECRET}" >&2; echo "text ${SECRET}"; ${say({ type: 'refused', text: `401 for ${SECRET}` })}; exit 1`;
    const { turn } = await drive(program, { secrets: { SCRIPTED_API_KEY: SECRET } });
    expect(turn.outcome).toMatchObject({ class: 'failed', text: expect.stringContaining('401 for ') });
    expect(turn.warnings).toHaveLength(1);
    expect(JSON.stringify({ outcome: turn.outcome, warnings: turn.warnings })).not.toContain('BBBBCCCC');
  });

  test('holds none in the cause of an end without a result', async () => {
    const { turn } = await drive(`printf 'key %s is wrong' '${SECRET}' >&2; exit 1`, { secrets: { SCRIPTED_API_KEY: SECRET } });
    expect(turn.outcome).toMatchObject({ text: expect.stringContaining('is wrong') });
    expect(JSON.stringify(turn.outcome)).not.toContain('BBBBCCCC');
  });
});

test('a program that is not there is missing, and what was made for the call is removed', async () => {
  let removed = 0;
  const { turn } = await drive('true', { identity: { executable: '/nowhere/scripted' }, call: { cleanUp: async () => void (removed += 1) } });
  expect(turn.outcome).toMatchObject({ class: 'failed', code: 'cli_missing', hint: 'Install it: npm install -g scripted' });
  expect(removed).toBe(1);
});

test('a turn that was canceled before it began starts nothing', async () => {
  const { turn } = await drive(DONE, { signal: AbortSignal.abort(), timeoutMs: 60_000 });
  expect(turn.outcome).toEqual({ class: 'canceled' });
});
