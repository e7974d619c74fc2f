import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jsonLines } from 'test-tools';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { opencodeAdapter } from '../../src/agents/clis/opencode.js';
import { isHopeless } from '../../src/agents/clis/opencode/failure.js';
import { logEntry } from '../../src/agents/clis/opencode/log.js';
import { accountOf, modelsOf } from '../../src/agents/clis/opencode/probe.js';
import { eventsOfTool } from '../../src/agents/clis/opencode/tool.js';
import type { AgentRequest, AgentTurn } from '../../src/agents/port.js';
import { superviseProcess } from '../../src/process/supervise.js';
import { createRedactor } from '../../src/redaction/redactor.js';
import type { AgentEvent } from '../../src/run/events.js';

const RECORDINGS = fileURLToPath(new URL('../../testdata/agents/opencode/', import.meta.url));

/** Notes how it was called, then writes what opencode once wrote, records and log each on their stream. */
const SCRIPT = `#!${process.execPath}
const { appendFileSync, readFileSync, writeSync } = require('node:fs');
const { join } = require('node:path');
const folder = FOLDER;
const args = process.argv.slice(2);
const input = args[0] === 'run' ? readFileSync(0, 'utf8') : '';
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('OPENCODE_')));
appendFileSync(join(folder, 'calls'), JSON.stringify({ args, input, env }) + '\\n');
const { recording, out = '', err = '', status = 0, stays } = JSON.parse(readFileSync(join(folder, 'answers'), 'utf8'))[args[0]] ?? { err: 'unknown', status: 2 };
const lines = recording === undefined ? [] : readFileSync(recording, 'utf8').trimEnd().split('\\n');
for (const line of lines) writeSync(line.startsWith('{') ? 1 : 2, line + '\\n');
writeSync(1, out);
writeSync(2, err);
process.exitCode = status;
if (stays) setInterval(() => {}, 1000);
`;

interface Answer {
  readonly recording?: string;
  readonly out?: string;
  readonly err?: string;
  readonly status?: number;
  /** It does not end by itself. */
  readonly stays?: boolean;
}

interface Call {
  readonly args: readonly string[];
  readonly input: string;
  readonly env: Readonly<Record<string, string>>;
}

let folder = '';
let executable = '';
let events: AgentEvent[] = [];
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'relayflows-opencode-')));
  executable = join(folder, 'opencode');
  writeFileSync(executable, SCRIPT.replace('FOLDER', JSON.stringify(folder)));
  chmodSync(executable, 0o755);
  events = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function answers(by: Readonly<Record<string, Answer>>): void {
  writeFileSync(join(folder, 'answers'), JSON.stringify(by));
}

function recording(name: string): string {
  return join(RECORDINGS, `${name}.txt`);
}

function calls(command: string): readonly Call[] {
  if (!existsSync(join(folder, 'calls'))) return [];
  return jsonLines<Call>(join(folder, 'calls')).filter(({ args }) => args[0] === command);
}

function shared(env: Readonly<Record<string, string>> = {}) {
  const hostEnv = { PATH: process.env['PATH'], HOME: folder, ...env };
  const redactor = createRedactor({ env: hostEnv });
  return { cwd: folder, hostEnv, marker: { runId: `opencode-${process.pid}`, stepId: 'agent-1', attempt: 1 }, supervise: superviseProcess, redaction: () => redactor.stream() };
}

async function turn(more: Partial<AgentRequest> = {}, env: Readonly<Record<string, string>> = {}): Promise<AgentTurn> {
  return await opencodeAdapter.execute({
    mode: 'agent', identity: { executable }, task: 'Do it.', runEnv: {}, ...shared(env), now: () => Date.parse('2026-11-30T20:00:00Z'), onEvent: (event) => events.push(event), ...more,
  });
}

async function played(name: string, status: number, more: Partial<AgentRequest> = {}, others: Readonly<Record<string, Answer>> = {}): Promise<AgentTurn> {
  answers({ run: { recording: recording(name), status }, ...others });
  return await turn(more);
}

const failureOf = ({ outcome }: AgentTurn) => (outcome.class === 'failed' ? { code: outcome.code, text: outcome.text } : outcome.class === 'lost' ? { code: 'lost', text: outcome.text } : outcome);

