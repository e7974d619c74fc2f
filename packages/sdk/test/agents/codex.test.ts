import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jsonLines } from 'test-tools';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codexAdapter } from '../../src/agents/clis/codex.js';
import type { AgentRequest, AgentTurn } from '../../src/agents/port.js';
import { superviseProcess } from '../../src/process/supervise.js';
import { createRedactor } from '../../src/redaction/redactor.js';
import type { AgentEvent } from '../../src/run/events.js';
import { RECORDED, recorded, threadOf } from './codex/recordings.js';

/** Notes how it was called, then writes what Codex once wrote: `answers` holds, for the first word of its arguments, where it lies and the status. */
const SCRIPT = `#!${process.execPath}
const { appendFileSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const folder = FOLDER;
const args = process.argv.slice(2);
const input = args[0] === 'exec' ? readFileSync(0, 'utf8') : '';
const schema = args.includes('--output-schema') ? JSON.parse(readFileSync(args[args.indexOf('--output-schema') + 1], 'utf8')) : undefined;
appendFileSync(join(folder, 'calls'), JSON.stringify({ args, input, schema, cwd: process.cwd() }) + '\\n');
const { out = '', err = '', status = 0 } = JSON.parse(readFileSync(join(folder, 'answers'), 'utf8'))[args[0]] ?? { err: 'unknown', status: 2 };
process.stdout.write(out);
process.stderr.write(err);
process.exitCode = status;
`;

interface Call {
  readonly args: readonly string[];
  readonly input: string;
  readonly schema?: unknown;
  readonly cwd: string;
}

let folder = '';
let executable = '';
let events: AgentEvent[] = [];
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'relayflows-codex-')));
  executable = join(folder, 'codex');
  writeFileSync(executable, SCRIPT.replace('FOLDER', JSON.stringify(folder)));
  chmodSync(executable, 0o755);
  mkdirSync(join(folder, '.codex'));
  answers({ exec: { out: recorded('changes') } });
  events = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function answers(by: Readonly<Record<string, { readonly out?: string; readonly err?: string; readonly status?: number }>>): void {
  writeFileSync(join(folder, 'answers'), JSON.stringify(by));
}

function calls(): readonly Call[] {
  return jsonLines(join(folder, 'calls'));
}

function shared() {
  const hostEnv = { PATH: process.env['PATH'], HOME: folder };
  const redactor = createRedactor({ env: hostEnv });
  return { cwd: folder, hostEnv, marker: { runId: `codex-${process.pid}`, stepId: 'agent-1', attempt: 1 }, supervise: superviseProcess, redaction: () => redactor.stream() };
}

async function execute(more: Partial<AgentRequest> = {}): Promise<AgentTurn> {
  return await codexAdapter.execute({ mode: 'agent', identity: { executable, version: '0.171.0' }, task: 'Do it.', runEnv: {}, now: Date.now, onEvent: (event) => events.push(event), ...shared(), ...more });
}

const BOUNDED = ['-c', 'features.unbounded_connection_retries=false'];

