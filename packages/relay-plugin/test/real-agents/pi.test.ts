import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { needs, needsAgentCli } from 'test-tools';
import type { Scenario } from '@relayflows/stub-llm';
import { reportText } from '../report/texts.js';
import { CONTRACT, onTerminal, plain, startPlace, type OnTerminal, type Place } from './place.js';

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));
const WAIT = { timeout: 60_000, interval: 250 };
const HITL = { RELAY_FLOW_NODE_TYPE: 'hitl' };
const ENTER = '\r';
const ESCAPE = '\u001B';
const DIALOG = 'Approve relay-flow report for SHOP-1:build';

const ARGS = ['--offline', '--name', 'SHOP-1:build', '--session-id', 'session-1'];

/** Pi's terminal with the package installed by Pi itself, started as relay-flow starts it. */
async function start(scenario: Scenario, variables: Readonly<Record<string, string>> = {}): Promise<{ readonly place: Place; readonly terminal: OnTerminal }> {
  const place = await startPlace('pi-1.6.0', scenario, variables);
  await promisify(execFile)(place.executable, ['install', PACKAGE], { env: place.env, cwd: place.repository, timeout: 60_000 });
  const terminal = await onTerminal(place, [...ARGS, 'Begin the work']);
  onTestFinished(async () => {
    await terminal.stop();
    await place.stop();
  });
  return { place, terminal };
}

function reports(place: Place): readonly unknown[] {
  return place.calls('report').map(({ input }) => input['report']);
}

/** Types a text and waits until it is drawn: what comes with the same bytes as Enter is taken for pasted. */
async function type(terminal: OnTerminal, text: string): Promise<void> {
  const before = terminal.drawn().length;
  terminal.type(text);
  await expect.poll(() => plain(terminal.drawn().slice(before)), WAIT).toContain(text.split(' ').at(-1));
}

const GOOD = reportText();
const REPORT = expect.objectContaining({ status: 'success', nextStep: 'review' }) as unknown;

/** How often the dialog was opened. */
function asked(place: Place): number {
  return place.log().split('"decision":"ask"').length - 1;
}