it('tells files from the directory it works in', () => {
  const write = { tool: 'write', state: { status: 'completed', input: { filePath: '/repo/sub/a.txt', content: 'a' }, metadata: { filepath: '/repo/sub/a.txt', exists: false } } };
  expect(eventsOfTool(write, '/repo')).toEqual([
    { type: 'tool', name: 'write', summary: 'sub/a.txt', phase: 'start' },
    { type: 'tool', name: 'write', summary: '', phase: 'end' },
    { type: 'file_change', path: 'sub/a.txt', change: 'create' },
  ]);
});

describe('what a turn came to', () => {
  it('reads the answer, the usage and the session', async () => {
    const done = await played('success', 0);
    expect(done.outcome).toEqual({ class: 'success', message: 'All done.' });
    expect(done.usage).toEqual({ inputTokens: 3150, outputTokens: 70, cachedInputTokens: 100, microDollars: 10_230 });
    expect(done).toMatchObject({ sessionId: 'ses_00000001', model: 'stub/stub-model', warnings: [] });
    expect(events.filter(({ type }) => type === 'session')).toEqual([{ type: 'session', sessionId: 'ses_00000001' }]);
    expect(events).toContainEqual({ type: 'tool', name: 'bash', summary: 'echo hello > shell.txt; echo out', phase: 'start' });
    expect(events).toContainEqual({ type: 'file_change', path: '/home/dev/repo/a.txt', change: 'modify' });
    expect(events.filter(({ type }) => type === 'message')).toEqual(['Working.', 'Writing.', 'All done.'].map((text) => ({ type: 'message', text })));
    expect(events.filter(({ type }) => type === 'other')).toEqual([]);
  });

  it.each([
    ['recovered', 0, 'Recovered.'],
    ['dropped-once', 0, 'Recovered.'],
    ['no-reason', 0, 'Half an answer'],
    ['readonly', 0, 'RO done'],
  ])('goes on to the answer: %s', async (name, status, message) => {
    expect((await played(name, status)).outcome).toEqual({ class: 'success', message });
  });

  it('shows a refusal that it gets over', async () => {
    await played('recovered', 0);
    expect(events).toContainEqual({ type: 'other', name: 'error', detail: expect.stringMatching(/./) });
  });

  it('lets an answer stand that came after an error, whatever the status', async () => {
    const done = await played('shortened', 1);
    expect(done.outcome).toEqual({ class: 'success', message: 'Done.' });
    expect(done.warnings.map(({ code }) => code)).toEqual(['late_exit']);
    expect(events.filter(({ type }) => type === 'message')).not.toContainEqual(expect.objectContaining({ text: expect.stringContaining('The conversation was compacted') as string }));
  });

  it.each([
    ['unauthorized', 1, 'cli_unauthenticated', /Invalid API key\./],
    ['model-unavailable', 1, 'model_unavailable', /does not have access to model stub-model/],
    ['model-gone', 1, 'model_unknown', /The model stub-model does not exist/],
    ['model-unknown', 1, 'model_unknown', /Model not found: nope\/nope/],
    ['rate-limited', 1, 'provider_usage_limited', /Slow down\./],
    ['outage', 1, 'provider_unavailable', /Internal server error\./],
    ['dropped-before', 1, 'lost', /socket connection was closed/],
    ['dropped-mid', 1, 'lost', /Connection reset by server/],
    ['no-network', 1, 'lost', /Cannot connect to API/],
    ['cut-off', 0, 'worker_error', /cut off/],
    ['filtered', 1, 'worker_error', /content filter/],
    ['empty', 0, 'worker_error', /has not said a word/],
    ['settings-broken', 1, 'worker_error', /Configuration is invalid at/],
  ])('tells %s', async (name, status, code, text) => {
    const failure = failureOf(await played(name, status));
    expect(failure).toEqual({ code, text: expect.stringMatching(text) as string });
  });

  it('takes an unknown session for one, though it was there when it was looked for', async () => {
    const { outcome } = await played('session-unknown', 1, { session: { kind: 'resume', id: 'ses_00000001' } }, { db: { out: JSON.stringify([{ directory: folder }]) } });
    expect(outcome).toMatchObject({ class: 'failed', sessionUnknown: true });
  });

  it('never takes status 0 for an answer', async () => {
    answers({ run: { status: 0 } });
    expect(failureOf(await turn())).toMatchObject({ code: 'worker_error' });
    answers({ run: { out: readFileSync(recording('success'), 'utf8').split('\n').filter((line) => line.startsWith('{')).slice(0, -1).join('\n'), status: 0 } });
    expect(failureOf(await turn())).toMatchObject({ code: 'worker_error' });
  });

  it('states no cost where opencode knows no price', async () => {
    expect((await played('cut-off', 0)).usage).toEqual({ inputTokens: 100, outputTokens: 20, cachedInputTokens: 0 });
  });

  it('counts what sub-agents used, which is in no record', async () => {
    const row = { cost: 0.01935, tokens_input: 5700, tokens_output: 120, tokens_reasoning: 10, tokens_cache_read: 1000, tokens_cache_write: 0 };
    const { usage } = await played('sub-agent', 0, {}, { db: { out: JSON.stringify([row]) } });
    expect(usage).toEqual({ inputTokens: 6900, outputTokens: 170, cachedInputTokens: 1000, microDollars: 20_550 });
    expect(calls('db')[0]?.args[1]).toContain("'ses_00000002'");
    const unread = await played('sub-agent', 0, {}, { db: { err: 'database is locked', status: 1 } });
    expect(unread.warnings.map(({ code }) => code)).toEqual(['usage_incomplete']);
  });
});