describe('how it is called', () => {
  it('as an agent', async () => {
    const task = `-x /review ${'é😀'.repeat(50_000)}\n`;
    expect(await execute({ task, model: 'gpt-5.5' })).toMatchObject({ outcome: { class: 'success', message: 'Three files are changed.' }, sessionId: threadOf('changes'), warnings: [] });
    const [call] = calls();
    expect(call?.args).toEqual(['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '--model', 'gpt-5.5', '--json', ...BOUNDED, '-']);
    expect(call?.input === task).toBe(true);
  });

  it('to go on with a session, from any directory', async () => {
    const id = threadOf('changes');
    await execute({ session: { kind: 'resume', id } });
    expect(calls()[0]?.args).toEqual(['exec', 'resume', id, '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '--json', ...BOUNDED, '-']);
    expect(codexAdapter.abilities).toEqual({ resume: 'anywhere', choosesSessionId: false, enforces: ['accessPreset'] });
  });

  it('as an agent that may only read, also in a session that goes on', async () => {
    const id = threadOf('changes');
    await execute({ permissions: { accessPreset: 'readonly' } });
    await execute({ permissions: { accessPreset: 'readonly' }, session: { kind: 'resume', id } });
    expect(calls().map(({ args }) => args)).toEqual([
      ['exec', '--sandbox', 'read-only', '--ignore-rules', '--skip-git-repo-check', '--json', ...BOUNDED, '-'],
      ['exec', '--sandbox', 'read-only', '--ignore-rules', 'resume', id, '--skip-git-repo-check', '--json', ...BOUNDED, '-'],
    ]);
  });

  it('as a model, without tools, servers and a session', async () => {
    writeFileSync(join(folder, '.codex', 'config.toml'), '[mcp_servers.docs]\ncommand = "docs"\n');
    const turn = await execute({ mode: 'llm' });
    expect(turn).toMatchObject({ outcome: { class: 'success' }, usage: { inputTokens: 4_000, outputTokens: 120 } });
    expect(turn.sessionId).toBeUndefined();
    const { args = [] } = calls()[0] ?? {};
    expect(args.slice(0, 5)).toEqual(['exec', '--sandbox', 'read-only', '--ignore-rules', '--skip-git-repo-check']);
    expect(args).toEqual(expect.arrayContaining(['--ephemeral', 'features.shell_tool=false', 'features.unified_exec=false', 'agents.enabled=false', 'web_search="disabled"', 'mcp_servers.docs.enabled=false']));
    expect(args).not.toContain('--dangerously-bypass-approvals-and-sandbox');
    expect(args).not.toContain('--output-schema');
  });

  it.each([['0.125.0', false], ['0.142.5', false], ['0.145.0', true]])('as a model, of version %s: it knows the switch of sub-agents: %s', async (version, knows) => {
    await execute({ mode: 'llm', identity: { executable, version } });
    expect(calls()[0]?.args.includes('agents.enabled=false')).toBe(knows);
  });

  it('with a schema that the strict mode takes, in a file that is gone afterwards', async () => {
    const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'], additionalProperties: false };
    await execute({ mode: 'llm', schema });
    await execute({ mode: 'llm', schema: { type: 'object', properties: { a: { type: 'number' } } } });
    const [strict, loose] = calls();
    expect(strict?.schema).toEqual(schema);
    const file = strict?.args[strict.args.indexOf('--output-schema') + 1] ?? '';
    expect(file.startsWith(folder)).toBe(false);
    expect(existsSync(file)).toBe(false);
    expect(loose?.args).not.toContain('--output-schema');
  });
});

describe('sessions', () => {
  it('whose id is no thread id are refused without starting it: it would begin a new one without a word', async () => {
    const { outcome, process: ended } = await execute({ session: { kind: 'resume', id: 'my-session' } });
    expect(outcome).toMatchObject({ class: 'failed', code: 'worker_error', sessionUnknown: true, text: 'codex has no session my-session: its sessions have UUIDs.' });
    expect(ended).toBeUndefined();
    expect(existsSync(join(folder, 'calls'))).toBe(false);
  });

  it('that are begun instead of continued are a failure', async () => {
    const { outcome, sessionId } = await execute({ session: { kind: 'resume', id: threadOf('half') } });
    expect(outcome).toMatchObject({ class: 'failed', sessionUnknown: true });
    expect(sessionId).toBeUndefined();
  });

  it('that nobody knows are told from what it says on standard error', async () => {
    answers({ exec: { err: 'Error: thread/resume: thread/resume failed: no rollout found for thread id x (code -32600)\n\nStack backtrace:\n   0: <unknown>\n', status: 1 } });
    const { outcome } = await execute({ session: { kind: 'resume', id: threadOf('half') } });
    expect(outcome).toMatchObject({ class: 'failed', sessionUnknown: true, text: expect.stringContaining('no rollout found') });
  });
});

describe('usage', () => {
  it('of a turn that failed, and its model, come from the session file, and are reported', async () => {
    answers({ exec: { out: recorded('half'), status: 1 } });
    const turn = await execute({ hostEnv: { ...shared().hostEnv, CODEX_HOME: `${RECORDED}home` } });
    expect(turn).toMatchObject({ outcome: { class: 'failed', code: 'cli_unauthenticated' }, usage: { inputTokens: 900, outputTokens: 90 }, model: 'stub-model' });
    expect(events.filter(({ type }) => type === 'usage')).toEqual([{ type: 'usage', inputTokens: 900, outputTokens: 90 }]);
  });

  it('of sub-agents is part of it', async () => {
    answers({ exec: { out: recorded('sub-agents') } });
    const turn = await execute({ hostEnv: { ...shared().hostEnv, CODEX_HOME: `${RECORDED}home` } });
    expect(turn.usage).toEqual({ inputTokens: 203_100, outputTokens: 1_080 });
  });

  it('of a session whose file is gone is its whole sum, with a warning', async () => {
    answers({ exec: { out: recorded('continued') } });
    const turn = await execute({ session: { kind: 'resume', id: threadOf('continued') } });
    expect(turn).toMatchObject({ usage: { inputTokens: 4_100, outputTokens: 130 }, warnings: [{ code: 'usage_unknown' }] });
  });
});

it('a success without a word is a failure', async () => {
  answers({ exec: { out: '{"type":"thread.started","thread_id":"x"}\n{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}\n' } });
  expect((await execute()).outcome).toMatchObject({ class: 'failed', code: 'worker_error' });
});

describe('a probe', () => {
  const VERSION = { out: 'codex-cli 0.171.0\n', err: 'WARNING: proceeding, even though we could not create PATH aliases 1.2.3\n' };
  const doctor = (check: object, provider = 'openai') => ({ out: JSON.stringify({ checks: { 'auth.credentials': check, 'config.load': { details: { 'model provider': provider } } } }) });

  it('tells version, account and models', async () => {
    const catalog = { models: [{ slug: 'gpt-6.2-sol', visibility: 'list' }, { slug: 'codex-auto-review', visibility: 'hide' }] };
    answers({ '--version': VERSION, login: { err: 'Logged in using ChatGPT\n' }, doctor: doctor({ status: 'ok', details: {} }), debug: { out: JSON.stringify(catalog) } });
    expect(await codexAdapter.probe({ executable, ...shared() })).toEqual({ executable, version: '0.171.0', account: 'ChatGPT', models: ['gpt-6.2-sol'] });
  });

  it('does without doctor and catalog, as older versions have none', async () => {
    answers({ '--version': VERSION, login: { err: 'API key configured - sk-***56789\n' } });
    expect(await codexAdapter.probe({ executable, ...shared() })).toEqual({ executable, version: '0.171.0', account: 'API key' });
  });

  it.each([
    [{ '--version': VERSION, login: { err: 'Not logged in\n', status: 1 }, doctor: doctor({ status: 'fail', summary: 'no Codex credentials were found' }) }, 'cli_unauthenticated', /codex login/],
    [{ '--version': VERSION, login: { err: 'Not logged in\n', status: 1 } }, 'cli_unauthenticated', /codex login/],
    [{ '--version': VERSION, login: { err: 'Error loading configuration: config.toml:1:12: extra `=`\n', status: 1 } }, 'probe_failed', /Correct/],
    [{ '--version': { out: 'codex-cli 0.9.1\n' }, login: {} }, 'cli_outdated', /codex update/],
    [{ '--version': { out: 'something else\n' }, login: {} }, 'cli_unsupported', /npm install -g @openai\/codex/],
  ])('%j is %s', async (by, code, hint) => {
    answers(by);
    await expect(codexAdapter.probe({ executable, ...shared() })).rejects.toMatchObject({ code, hint: expect.stringMatching(hint) });
  });
});
