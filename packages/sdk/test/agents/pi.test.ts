import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonLines } from 'test-tools';
import { beforeEach, describe, expect, it } from 'vitest';
import { piAdapter } from '../../src/agents/clis/pi.js';
import type { AgentIdentity, AgentRequest, AgentTurn, ProbeRequest } from '../../src/agents/port.js';
import { superviseProcess } from '../../src/process/supervise.js';
import { createRedactor } from '../../src/redaction/redactor.js';
import { folder } from './fixture.js';
import { printed, recorded, SESSION, startedByOldNode, VERSIONS, WORK, type Printed } from './pi/recordings.js';

/*
 * Does with its input what pi does with it: takes the blanks off both ends, executes or replaces what begins with a slash, and lets the extension that
 * it is given have its say in between. Notes how it was called, then writes what pi once wrote.
 */
const STAND_IN = `#!${process.execPath}
const { appendFileSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const folder = FOLDER;
const args = process.argv.slice(2);
const answers = JSON.parse(readFileSync(join(folder, 'answers.json'), 'utf8'));
const answer = answers[args[0]] ?? answers.turn;
(async () => {
  const input = readFileSync(0, 'utf8');
  let task = input.trim();
  if (/^\\/command\\b/.test(task)) task = 'a command was executed';
  const at = args.indexOf('--extension');
  if (at >= 0) {
    const { default: extend } = await import(args[at + 1]);
    extend({ on: (name, handle) => { if (name === 'input') task = handle({ type: 'input', text: task }).text; } });
  }
  if (task.startsWith('/skill:known') && !args.includes('--no-skills')) task = 'a skill was loaded';
  if (task.startsWith('/template') && !args.includes('--no-prompt-templates')) task = 'a template was filled in';
  const env = { offline: process.env.PI_OFFLINE, step: process.env.RELAYFLOW_STEP };
  appendFileSync(join(folder, 'calls.jsonl'), JSON.stringify({ args, task, env }) + '\\n');
  process.stdout.write(answer.stdout.replaceAll(${JSON.stringify(WORK)}, process.cwd()));
  process.stderr.write(answer.stderr);
  process.exitCode = answer.status;
})();
`;

interface Call {
  readonly args: readonly string[];
  readonly task: string;
  readonly env: { readonly offline?: string; readonly step?: string };
}

let home = '';
let executable = '';
let attempts = 0;

beforeEach(() => {
  home = folder();
  executable = join(home, 'pi');
  writeFileSync(executable, STAND_IN.replace('FOLDER', JSON.stringify(home)));
  chmodSync(executable, 0o755);
  plays({ stdout: recorded('1.6.0', 'tools'), stderr: '', status: 0 });
});

function plays(turn: Printed, more: Readonly<Record<string, Printed>> = {}): void {
  writeFileSync(join(home, 'answers.json'), JSON.stringify({ turn, '--version': printed('1.6.0', 'version'), '--list-models': printed('1.6.0', 'models'), ...more }));
}

function calls(): readonly Call[] {
  return jsonLines(join(home, 'calls.jsonl'));
}

function shared(env: Readonly<Record<string, string>> = {}) {
  const hostEnv = { PATH: process.env['PATH'], HOME: home, ...env };
  const redactor = createRedactor({ env: hostEnv });
  attempts += 1;
  return { cwd: folder(), hostEnv, marker: { runId: `pi-${process.pid}`, stepId: 'agent-1', attempt: attempts }, supervise: superviseProcess, redaction: () => redactor.stream() };
}

async function probe(more: Partial<ProbeRequest> = {}): Promise<AgentIdentity> {
  return await piAdapter.probe({ executable, ...shared(), ...more });
}

async function execute(more: Partial<AgentRequest> = {}): Promise<AgentTurn> {
  const identity = { executable, models: ['stub/stub-model'] };
  return await piAdapter.execute({ mode: 'agent', identity, task: 'Do it.', runEnv: { RELAYFLOW_STEP: 'agent-1' }, ...shared(), now: Date.now, onEvent: () => undefined, ...more });
}