// The pinned older version knows neither `--name` nor `agent_settled`: relay-flow cannot use it.
needsAgentCli('pi-1.6.0').describe('the extension inside pi', () => {
  const test = needs('script', 'stty');

  test('registers its session, and delivers a report', async () => {
    const { place } = await start({ turns: [{ match: { user: 'Begin' }, text: GOOD }] });
    await expect.poll(() => reports(place), WAIT).toEqual([REPORT]);
    expect(place.calls('runtime-register').map(({ input }) => input)).toEqual([{ runId: 'shop/fix/SHOP-1', node: 'build', sessionId: 'session-1' }]);
    expect(place.calls('report')[0]?.input).toMatchObject({ runId: 'shop/fix/SHOP-1', node: 'build', reportId: expect.stringMatching(/^session-1:\w+$/) as string });
  });

  test('corrects what is no report, until it is one', async () => {
    const { place } = await start({ turns: [{ match: { user: 'Begin' }, text: 'I am done.' }, { match: { user: 'There is no report' }, text: GOOD.replace('STATUS: success', 'STATUS: done') }, { match: { user: 'The value of STATUS is' }, text: GOOD }] });
    await expect.poll(() => reports(place), WAIT).toEqual([REPORT]);
    const prompts = place.stub.requests().map(({ user }) => user);
    expect(prompts).toHaveLength(3);
    expect(prompts[1]).toContain(CONTRACT);
  });

  test('tells the agent what the server refuses, and delivers what it makes of that', async () => {
    const { place } = await start({ turns: [{ match: { user: 'Begin' }, text: 'Working.', delay_ms: 2_000 }, { match: { user: 'no report' }, text: GOOD }, { match: { user: 'The server says so' }, text: reportText({ NOTES: 'Again.' }) }] });
    await place.refuseNext('invalidReport', 'The server says so.');
    await expect.poll(() => reports(place).length, WAIT).toBe(2);
    expect(reports(place)[1]).toMatchObject({ summary: { notes: 'Again.' } });
    expect(place.log()).not.toContain('Filtered');
  });

  test('sends the same bytes again when they were not taken', async () => {
    const { place } = await start({ turns: [{ match: { user: 'Begin' }, text: 'Working.', delay_ms: 2_000 }, { match: { user: 'no report' }, text: GOOD }] });
    await place.refuseNext('internalError', 'The server stops.');
    await expect.poll(() => place.calls('report').length, WAIT).toBe(2);
    expect(new Set(place.calls('report').map(({ bytes }) => bytes)).size).toBe(1);
    expect(place.stub.requests()).toHaveLength(2);
  });

  test('asks the person, and delivers nothing before', async () => {
    const { place, terminal } = await start({ turns: [{ match: { user: 'Begin' }, text: GOOD }] }, HITL);
    await expect.poll(() => plain(terminal.drawn()), WAIT).toContain(DIALOG);
    expect(reports(place)).toEqual([]);
    terminal.type(ENTER);
    await expect.poll(() => reports(place), WAIT).toEqual([REPORT]);
  });

  test('delivers nothing that the person turns away, and asks again for the next report', async () => {
    const { place, terminal } = await start({ turns: [{ match: { user: 'Begin' }, text: GOOD }, { match: { user: 'Say more' }, text: reportText({ NOTES: 'More.' }) }] }, HITL);
    await expect.poll(() => plain(terminal.drawn()), WAIT).toContain(DIALOG);
    terminal.type(ESCAPE);
    await expect.poll(() => place.log(), WAIT).toContain('not approved');
    await type(terminal, 'Say more');
    terminal.type(ENTER);
    await expect.poll(() => asked(place), WAIT).toBe(2);
    expect(reports(place)).toEqual([]);
    await expect.poll(() => {
      terminal.type(ENTER);
      return reports(place).length;
    }, { timeout: 30_000, interval: 1_000 }).toBe(1);
    expect(reports(place)[0]).toMatchObject({ summary: { notes: 'More.' } });
  });

  test('does not deliver again what a resumed session said before', async () => {
    const { place, terminal } = await start({ turns: [{ match: { user: 'Begin' }, text: GOOD }, { match: { user: 'Say more' }, text: reportText({ NOTES: 'More.' }) }] });
    await expect.poll(() => reports(place).length, WAIT).toBe(1);
    await terminal.stop();
    const resumed = await onTerminal(place, [...ARGS, 'Say more']);
    onTestFinished(resumed.stop);
    await expect.poll(() => reports(place).length, WAIT).toBe(2);
    expect(reports(place)[1]).toMatchObject({ summary: { notes: 'More.' } });
    expect(place.stub.requests().at(-1)?.body).toMatchObject({ messages: expect.arrayContaining([expect.objectContaining({ role: 'assistant' })]) as unknown });
    await expect.poll(() => place.calls('runtime-register').map(({ input }) => input['sessionId']), WAIT).toEqual(['session-1', 'session-1']);
  });

  test('does nothing about a turn that the person stops', async () => {
    const { place, terminal } = await start({ turns: [{ match: { user: 'Begin' }, text: GOOD, delay_ms: 60_000 }] });
    await expect.poll(() => place.stub.requests().length, WAIT).toBe(1);
    await expect.poll(() => {
      terminal.type(ESCAPE);
      return place.log();
    }, { timeout: 30_000, interval: 1_000 }).toContain('"decision":"nothing"');
    expect([reports(place), place.stub.requests().length]).toEqual([[], 1]);
  });

  test('leaves a session alone that relay-flow has not started', async () => {
    const { place } = await start({ turns: [{ match: { user: 'Begin' }, text: GOOD }] }, { RELAY_FLOW_NODE: '' });
    await expect.poll(() => place.stub.entries().filter(({ type }) => type === 'response').length, WAIT).toBeGreaterThan(0);
    expect([place.calls('report'), place.calls('runtime-register'), place.log()]).toEqual([[], [], '']);
  });
});
