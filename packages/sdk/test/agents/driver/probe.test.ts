import { describe, expect, test } from 'vitest';
import { ask, compareVersions, notSignedIn, requireVersion } from '../../../src/agents/driver/probe.js';
import type { ProbeRequest } from '../../../src/agents/port.js';
import { superviseProcess } from '../../../src/process/supervise.js';
import { createRedactor } from '../../../src/redaction/redactor.js';
import { folder } from '../fixture.js';
import { executable, words } from './scripted-cli.js';

function request(program: string, more: Partial<ProbeRequest> = {}): ProbeRequest {
  const redactor = createRedactor({ env: { SCRIPTED_API_KEY: 'sk-scripted-0123456789' } });
  return {
    executable: executable(program), cwd: folder(), hostEnv: { PATH: process.env['PATH'] }, marker: { runId: `probe-${process.pid}`, stepId: 'agent-1', attempt: 1 },
    supervise: superviseProcess, redaction: () => redactor.stream(), ...more,
  };
}

const VERSION = ['--version'];

describe('asking', () => {
  test('gives what was said, and closes the input', async () => {
    const outcome = await ask(request('cat; echo "$1 $GIVEN"'), words, { args: VERSION, env: { GIVEN: 'too' } });
    expect(outcome).toMatchObject({ exitCode: 0, stdout: { text: '--version too\n' } });
  });

  test('a program that does not answer is probe_failed within its deadline', async () => {
    await expect(ask(request('exec sleep 600'), words, { args: VERSION, deadlineMs: 300 })).rejects.toMatchObject({ code: 'probe_failed', text: expect.stringMatching(/--version did not answer within 300 ms\.$/) });
  });

  test('one that is killed says how, without secrets', async () => {
    await expect(ask(request('echo "no sk-scripted-0123456789" >&2; kill -KILL $$'), words, { args: VERSION })).rejects.toMatchObject({
      code: 'probe_failed', text: expect.stringMatching(/was ended by SIGKILL: no (?!sk-scripted)/),
    });
  });

  test('one that cannot be started is cli_unsupported', async () => {
    await expect(ask(request('', { executable: '/nowhere/scripted' }), words, { args: VERSION })).rejects.toMatchObject({ code: 'cli_unsupported' });
  });

  test('stops when the step is stopped', async () => {
    await expect(ask(request('exec sleep 600', { signal: AbortSignal.timeout(200) }), words, { args: VERSION })).rejects.toMatchObject({ code: 'canceled' });
  });
});

describe('the version', () => {
  const asked = async (program: string, lowest: string): Promise<string> => {
    const probe = request(program);
    return requireVersion(probe, words, { outcome: await ask(probe, words, { args: VERSION }), args: VERSION, lowest });
  };

  test.each([['2.1.332 (Claude Code)', '2.1.332'], ['codex-cli 0.171.0', '0.171.0'], ['v1.18.33', '1.18.33']])('is found in "%s"', async (printed, version) => {
    expect(await asked(`echo "${printed}"`, '0.1.0')).toBe(version);
  });

  test('that is too low is cli_outdated, with the command that helps', async () => {
    await expect(asked('echo 2.0.77', '2.1.40')).rejects.toMatchObject({ code: 'cli_outdated', hint: 'Bring it up to date: scripted update' });
  });

  test.each(['echo hello', 'echo 1.2.3; exit 2', 'true'])('that is not said is cli_unsupported: %s', async (program) => {
    await expect(asked(program, '0.1.0')).rejects.toMatchObject({ code: 'cli_unsupported' });
  });
});

test.each([
  ['2.1.40', '2.1.40', 0],
  ['2.1.9', '2.1.40', -1],
  ['2.1.332', '2.1.40', 1],
  ['10.0.0', '9.9.9', 1],
  ['1.2', '1.2.0', 0],
  ['1.2', '1.2.1', -1],
  ['1.2.1', '1.2', 1],
])('%s against %s', (a, b, sign) => {
  expect(Math.sign(compareVersions(a, b))).toBe(sign);
});

test('who is not signed in is told the cause and what to do', async () => {
  const probe = request('echo "Not logged in" >&2; exit 1');
  const outcome = await ask(probe, words, { args: ['login', 'status'] });
  expect(notSignedIn(probe, words, ['login', 'status'], outcome)).toMatchObject({
    code: 'cli_unauthenticated', text: 'scripted is not signed in: scripted login status exited with status 1: Not logged in.', hint: 'To sign in, run scripted login.',
  });
  expect(notSignedIn(probe, words, ['login', 'status'], outcome, 'says so')).toMatchObject({ text: 'scripted is not signed in: scripted login status says so.' });
});