describe('a probe', () => {
  it.each(VERSIONS)('tells the version %s, the providers and the models, with whatever it writes them to', async (version) => {
    plays(printed(version, 'unknownModel'), { '--version': printed(version, 'version'), '--list-models': printed(version, 'models') });
    expect(await probe({ model: 'stub-model' })).toEqual({ executable, version, account: 'stub', models: ['stub/stub-model'] });
    expect(calls().map(({ env }) => env.offline)).toEqual(['1', '1']);
  });

  it.each(VERSIONS)('of %s without credentials says so, although it exits with 0', async (version) => {
    plays(printed(version, 'unknownModel'), { '--version': printed(version, 'version'), '--list-models': printed(version, 'modelsNotSignedIn') });
    await expect(probe()).rejects.toMatchObject({ code: 'cli_unauthenticated', message: expect.stringContaining('No models available.'), hint: expect.stringContaining('/login') });
  });

  it.each(['stub', 'nosuch', 'openai/gpt-4o'])('refuses %s, for which pi would take another model or none', async (model) => {
    await expect(probe({ model })).rejects.toMatchObject({ code: 'model_unknown', message: expect.stringContaining(`a model ${model}.`), hint: expect.stringContaining('stub/stub-model') });
  });

  it('refuses a model of several providers without one of them', async () => {
    const { stdout, ...rest } = printed('1.6.0', 'models');
    plays(printed('1.6.0', 'unknownModel'), { '--list-models': { ...rest, stdout: `${stdout}${stdout.split('\n')[1]?.replace('stub ', 'more ')}\n` } });
    await expect(probe({ model: 'stub-model' })).rejects.toMatchObject({ code: 'model_unknown', message: expect.stringContaining('stub/stub-model, more/stub-model') });
    expect(await probe({ model: 'more/stub-model' })).toMatchObject({ account: 'stub, more' });
  });

  it('says that Node.js is too old instead of calling it another program', async () => {
    plays(printed('1.6.0', 'unknownModel'), { '--version': startedByOldNode, '--list-models': startedByOldNode });
    await expect(probe()).rejects.toMatchObject({ code: 'cli_unsupported', message: expect.stringMatching(/does not run with Node\.js 20\.\d+\.\d+\.$/), hint: expect.stringContaining('22.19') });
  });

  it('refuses a version whose output was never seen, with the package that goes on', async () => {
    plays(printed('0.73.1', 'unknownModel'), { '--version': { stdout: '0.50.0\n', stderr: '', status: 0 } });
    await expect(probe()).rejects.toMatchObject({ code: 'cli_outdated', hint: expect.stringContaining('@earendil-works/pi-coding-agent') });
  });
});

describe('a task', () => {
  it.each(['Do it.', '--help', '@package.json', '!ls', '/command now', '/skill:known now', '/template now', ' \n indented\n', 'ends with blanks \n\n', '"quoted" \\ \u0000 \ud83d\ude00 \ufeff', `${'é😀'.repeat(40_000)}\n`])('%j arrives byte for byte, and in no argument', async (task) => {
    for (const mode of ['agent', 'llm'] as const) await execute({ mode, task });
    for (const call of calls()) {
      expect(call.task === task).toBe(true);
      expect(call.args.join(' ')).not.toContain(task.trim());
    }
  });

  it('leaves nothing of its delivery behind', async () => {
    await execute({ task: '/command now' });
    const args = calls()[0]?.args ?? [];
    const extension = args[args.indexOf('--extension') + 1] ?? '';
    expect(extension).toMatch(/deliver\.mjs$/);
    expect(existsSync(join(extension, '..'))).toBe(false);
  });
});

describe('a call', () => {
  const has = (call: Call | undefined, ...args: readonly string[]): boolean => call !== undefined && ` ${call.args.join(' ')} `.includes(` ${args.join(' ')} `);

  it('asks for records, with the run variables, and without anything of the start but the turn itself', async () => {
    expect((await execute()).outcome).toEqual({ class: 'success', message: 'All done.' });
    expect(calls()).toEqual([{ args: ['-p', '--mode', 'json', '--no-prompt-templates'], task: 'Do it.', env: { offline: '1', step: 'agent-1' } }]);
  });

  it('leaves PI_OFFLINE to whoever sets it', async () => {
    await execute(shared({ PI_OFFLINE: '0' }));
    expect(calls()[0]?.env.offline).toBe('0');
  });

  it('names a model by its whole name, and is stopped when another one answers', async () => {
    expect((await execute({ model: 'STUB-model:low' })).outcome.class).toBe('success');
    expect(has(calls()[0], '--model', 'stub/stub-model:low')).toBe(true);
    expect((await execute({ model: 'other' })).outcome).toMatchObject({ class: 'failed', code: 'model_unknown', text: expect.stringContaining('stub/stub-model for other') });
  });

  it('of a model has no tools, no session and nothing of the directory', async () => {
    expect(await execute({ mode: 'llm' })).toMatchObject({ outcome: { class: 'success' } });
    for (const args of ['--no-tools', '--no-session', '--no-extensions', '--no-skills', '--no-prompt-templates', '--no-context-files', '--append-system-prompt']) expect(calls()[0]?.args).toContain(args);
    expect((await execute({ mode: 'llm' })).sessionId).toBeUndefined();
  });

  it('that may only read has the tools that read', async () => {
    await execute({ permissions: { accessPreset: 'readonly' } });
    await execute({ permissions: { accessPreset: 'readwrite' } });
    expect(calls().map((call) => has(call, '--tools', 'read,grep,find,ls,mcp__'))).toEqual([true, false]);
  });
});