describe('a turn that waits', () => {
  it('is stopped at once where asking again is no use', async () => {
    answers({ run: { recording: recording('quota-waiting'), stays: true } });
    const { outcome, process: ended } = await turn();
    expect(outcome).toMatchObject({ class: 'failed', code: 'provider_usage_limited', text: expect.stringContaining('You exceeded your current quota.') as string });
    expect(ended?.stopped).toBe('outcome_known');
  });

  it('is stopped at once where the limit is said to last, and says until when', async () => {
    answers({ run: { recording: recording('rate-limit-with-time'), stays: true } });
    expect((await turn()).outcome).toMatchObject({ class: 'failed', code: 'provider_usage_limited', resetsAt: Date.parse('2026-11-30T23:00:00Z') });
  });

  it('is a limit when it waits for longer than it does by itself', async () => {
    const log = readFileSync(recording('quota-waiting'), 'utf8').replaceAll('You exceeded your current quota.', 'Slow down.');
    answers({ run: { err: log, stays: true } });
    const { outcome } = await turn({ outcomeGraceMs: 50 });
    expect(outcome).toMatchObject({ class: 'failed', code: 'provider_usage_limited', text: expect.stringContaining('Slow down.') as string });
  });

  it('is a timeout or canceled when it is stopped from outside', async () => {
    const log = readFileSync(recording('quota-waiting'), 'utf8').replaceAll('You exceeded your current quota.', 'Slow down.');
    answers({ run: { err: log, stays: true } });
    expect((await turn({ timeoutMs: 3_000 })).outcome).toEqual({ class: 'timeout' });
    const stop = new AbortController();
    const { outcome } = await turn({ signal: stop.signal, onEvent: ({ type }) => type === 'session' && stop.abort() });
    expect(outcome).toEqual({ class: 'canceled' });
  });

  it.each([
    ['You exceeded your current quota.', true],
    ['5-hour usage limit reached. It will reset in 2 hours 5 minutes.', true],
    ['Rate limit reached. Please try again in 3 hours.', true],
    ['Rate limit reached. Please try again in 20 seconds.', false],
    ['Slow down.', false],
    ['Internal server error.', false],
  ])('knows what is no use: %s', (text, expected) => {
    expect(isHopeless(text, Date.parse('2026-11-30T20:00:00Z'))).toBe(expected);
  });
});

