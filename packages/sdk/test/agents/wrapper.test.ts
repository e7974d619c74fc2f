import { appendFileSync, chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentRequest, AgentTurn, ProbeRequest } from '../../src/agents/port.js';
import { wrapperAdapter } from '../../src/agents/wrapper/adapter.js';
import { superviseProcess } from '../../src/process/supervise.js';
import { createRedactor } from '../../src/redaction/redactor.js';
import type { AgentEvent } from '../../src/run/events.js';
import { folder, isAlive, scriptedAgent, until, withinTime, type Act, type Script } from './fixture.js';

const redact = createRedactor({ env: { API_TOKEN: 'very-secret-value' } });
let attempts = 0;

function shared(executable: string) {
  attempts += 1;
  return {
    executable, cwd: folder(), supervise: superviseProcess, redaction: () => redact.stream(),
    hostEnv: { PATH: process.env['PATH'], HOME: '/nowhere', API_TOKEN: 'very-secret-value', RELAYFLOW_MODEL: 'inherited', LANG: 'C' },
    marker: { runId: `wrapper-test-${process.pid}`, stepId: 'agent-1', attempt: attempts },
  };
}

const probe = (executable: string, more: Partial<ProbeRequest> = {}) => wrapperAdapter.probe({ ...shared(executable), ...more });

async function execute(script: Script, more: Partial<AgentRequest> = {}): Promise<AgentTurn & { readonly events: AgentEvent[]; readonly agent: ReturnType<typeof scriptedAgent>; readonly cwd: string }> {
  const agent = scriptedAgent(script);
  const events: AgentEvent[] = [];
  const request = { mode: 'agent' as const, identity: { executable: agent.path }, task: 'Do it.', runEnv: { RELAYFLOW_RUN_ID: 'r1' }, now: Date.now, onEvent: (event: AgentEvent) => events.push(event), ...shared(agent.path), ...more };
  const turn = await wrapperAdapter.execute(request);
  return { ...turn, events, agent, cwd: request.cwd };
}

const turn = (...acts: Act[]): Script => ({ turns: [acts] });

describe('identity', () => {
  it('accepts the line, with or without a carriage return, in any pieces', async () => {
    for (const script of [{}, { crlf: true }, { split: true }]) {
      const agent = scriptedAgent(script);
      const identity = await probe(agent.path);
      expect(identity).toMatchObject({ executable: agent.path });
      expect(identity.file?.size).toBeGreaterThan(0n);
    }
  });

  it.each([
    ['another line', [{ say: 'claude 2.1\n' }], /printed "claude 2\.1" instead of relayflows-agent-cli-v1/],
    ['more on the line', [{ say: 'relayflows-agent-cli-v1 \n' }], /instead of/],
    ['no newline', [{ say: 'relayflows-agent-cli-v1' }], /without a newline/],
    ['nothing', [{ exit: 0 }], /ended without printing/],
    ['9,000 bytes without a newline', [{ say: 'x'.repeat(9_000) }, { hang: true }], /more than 8192 bytes/],
  ])('refuses %s', async (_what, acts, message) => {
    const agent = scriptedAgent({ identity: [...acts, { exit: 0 }] });
    await expect(probe(agent.path)).rejects.toMatchObject({ code: 'cli_unsupported', message: expect.stringMatching(message) });
  });

  it('gives up on a silent one and leaves no process', async () => {
    const agent = scriptedAgent({ identity: [{ detach: 'sleep 60' }, { ignoreTerm: true }, { hang: true }] });
    await expect(probe(agent.path, { deadlines: { identityMs: 700 } })).rejects.toMatchObject({ code: 'cli_unsupported', message: expect.stringContaining('within 700 ms') });
    const pid = agent.log().find((entry) => entry.detached !== undefined)?.detached;
    expect(pid === undefined || !isAlive(pid)).toBe(true);
  });

  it('refuses a program whose interpreter is missing, and one that is no program', async () => {
    const path = join(folder(), 'agent');
    writeFileSync(path, '#!/no/such/interpreter\n');
    chmodSync(path, 0o755);
    await expect(probe(path)).rejects.toMatchObject({ code: 'cli_unsupported', hint: expect.stringContaining('interpreter') });
  });
});

describe('sign-in', () => {
  it('is refused with the command that shows it, its output redacted', async () => {
    const agent = scriptedAgent({ signedIn: false, auth: [{ stderr: 'no login: very-secret-value\n' }] });
    await expect(probe(agent.path)).rejects.toMatchObject({
      code: 'cli_unauthenticated',
      hint: expect.stringContaining(`${agent.path} auth status`),
      evidence: { exitCode: 1, stderrTail: expect.stringContaining('[redacted:API_TOKEN]') },
    });
  });

  it('that does not answer is probe_failed', async () => {
    const agent = scriptedAgent({ auth: [{ hang: true }] });
    await expect(probe(agent.path, { deadlines: { signInMs: 500 } })).rejects.toMatchObject({ code: 'probe_failed', message: expect.stringContaining('500 ms') });
  });
});