describe('a session', () => {
  /** Writes the file of a session that began in a directory. */
  function keep(where: { readonly in: string; readonly cwd: string; readonly id?: string }): string {
    mkdirSync(where.in, { recursive: true });
    const file = join(where.in, `2026-11-30T12-00-00-000Z_${where.id ?? SESSION}.jsonl`);
    writeFileSync(file, `${JSON.stringify({ type: 'session', version: 3, id: where.id ?? SESSION, cwd: where.cwd })}\n${'x'.repeat(100_000)}\n`);
    return file;
  }
  const resumed = async (request: ReturnType<typeof shared>, id = SESSION) => await execute({ ...request, session: { kind: 'resume', id } });
  const switches = (): readonly string[] => calls().at(-1)?.args.slice(3, 5) ?? [];

  it('goes on in its directory', async () => {
    const request = shared();
    keep({ in: join(home, '.pi/agent/sessions/--one--'), cwd: '/elsewhere' });
    keep({ in: join(home, '.pi/agent/sessions/--two--'), cwd: request.cwd });
    expect(await resumed(request)).toMatchObject({ outcome: { class: 'success' }, sessionId: SESSION });
    expect(switches()).toEqual(['--session', SESSION]);
  });

  it.each([
    ['', '.pi/agent/sessions/--elsewhere--', {}],
    ['PI_CODING_AGENT_DIR', 'own/sessions/--elsewhere--', { PI_CODING_AGENT_DIR: '~/own' }],
    ['PI_CODING_AGENT_SESSION_DIR', 'flat', { PI_CODING_AGENT_SESSION_DIR: '~/flat' }],
    ['an empty PI_CODING_AGENT_DIR', '.pi/agent/sessions/--elsewhere--', { PI_CODING_AGENT_DIR: '' }],
  ])('of another directory is taken over under the id that pi gives it (%s)', async (_name, where, env) => {
    const file = keep({ in: join(home, where), cwd: '/elsewhere', id: 'b7a3f0de-4c1f-4a4e-9a55-0d5f3c2b1a90' });
    expect(await resumed(shared(env), 'b7a3f0de-4c1f-4a4e-9a55-0d5f3c2b1a90')).toMatchObject({ outcome: { class: 'success' }, sessionId: SESSION });
    expect(switches()).toEqual(['--fork', file]);
  });

  it.each(VERSIONS)('that is not found, or asks its closed input, is refused although %s may exit with 0', async (version) => {
    for (const question of ['sessionUnknown', 'sessionElsewhere'] as const) {
      plays(printed(version, question));
      expect((await resumed(shared())).outcome).toMatchObject({ class: 'failed', code: 'worker_error', sessionUnknown: true, text: expect.stringMatching(/^pi cannot continue the session: \S.*\.$/), hint: expect.any(String) });
    }
  });

  it('that only begins like the one that was asked for is not taken', async () => {
    expect((await resumed(shared(), SESSION.slice(0, 8))).outcome).toMatchObject({ class: 'failed', sessionUnknown: true });
  });

  it('is no file: pi would begin one', async () => {
    expect((await resumed(shared(), 'notes.jsonl')).outcome).toMatchObject({ class: 'failed', sessionUnknown: true, hint: expect.any(String) });
    expect(existsSync(join(home, 'calls.jsonl'))).toBe(false);
  });
});

describe.each(VERSIONS)('a turn of %s', (version) => {
  it.each([
    ['unauthorized', { class: 'failed', code: 'cli_unauthenticated', text: 'pi is not signed in, or its credentials were refused (HTTP 401): Invalid API key.' }],
    ['limit', { class: 'failed', code: 'provider_usage_limited', resetsAt: 1_796_000_000_000 + 7_200_000 }],
    ['dropped-mid', { class: 'lost' }],
    ['recovered', { class: 'success', message: 'Recovered.' }],
    ['compacted', { class: 'success', message: 'Looked.' }],
  ])('%s is judged by its last message, whatever its status', async (name, outcome) => {
    for (const status of [0, 1]) {
      // A success needs the end that 0.73.1 does not state here.
      if (status === 1 && name === 'compacted' && version === '0.73.1') continue;
      plays({ stdout: recorded(version, name), stderr: '', status });
      const turn = await execute({ now: () => 1_796_000_000_000 });
      expect(turn.outcome).toMatchObject(outcome);
      expect(turn.warnings.map(({ code }) => code)).toEqual(status === 1 && turn.outcome.class === 'success' ? ['late_exit'] : []);
    }
  });
});

it('says nothing of the model when only the context is full', async () => {
  plays({ stdout: recorded('0.73.1', 'overflow'), stderr: '', status: 0 });
  expect((await execute()).outcome).toMatchObject({ class: 'failed', code: 'worker_error', text: expect.stringContaining('maximum context length is 200000 tokens') });
});

it('was ended by a signal when it says so with its status', async () => {
  plays({ stdout: recorded('1.6.0', 'tools').split('\n').slice(0, 20).join('\n'), stderr: '', status: 143 });
  expect((await execute()).outcome).toMatchObject({ class: 'lost', text: expect.stringMatching(/143/) });
});