describe('how it is called', () => {
  const EDGES = ['-P dash', '/init', '@README', '--help', '"quoted"', '  lead and trail \r\n', '\uFEFFmark', 'ü€😀'.repeat(50_000)];
  it.each(EDGES.map((task) => [task.slice(0, 20), task]))('hands over the task on its standard input: %s', async (_name, task) => {
    await played('success', 0, { task });
    const [call] = calls('run');
    // It drops one byte order mark from the front of what it reads.
    expect(call?.input).toBe(task.startsWith('\uFEFF') ? `\uFEFF${task}` : task);
    expect(call?.args.join(' ')).not.toContain(task);
  });

  it('names the model, and asks for no title', async () => {
    await played('success', 0, { model: 'stub/stub-model' });
    const [call] = calls('run');
    expect(call?.args).toEqual(['run', '--format', 'json', '--auto', '--print-logs', '--log-level', 'INFO', '--title', 'relayflows agent-1', '--model', 'stub/stub-model']);
    expect(call?.env).toEqual({ OPENCODE_DISABLE_AUTOUPDATE: '1' });
  });

  it('gives a model call no tool, no session and no project', async () => {
    const { sessionId } = await played('success', 0, { mode: 'llm' });
    const [call] = calls('run');
    expect(sessionId).toBeUndefined();
    expect(call?.args.slice(-3)).toEqual(['--agent', 'relayflows-llm', '--pure']);
    expect(call?.env).toMatchObject({ OPENCODE_DB: ':memory:', OPENCODE_DISABLE_PROJECT_CONFIG: '1' });
    expect(JSON.parse(call?.env['OPENCODE_CONFIG_CONTENT'] ?? '')).toMatchObject({ agent: { 'relayflows-llm': { mode: 'primary', permission: { '*': 'deny' } } } });
  });

  it('lets an agent that may only read do nothing else, beside the settings of the user', async () => {
    const own = { theme: 'dark', agent: { mine: { mode: 'primary' } } };
    answers({ run: { recording: recording('success') } });
    await turn({ permissions: { accessPreset: 'readonly' } }, { OPENCODE_CONFIG_CONTENT: JSON.stringify(own) });
    const [call] = calls('run');
    expect(call?.args.slice(-2)).toEqual(['--agent', 'relayflows-readonly']);
    const settings = JSON.parse(call?.env['OPENCODE_CONFIG_CONTENT'] ?? '') as { readonly theme: string; readonly agent: Readonly<Record<string, { readonly permission?: Readonly<Record<string, string>> }>> };
    expect(settings.theme).toBe('dark');
    expect(settings.agent['mine']).toEqual({ mode: 'primary' });
    const rules = settings.agent['relayflows-readonly']?.permission ?? {};
    expect(Object.keys(rules)[0]).toBe('*');
    expect(rules).toMatchObject({ '*': 'deny', read: 'allow' });
    for (const tool of ['edit', 'write', 'bash', 'task', 'patch']) expect(rules[tool]).toBeUndefined();
  });

  it('refuses settings that it cannot add to, and starts nothing', async () => {
    answers({ run: { recording: recording('success') } });
    const refused = await turn({ permissions: { accessPreset: 'readonly' } }, { OPENCODE_CONFIG_CONTENT: '{ // mine\n}' });
    expect(failureOf(refused)).toMatchObject({ code: 'worker_error', text: expect.stringContaining('OPENCODE_CONFIG_CONTENT') as string });
    expect(calls('run')).toEqual([]);
  });
});

describe('a session to continue', () => {
  const resume = { session: { kind: 'resume', id: 'ses_00000001' } } as const;

  it('goes on where it began', async () => {
    const { outcome } = await played('success', 0, resume, { db: { out: JSON.stringify([{ directory: folder }]) } });
    expect(outcome.class).toBe('success');
    const args = calls('run')[0]?.args ?? [];
    expect(args.slice(args.indexOf('--session'))).toEqual(['--session', 'ses_00000001']);
  });

  it.each([
    ['of another directory', 'ses_00000001', { out: '[{"directory":"/elsewhere"}]' }, /began in \/elsewhere/],
    ['that nobody knows', 'ses_00000001', { out: '[]' }, /not known/],
    ['that cannot be looked up', 'ses_00000001', { err: 'database is locked', status: 1 }, /cannot be looked up/],
    ['with an id that is none', "x' or '1'='1", { out: '[]' }, /not known/],
  ])('is refused at once, and nothing is started: one %s', async (_name, id, db, text) => {
    const { outcome } = await played('session-elsewhere', 0, { session: { kind: 'resume', id } }, { db });
    expect(outcome).toMatchObject({ class: 'failed', sessionUnknown: true, text: expect.stringMatching(text) as string });
    expect(calls('run')).toEqual([]);
  });

  it('leaves it to the turn to say that opencode is gone', async () => {
    const { outcome } = await turn({ ...resume, identity: { executable: `${executable}-gone` } });
    expect(outcome).toMatchObject({ class: 'failed', code: 'cli_missing' });
  });
});