describe('execution', () => {
  it('delivers the task byte for byte, with model and wake context, and a reduced environment', async () => {
    const task = `line\r\n"quoted" \u2028 \0 ${'é'.repeat(150_000)}`;
    const { outcome, agent, cwd } = await execute(turn({ say: 'ok\n' }), { task, model: 'm1', wakeContext: { ticket: 7 } });
    expect(outcome).toEqual({ class: 'success', message: 'ok' });
    const call = agent.log().find((entry) => entry.task !== undefined);
    expect(call?.task).toBe(task);
    expect(call?.request).toEqual({ protocol: 'relayflows-agent-cli-v1', model: 'm1', wakeContext: { ticket: 7 } });
    expect(call?.cwd).toBe(cwd);
    expect(Object.keys(call?.env ?? {}).sort()).toEqual(['HOME', 'LANG', 'PATH', 'RELAYFLOW_ATTEMPT', 'RELAYFLOW_RUN_ID', 'RELAYFLOW_SCOPE', 'RELAYFLOW_STEP_ID']);
  });

  it('understands the protocol in single characters and with carriage returns', async () => {
    expect((await execute({ split: true, turns: [[{ say: 'a\r\nb\r\n' }]] })).outcome).toEqual({ class: 'success', message: 'a\nb' });
    expect((await execute({ crlf: true, turns: [[{ say: 'a' }]] })).outcome).toEqual({ class: 'success', message: 'a' });
  });

  it('keeps characters whole that arrive in two reads, and replaces bytes that are none', async () => {
    const bytes = Buffer.from('é');
    const halves = [bytes.subarray(0, 1), bytes.subarray(1), Buffer.from([0xff])].map((half) => half.toString('base64'));
    const { outcome } = await execute(turn({ bytes: halves[0] }, { sleep: 30 }, { bytes: halves[1] }, { bytes: halves[2] }));
    expect(outcome).toEqual({ class: 'success', message: 'é\uFFFD' });
  });

  it('reads an envelope with usage', async () => {
    const { outcome, usage, events } = await execute(turn({ result: { output: 'all good', usage: { input_tokens: 12, output_tokens: 3 } } }));
    expect(outcome).toEqual({ class: 'success', message: 'all good' });
    expect(usage).toEqual({ inputTokens: 12, outputTokens: 3 });
    expect(events).toEqual([{ type: 'message', text: 'all good' }, { type: 'usage', inputTokens: 12, outputTokens: 3 }]);
  });

  it('gives an envelope whose output is an object as its JSON', async () => {
    expect((await execute(turn({ result: { output: { verdict: 'yes' } } }))).outcome).toEqual({ class: 'success', message: '{"verdict":"yes"}' });
  });

  it('refuses an envelope with a malformed usage', async () => {
    const { outcome } = await execute(turn({ result: { output: 'x', usage: { input_tokens: '1' } } }));
    expect(outcome).toMatchObject({ class: 'failed', code: 'worker_error', text: expect.stringContaining('malformed "usage"') });
  });

  it('takes text around an envelope as plain text', async () => {
    const { outcome } = await execute(turn({ say: 'Here it is:\n' }, { result: { output: 'x' } }));
    expect(outcome).toMatchObject({ class: 'success', message: expect.stringMatching(/^Here it is:\n\{/) });
  });

  it.each([
    ['a second execute line', turn({ say: 'a\nrelayflows-agent-cli-v1-execute\nb\n' }, { hang: true }), /a second time/],
    ['a second execute line without a newline', turn({ say: 'a\nrelayflows-agent-cli-v1-execute' }), /a second time/],
    ['an answer without the execute line', { withoutExecute: true, turns: [[{ say: 'hello\n' }]] }, /"hello" instead of relayflows-agent-cli-v1-execute/],
    ['an end without the execute line', { withoutExecute: true, turns: [[{ exit: 0 }]] }, /ended without printing relayflows-agent-cli-v1-execute/],
  ])('refuses %s', async (_what, script, message) => {
    expect((await execute(script)).outcome).toMatchObject({ class: 'failed', code: 'worker_error', text: expect.stringMatching(message) });
  });

  it('allows exactly 1 MiB of output on both streams together, and not a byte more', async () => {
    const protocol = 'relayflows-agent-cli-v1\nrelayflows-agent-cli-v1-execute\n'.length;
    const room = 1_048_576 - protocol;
    const acts = (bytes: number): Script => turn({ flood: { bytes: 500_000, to: 'stderr' } }, { flood: { bytes: bytes - 500_000 } }, { sleep: 100 });
    expect((await execute(acts(room))).outcome.class).toBe('success');
    expect((await execute(acts(room + 1))).outcome).toMatchObject({ class: 'failed', code: 'worker_error', text: expect.stringContaining('1048576 bytes') });
  });

  it('stops a flood at once', async () => {
    const { outcome, process: ended } = await execute(turn({ flood: { bytes: 200_000_000 } }));
    expect(outcome).toMatchObject({ class: 'failed', code: 'worker_error' });
    expect(ended?.stopped).toBe('output_limit');
  });

  it('refuses a file that was edited after its identity was checked', async () => {
    const agent = scriptedAgent({});
    const identity = await probe(agent.path);
    appendFileSync(agent.path, '// edited\n');
    const { outcome } = await wrapperAdapter.execute({ mode: 'agent', identity, task: 'secret task', runEnv: {}, now: Date.now, onEvent: () => undefined, ...shared(agent.path) });
    expect(outcome).toMatchObject({ class: 'failed', code: 'worker_error', text: expect.stringContaining('replaced or edited') });
    expect(agent.log().some((entry) => entry.task !== undefined)).toBe(false);
  });
});

describe('how it ends', () => {
  it('a non-zero exit is an error that quotes the last thing it said, redacted', async () => {
    const { outcome } = await execute(turn({ say: 'half an answer' }, { stderr: 'token very-secret-value expired\n' }, { exit: 3 }));
    expect(outcome).toMatchObject({
      class: 'failed', code: 'worker_error',
      text: expect.stringContaining('exited with status 3: token [redacted:API_TOKEN] expired'),
      evidence: { exitCode: 3, stdoutTail: expect.stringContaining('half an answer'), stderrTail: expect.not.stringContaining('very-secret-value') },
    });
  });

  it('a silent non-zero exit still has a cause', async () => {
    expect((await execute(turn({ exit: 7 }))).outcome).toMatchObject({ text: expect.stringContaining('status 7') });
  });

  it('a usage limit is told apart', async () => {
    const { outcome } = await execute(turn({ stderr: 'working\nClaude usage limit reached, resets 5pm\nbye\n' }, { exit: 1 }));
    expect(outcome).toMatchObject({ class: 'failed', code: 'provider_usage_limited', text: expect.stringContaining('Claude usage limit reached, resets 5pm') });
  });

  it('death by a signal is a lost connection', async () => {
    expect((await execute(turn({ kill: 'SIGKILL' }))).outcome).toMatchObject({ class: 'lost', text: expect.stringContaining('SIGKILL') });
  });

  it('a timeout stops the whole tree, even what opened its own session and ignores TERM, and keeps what was said', async () => {
    const script = turn({ say: 'so far\n' }, { write: { path: 'kept.txt', content: 'x' } }, { detach: 'sleep 60' }, { ignoreTerm: true }, { hang: true });
    const { outcome, agent, cwd } = await withinTime(async (timeoutMs) => await execute(script, { timeoutMs }), (ended) => ended.agent.log().some(({ hangs }) => hangs));
    expect(outcome).toEqual({ class: 'timeout', message: 'so far' });
    const entry = agent.log().find(({ task }) => task !== undefined);
    const detached = agent.log().find((line) => line.detached !== undefined)?.detached;
    expect(detached).toBeGreaterThan(0);
    expect([entry?.pid, detached].filter((pid) => pid !== undefined && isAlive(pid))).toEqual([]);
    expect(cwd).toBeTruthy();
  });

  it('an abort is a cancel', async () => {
    const stop = new AbortController();
    const agent = scriptedAgent(turn({ hang: true }));
    const ended = wrapperAdapter.execute({ mode: 'agent', identity: { executable: agent.path }, task: 't', runEnv: {}, now: Date.now, onEvent: () => undefined, signal: stop.signal, ...shared(agent.path) });
    await until(() => agent.log().some(({ task }) => task !== undefined), 'the agent has its task');
    stop.abort();
    expect((await ended).outcome).toEqual({ class: 'canceled' });
  });

  it('a background child that holds the pipe does not hold the turn, and is stopped with it', async () => {
    const { outcome, process: ended } = await execute(turn({ sh: 'sleep 300 >&2 & true' }, { say: 'done' }));
    expect(outcome).toEqual({ class: 'success', message: 'done' });
    expect(ended?.leftRunning.map(({ command }) => command)).toEqual([expect.stringContaining('sleep')]);
  });
});
