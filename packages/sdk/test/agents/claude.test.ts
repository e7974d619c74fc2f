import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { claudeAdapter } from '../../src/agents/clis/claude.js';
import { ClaudeReader } from '../../src/agents/clis/claude/reader.js';
import { parseRecord } from '../../src/agents/driver/record.js';
import type { AgentRequest, AgentTurn, AgentUsage, ProbeRequest } from '../../src/agents/port.js';
import { superviseProcess } from '../../src/process/supervise.js';
import { createRedactor } from '../../src/redaction/redactor.js';
import type { AgentEvent } from '../../src/run/events.js';
import { folder } from './fixture.js';

/** What the real CLI wrote; `testdata/agents/claude/README.md` tells how. */
const RECORDED = fileURLToPath(new URL('../../testdata/agents/claude/', import.meta.url));
const SESSION = '00000000-0000-4000-8000-000000000001';
const VERSIONS = ['2.1.197', '2.1.332'] as const;

let attempts = 0;

function shared(hostEnv: Readonly<Record<string, string | undefined>> = { PATH: process.env['PATH'] }) {
  attempts += 1;
  const redactor = createRedactor({ env: hostEnv });
  return {
    cwd: folder(), hostEnv, marker: { runId: `claude-${process.pid}`, stepId: 'agent-1', attempt: attempts },
    supervise: superviseProcess, redaction: () => redactor.stream(), now: () => Date.parse('2026-11-30T20:00:00Z'),
  };
}

/** A `claude` of this shell program, which has its arguments, environment and input written beside it. */
function claude(program: string): { readonly path: string; readonly saw: (what: 'args' | 'env' | 'input') => string } {
  const home = folder();
  const path = join(home, 'claude');
  writeFileSync(path, `#!/bin/sh\nfor a in "$@"; do printf '%s\\n' "$a"; done > '${home}/args'\nenv > '${home}/env'\ncat > '${home}/input'\n${program}\n`);
  chmodSync(path, 0o755);
  return { path, saw: (what) => readFileSync(join(home, what), 'utf8') };
}

async function execute(program: string, more: Partial<AgentRequest> = {}): Promise<AgentTurn & { readonly events: readonly AgentEvent[] }> {
  const events: AgentEvent[] = [];
  const request: AgentRequest = { mode: 'agent', identity: { executable: claude(program).path }, task: 'Do it.', runEnv: {}, ...shared(), ...more, onEvent: (event) => events.push(event) };
  return { ...(await claudeAdapter.execute(request)), events };
}

/** Plays what was recorded. */
async function replay(version: string, name: string, status = 0) {
  return await execute(`cat '${RECORDED}${version}/${name}.jsonl'; exit ${status}`);
}

function tokens(input: number, output: number, more: Partial<AgentUsage> = {}): AgentUsage {
  return { inputTokens: input, outputTokens: output, ...more };
}