describe('a probe', () => {
  const AUTH = '\n\u250C  Credentials \u001B[90m~/.local/share/opencode/auth.json\n\u2502\n\u25CF  stub \u001B[90mapi\n\u2502\n\u2514  1 credentials\n\n\u250C  Environment\n\u2502\n\u25CF  Anthropic \u001B[90mANTHROPIC_API_KEY\n\u2502\n\u2514  1 environment variable\n';
  const NONE = '\u250C  Credentials \u001B[90m~/.local/share/opencode/auth.json\n\u2502\n\u2514  0 credentials\n';
  const ready = { '--version': { out: '1.18.33\n' }, auth: { out: AUTH }, models: { out: 'stub/stub-model\nrouter/vendor/model\n' } };
  const probe = async (by: Readonly<Record<string, Answer>>, model?: string) => {
    answers(by);
    return await opencodeAdapter.probe({ executable, ...shared(), ...(model === undefined ? {} : { model }) });
  };

  it('tells the version, who is signed in and the models', async () => {
    expect(await probe(ready, 'router/vendor/model')).toEqual({ executable, version: '1.18.33', account: 'stub api, Anthropic ANTHROPIC_API_KEY', models: ['stub/stub-model', 'router/vendor/model'] });
  });

  it('takes a provider without credentials for one', async () => {
    expect(await probe({ ...ready, auth: { out: NONE } })).toEqual({ executable, version: '1.18.33', models: ['stub/stub-model', 'router/vendor/model'] });
  });

  it.each([
    ['no model at all', { ...ready, auth: { out: NONE }, models: { out: '' } }, undefined, 'cli_unauthenticated'],
    ['an old version', { ...ready, '--version': { out: '0.9.1\n' } }, undefined, 'cli_outdated'],
    ['another program', { ...ready, '--version': { out: 'usage\n' } }, undefined, 'cli_unsupported'],
    ['settings that are broken', { ...ready, models: { err: '\u001B[91m\u001B[1mError: \u001B[0mConfiguration is invalid at /x/opencode.json\n', status: 1 } }, undefined, 'probe_failed'],
    ['a model that its provider has not', ready, 'stub/nope', 'model_unknown'],
    ['a model without its provider', ready, 'stub-model', 'model_unknown'],
    ['a provider that cannot be used', ready, 'openai/gpt-5.5', 'model_unavailable'],
  ])('refuses %s', async (_name, by, model, code) => {
    await expect(probe(by as Readonly<Record<string, Answer>>, model)).rejects.toMatchObject({ code });
  });

  it('reads lists among other words', () => {
    expect(modelsOf('Database migration done.\nstub/a\n\nrouter/vendor/b \n')).toEqual(['stub/a', 'router/vendor/b']);
    expect(accountOf(NONE)).toBeUndefined();
  });
});

describe('its log', () => {
  it.each([
    ['timestamp=1 level=INFO run=0 message=created id=ses_1 parentID=undefined title="a message=stream b"', { type: 'created', sessionId: 'ses_1' }],
    ['timestamp=1 level=INFO run=0 message=created id=ses_2 parentID=ses_1 title=x', { type: 'created', sessionId: 'ses_2', parentId: 'ses_1' }],
    ['timestamp=1 level=INFO run=0 message=stream providerID=p modelID=v/m session.id=ses_1 small=false', { type: 'asking', sessionId: 'ses_1', model: 'p/v/m' }],
    ['timestamp=1 level=INFO run=0 message=stream providerID=p modelID=m session.id=ses_1 small=true agent=title', undefined],
    ['timestamp=1 level=ERROR run=0 message="stream error" session.id=ses_1 small=false error.error="AI_APICallError: Say \\"no\\"."', { type: 'refused', sessionId: 'ses_1', text: 'Say "no".' }],
    ['timestamp=1 level=INFO run=0 message=loop session.id=ses_1 step=0', undefined],
    ['\u001B[91m\u001B[1mError: \u001B[0mSession not found', { type: 'fatal', text: 'Session not found' }],
    ['anything else', undefined],
  ])('%s', (line, expected) => {
    expect(logEntry(line)).toEqual(expected);
  });
});