describe.each(VERSIONS)('what %s writes', (version) => {
  test.each([
    // Micro-dollars of 2.1.332, and of the dearer model of 2.1.197.
    ['tools', 'All done.', tokens(1_250, 50, { cachedInputTokens: 1_000 }), 2_200, 3_000],
    ['parts', 'Final A.\nFinal B.', tokens(200, 40), 1_600, 2_000],
    ['edits', 'Edited.', tokens(600, 120), 4_800, 6_000],
    ['background-shell', 'Woken up.', tokens(300, 60), 2_400, 3_000],
    ['recovered', 'Recovered.', tokens(100, 20), 800, 1_000],
    ['talks-of-limits', 'The rate limit code says: API Error: 429, not logged in, please run /login', tokens(100, 20), 800, 1_000],
    ['first', 'Plain answer.', tokens(100, 20), 800, 1_000],
    // The history of a session is charged once, to the turns that made it.
    ['resumed', 'All done.', tokens(1_250, 50, { cachedInputTokens: 1_000 }), 2_200, 3_000],
  ])('%s is a success with its last message and what it used', async (name, message, used, dollars, dearer) => {
    const { outcome, warnings, usage, sessionId } = await replay(version, name);
    expect({ outcome, warnings, sessionId }).toEqual({ outcome: { class: 'success', message }, warnings: [], sessionId: SESSION });
    expect(usage).toEqual({ ...used, microDollars: version === '2.1.332' ? dollars : dearer });
  });

  test.each([
    ['rate-limit', 'failed', 'provider_usage_limited', 'claude has reached a limit of its provider (HTTP 429): API Error: Request rejected (429) · Slow down.'],
    ['key-refused', 'failed', 'cli_unauthenticated', 'claude is not signed in, or its credentials were refused (HTTP 401): Invalid API key · Fix external API key.'],
    ['not-signed-in', 'failed', 'cli_unauthenticated', 'claude is not signed in, or its credentials were refused: Not logged in · Please run /login.'],
    ['organization', 'failed', 'cli_unauthenticated', 'claude is not signed in, or its credentials were refused (HTTP 400): Your ANTHROPIC_API_KEY belongs to a disabled organization · Update or unset the environment variable.'],
    ['model-unavailable', 'failed', 'model_unavailable', 'claude may not use the model (HTTP 403): Failed to authenticate. API Error: 403 Your account does not have access to this model.'],
    ['model-unknown', 'failed', 'model_unknown', /^claude does not know the model \(HTTP 404\): There's an issue with the selected model/],
    ['credit', 'failed', 'provider_usage_limited', 'claude has reached a limit of its provider (HTTP 400): Credit balance is too low.'],
    ['bad-request', 'failed', 'worker_error', 'claude reports an error (HTTP 400): API Error: 400 messages.1.content: a text that mentions the model is invalid.'],
    ['outage', 'failed', 'provider_unavailable', /^claude could not use its provider \(HTTP 500\): API Error: 500 Internal server error/],
    ['dropped', 'lost', undefined, /^claude lost the connection to its provider: API Error: .*ECONNRESET/],
    ['session-unknown', 'failed', 'worker_error', /^claude cannot continue the session: No conversation found with session ID: \S+\.$/],
  ] as const)('%s is what it is', async (name, kind, code, text) => {
    const { outcome } = await replay(version, name, 1);
    expect(outcome).toMatchObject({ class: kind, ...(code === undefined ? {} : { code }), text: typeof text === 'string' ? text : expect.stringMatching(text) });
  });

  test('a refused request is a failure although its exit status is 0', async () => {
    expect((await replay(version, 'outage', 0)).outcome).toMatchObject({ class: 'failed', code: 'provider_unavailable' });
  });

  test('a limit of a plan tells when it resets', async () => {
    const { outcome, events } = await replay(version, 'usage-limit', 1);
    expect(outcome).toMatchObject({ class: 'failed', code: 'provider_usage_limited', resetsAt: 1_796_130_000_000 });
    expect(events).toContainEqual({ type: 'other', name: 'rate_limit', detail: { status: 'rejected', limit: 'five_hour', resetsAt: 1_796_130_000 } });
  });

  test('a success without a word is a failure', async () => {
    expect((await replay(version, 'empty')).outcome).toMatchObject({ class: 'failed', code: 'worker_error', text: 'claude says that it is done, and its agent has not said a word.' });
  });

  test('a task that a hook refused is a failure, though it is called a success', async () => {
    expect((await replay(version, 'hook-refused')).outcome).toMatchObject({ class: 'failed', code: 'worker_error', text: expect.stringContaining('Its model was not asked. UserPromptSubmit operation blocked by hook') });
  });

  test('tools that were denied are named in a warning', async () => {
    const { outcome, warnings } = await replay(version, 'denied');
    expect(outcome.class).toBe('success');
    expect(warnings).toEqual([{ code: 'tools_denied', text: 'claude was not let use Bash (echo hi; cat hello.txt). Rules of its settings deny it.' }]);
  });

  test('a session that is not found leaves no id to continue', async () => {
    const { outcome, sessionId, events } = await replay(version, 'session-unknown', 1);
    expect(outcome).toHaveProperty('sessionUnknown', true);
    expect(sessionId).toBeUndefined();
    expect(events.filter(({ type }) => type === 'session')).toEqual([]);
  });

  test('the work of a subagent is shown, and its words are not those of the agent', async () => {
    const { outcome, usage, events } = await replay(version, 'subagent');
    expect(outcome).toEqual({ class: 'success', message: version === '2.1.332' ? 'Woken up.' : 'Sub came back.' });
    expect(usage).toMatchObject(version === '2.1.332' ? tokens(500, 100) : tokens(400, 80));
    expect(events).toContainEqual({ type: 'tool', name: 'Bash', summary: 'echo from-sub > sub.txt', phase: 'start' });
    expect(events).not.toContainEqual({ type: 'message', text: 'Sub works.' });
  });

  test('messages, tools and changes are shown, with paths in the directory of the turn', () => {
    const reader = new ClaudeReader({ cwd: '/home/dev/repo', keepsSession: true });
    const shown = recorded(version, 'edits').flatMap((record) => reader.read(record));
    const start = (name: string, summary: string) => ({ type: 'tool', name, summary, phase: 'start' });
    const end = (name: string) => ({ type: 'tool', name, summary: '', phase: 'end' });
    const [a, b] = ['a.txt', 'b.txt'];
    expect(shown).toEqual([
      start('Read', a), end('Read'),
      start('Edit', a), end('Edit'), { type: 'file_change', path: a, change: 'modify' },
      start('Write', b), end('Write'), { type: 'file_change', path: b, change: 'create' },
      start('Write', a), end('Write'), { type: 'file_change', path: a, change: 'modify' },
      start('Edit', a), { ...end('Edit'), failed: true },
      { type: 'message', text: 'Edited.' },
    ]);
  });

  test('a turn that is cut short has the usage of what it had asked', () => {
    const reader = new ClaudeReader({ cwd: '/home/dev/repo', keepsSession: true });
    const seen: (AgentUsage | undefined)[] = [];
    for (const record of recorded(version, 'tools').filter(({ type }) => type !== 'result')) {
      reader.read(record);
      if (seen.at(-1) !== reader.turn.usage) seen.push(reader.turn.usage);
    }
    expect(reader.turn.usage).toEqual(tokens(1_250, 50, { cachedInputTokens: 1_000 }));
    expect(reader.turn).toMatchObject({ message: 'All done.', model: expect.stringMatching(/^claude-/) });
    const inputs = seen.map((usage) => usage?.inputTokens ?? 0);
    expect(inputs).toEqual([...inputs].sort((x, y) => x - y));
  });
});

function recorded(version: string, name: string) {
  return readFileSync(`${RECORDED}${version}/${name}.jsonl`, 'utf8').trim().split('\n').map((line) => parseRecord(line) ?? {});
}

test('a message that was cut at its limit and goes on is one message', async () => {
  expect((await replay('2.1.197', 'cut-off')).outcome).toEqual({ class: 'success', message: 'cut hereDone.' });
  expect((await replay('2.1.332', 'cut-off', 1)).outcome).toMatchObject({ class: 'failed', code: 'worker_error', text: expect.stringContaining('exceeded the 128000 output token maximum') });
});

describe('work in the background', () => {
  const lines = readFileSync(`${RECORDED}2.1.332/background-left.jsonl`, 'utf8').trim().split('\n');
  const after = lines.findIndex((line) => parseRecord(line)?.['type'] === 'result') + 1;

  test('that is left is stopped after the grace and named, also when the CLI says that it has ended', async () => {
    const parts = folder();
    writeFileSync(join(parts, 'before'), `${lines.slice(0, after).join('\n')}\n`);
    writeFileSync(join(parts, 'after'), `${lines.slice(after).join('\n')}\n`);
    const { outcome, warnings, process: ended } = await execute(`
      # By the shell itself: another program would be stopped in the middle of it.
      trap 'while read -r line; do printf "%s\\n" "$line"; done < ${parts}/after; exit 143' TERM
      cat '${parts}/before'
      while :; do sleep 0.05; done`, { outcomeGraceMs: 300 });
    expect(outcome).toEqual({ class: 'success', message: 'Started the long one.' });
    expect(ended?.stopped).toBe('outcome_known');
    expect(warnings).toEqual([
      { code: 'late_exit', text: 'claude did not exit after it had given its result, and was stopped. The result stands.' },
      { code: 'background_stopped', text: 'claude had left work in the background, which was stopped: bg.' },
    ]);
  });

  test('that wakes the model takes the first result back', () => {
    const reader = new ClaudeReader({ cwd: '/home/dev/repo', keepsSession: true });
    const results: unknown[] = [];
    for (const record of recorded('2.1.332', 'background-shell')) {
      reader.read(record);
      if (results.at(-1) !== reader.turn.result) results.push(reader.turn.result);
    }
    expect(results).toEqual([{ ok: true, message: 'Started it.' }, undefined, { ok: true, message: 'Woken up.' }]);
  });
});

describe('how it is called', () => {
  const RESULT = `printf '%s\\n' '{"type":"assistant","message":{"id":"m","model":"claude-x","content":[{"type":"text","text":"ok"}]}}' '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"ok"}'`;
  const call = async (more: Partial<AgentRequest>) => {
    const cli = claude(RESULT);
    const { outcome, sessionId } = await execute('', { identity: { executable: cli.path }, ...more });
    expect(outcome).toEqual({ class: 'success', message: 'ok' });
    return { args: cli.saw('args').split('\n').slice(0, -1), env: cli.saw('env').split('\n'), input: cli.saw('input'), sessionId };
  };
  const BASE = ['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'];

  test('an agent may use its tools; the task is in no argument', async () => {
    const task = `-p --help\r\n${'é😀'.repeat(60_000)}\n`;
    const { args, input } = await call({ task, model: 'opus' });
    expect(args).toEqual([...BASE, '--dangerously-skip-permissions', '--model', 'opus']);
    expect(input).toBe(task);
  });

  test('a session begins with its id, and goes on', async () => {
    expect((await call({ session: { kind: 'new', id: SESSION } })).args).toEqual([...BASE, '--dangerously-skip-permissions', '--session-id', SESSION]);
    expect((await call({ session: { kind: 'resume', id: SESSION } })).args).toEqual([...BASE, '--dangerously-skip-permissions', '--resume', SESSION]);
  });

  test('an answer has no tools, no servers of tools, no settings for work and no session', async () => {
    const { args, env, sessionId } = await call({ mode: 'llm', permissions: { accessPreset: 'readonly' } });
    expect(args).toEqual([...BASE, '--tools', '', '--strict-mcp-config', '--disable-slash-commands', '--no-session-persistence']);
    expect(env).toContain('CLAUDE_CODE_SAFE_MODE=1');
    expect(sessionId).toBeUndefined();
  });

  test('one that may only read has tools that read', async () => {
    expect((await call({ permissions: { accessPreset: 'readonly' } })).args).toEqual([...BASE, '--dangerously-skip-permissions', '--tools', 'Read,Glob,Grep,WebFetch,WebSearch', '--strict-mcp-config']);
    expect((await call({ permissions: { accessPreset: 'readwrite', fileGlobs: ['src/**'] } })).args).toEqual([...BASE, '--dangerously-skip-permissions']);
  });

  test('only root is said to be in a sandbox', async () => {
    const { env } = await call({});
    expect(env.includes('IS_SANDBOX=1')).toBe(process.getuid?.() === 0);
    expect(env).toContain('DISABLE_AUTOUPDATER=1');
    expect(env).not.toContain('CLAUDE_CODE_SAFE_MODE=1');
  });

  test.each(['/help', '/clear', '/review the code'])('the task "%s" is no command', async (task) => {
    expect((await call({ task })).input).toBe(`\n${task}`);
  });

  test('a session id that is in use fails with what the CLI says', async () => {
    const { outcome } = await execute(`echo 'Error: Session ID ${SESSION} is already in use.' >&2; exit 1`, { session: { kind: 'new', id: SESSION } });
    expect(outcome).toMatchObject({ class: 'failed', code: 'worker_error', text: `claude exited with status 1: Error: Session ID ${SESSION} is already in use. It stated no result, so what it did is unknown.` });
  });
});

describe('the probe', () => {
  const SIGNED_IN = `printf '{\\n  "loggedIn": true,\\n  "authMethod": "claude.ai",\\n  "email": "dev@example.com"\\n}\\n'`;
  const SIGNED_OUT = `printf '{\\n  "loggedIn": false,\\n  "authMethod": "none",\\n  "apiProvider": "firstParty"\\n}\\n'; exit 1`;
  const probe = async (version: string, status: string, more: Partial<ProbeRequest> = {}) => {
    const cli = claude(`echo "$*" >> "$0.asked"; case "$1" in --version) ${version};; auth) ${status};; esac`);
    const identity = claudeAdapter.probe({ ...shared(), executable: cli.path, ...more });
    return { identity, path: cli.path, asked: () => readFileSync(`${cli.path}.asked`, 'utf8').trim().split('\n') };
  };

  test('tells the version and who is signed in', async () => {
    const { identity, path } = await probe('echo "2.1.332 (Claude Code)"', SIGNED_IN);
    expect(await identity).toEqual({ executable: path, version: '2.1.332', account: 'dev@example.com' });
  });

  test('names the way of signing in where there is no address', async () => {
    const { identity } = await probe('echo 2.1.197', `echo '{"loggedIn": true, "authMethod": "api_key"}'`);
    expect(await identity).toMatchObject({ account: 'api_key' });
  });

  test.each([['as a status and over many lines', SIGNED_OUT], ['in words alone', `echo '{"loggedIn": false}'`]])('nobody signed in is told %s', async (_how, status) => {
    const { identity } = await probe('echo 2.1.332', status);
    await expect(identity).rejects.toMatchObject({
      code: 'cli_unauthenticated', text: 'claude is not signed in: claude auth status says that nobody is logged in.', hint: 'To sign in, run claude and type /login, or set ANTHROPIC_API_KEY.',
    });
  });

  test('a version that is too old is not asked for its sign-in: it would send the words to its model', async () => {
    const { identity, asked } = await probe('echo "2.0.77 (Claude Code)"', SIGNED_IN);
    await expect(identity).rejects.toMatchObject({ code: 'cli_outdated', hint: 'Bring it up to date: claude update' });
    expect(asked()).toEqual(['--version']);
  });

  test('each question has its deadline', async () => {
    const slow = await probe('echo 2.1.332', 'exec sleep 600', { deadlines: { signInMs: 300 } });
    await expect(slow.identity).rejects.toMatchObject({ code: 'probe_failed', text: expect.stringMatching(/auth status did not answer within 300 ms\.$/) });
    const slower = await probe('exec sleep 600', SIGNED_IN, { deadlines: { identityMs: 300 } });
    await expect(slower.identity).rejects.toMatchObject({ code: 'probe_failed', text: expect.stringMatching(/--version did not answer within 300 ms\.$/) });
  });
});
