import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { needs, needsAgentCli } from 'test-tools';
import type { Scenario } from '@relayflows/stub-llm';
import { reportText } from '../report/texts.js';
import { CONTRACT, onTerminal, plain, startPlace, type OnTerminal, type Place } from './place.js';

const PACKAGE = new URL('../..', import.meta.url).href.replace(/\/$/, '');
const WAIT = { timeout: 120_000, interval: 250 };
const HITL = { RELAY_FLOW_NODE_TYPE: 'hitl' };
const ENTER = '\r';
const ESCAPE = '\u001B';

/** OpenCode's terminal in a repository whose settings name the built package, as registering a repository does it with its name on npm. */
async function start(scenario: Scenario, variables: Readonly<Record<string, string>> = {}): Promise<{ readonly place: Place; readonly terminal: OnTerminal }> {
  const place = await startPlace('opencode', scenario, variables);
  await writeFile(join(place.repository, 'opencode.json'), JSON.stringify({ $schema: 'https://opencode.ai/config.json', plugin: [PACKAGE] }));
  await mkdir(join(place.repository, '.opencode'));
  await writeFile(join(place.repository, '.opencode', 'tui.json'), JSON.stringify({ $schema: 'https://opencode.ai/tui.json', plugin: [PACKAGE] }));
  const terminal = await onTerminal(place, ['--prompt', 'Begin the work']);
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

needsAgentCli('opencode').describe('the plugins inside opencode', () => {
  const test = needs('script', 'stty');

  test('registers its session under the title of the node, and delivers a report', async () => {
    const { place } = await start({ turns: [{ match: { user: 'Begin' }, text: GOOD }] });
    await expect.poll(() => reports(place), WAIT).toEqual([REPORT]);
    const report = place.calls('report')[0]?.input;
    const session = place.calls('runtime-register')[0]?.input;
    expect(session).toEqual({ runId: 'shop/fix/SHOP-1', node: 'build', sessionId: expect.stringMatching(/^ses_/) as string });
    expect(report).toMatchObject({ runId: 'shop/fix/SHOP-1', node: 'build', reportId: expect.stringMatching(new RegExp(`^${String(session?.['sessionId'])}:msg_`)) as string });
    // A title that was set is not asked for from the model.
    expect(place.stub.requests().filter(({ user }) => user.includes('title'))).toEqual([]);
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

  test('asks the person, and delivers nothing before', async () => {
    const { place, terminal } = await start({ turns: [{ match: { user: 'Begin' }, text: GOOD }] }, HITL);
    await expect.poll(() => place.log(), WAIT).toContain('"host":"opencode-tui","event":"turn"');
    await expect.poll(() => terminal.drawn(), WAIT).toContain('Approve');
    expect(reports(place)).toEqual([]);
    terminal.type(ENTER);
    await expect.poll(() => reports(place), WAIT).toEqual([REPORT]);
  });

  test('delivers nothing that the person turns away, and asks again for the next report', async () => {
    const { place, terminal } = await start({ turns: [{ match: { user: 'Begin' }, text: GOOD }, { match: { user: 'Say more' }, text: reportText({ NOTES: 'More.' }) }] }, HITL);
    await expect.poll(() => place.log(), WAIT).toContain('"host":"opencode-tui","event":"turn"');
    await expect.poll(() => terminal.drawn(), WAIT).toContain('Approve');
    terminal.type(ESCAPE);
    await expect.poll(() => place.log(), WAIT).toContain('not approved');
    await type(terminal, 'Say more');
    terminal.type(ENTER);
    await expect.poll(() => place.log().split('"host":"opencode-tui","event":"turn"').length, WAIT).toBe(3);
    expect(reports(place)).toEqual([]);
    await expect.poll(() => {
      terminal.type(ENTER);
      return reports(place).length;
    }, { timeout: 60_000, interval: 2_000 }).toBe(1);
    expect(reports(place)[0]).toMatchObject({ summary: { notes: 'More.' } });
  });

  test('does not deliver again what a resumed session said before', async () => {
    const { place, terminal } = await start({ turns: [{ match: { user: 'Begin' }, text: GOOD }, { match: { user: 'Say more' }, text: reportText({ NOTES: 'More.' }) }] });
    await expect.poll(() => reports(place).length, WAIT).toBe(1);
    const session = String(place.calls('runtime-register')[0]?.input['sessionId']);
    await terminal.stop();
    const resumed = await onTerminal(place, ['--session', session]);
    onTestFinished(resumed.stop);
    await expect.poll(() => plain(resumed.drawn()), WAIT).toContain('EXPECTED RESULT');
    await type(resumed, 'Say more');
    resumed.type(ENTER);
    await expect.poll(() => reports(place).length, WAIT).toBe(2);
    expect(reports(place)[1]).toMatchObject({ summary: { notes: 'More.' } });
    // A resumed session is announced with its first prompt only.
    await expect.poll(() => place.calls('runtime-register').map(({ input }) => input['sessionId']), WAIT).toEqual([session, session]);
  });

  test('does nothing about a turn that the person stops', async () => {
    const { place, terminal } = await start({ turns: [{ match: { user: 'Begin' }, text: GOOD, delay_ms: 60_000 }] });
    await expect.poll(() => place.stub.requests().length, WAIT).toBe(1);
    await expect.poll(() => {
      terminal.type(ESCAPE);
      return place.log();
    }, { timeout: 60_000, interval: 1_000 }).toContain('"decision":"nothing"');
    expect([reports(place), place.stub.requests().length]).toEqual([[], 1]);
  });

  test('leaves a session alone that relay-flow has not started', async () => {
    const { place } = await start({ turns: [{ match: { user: 'Begin' }, text: GOOD }] }, { RELAY_FLOW_NODE: '' });
    await expect.poll(() => place.stub.requests().filter(({ user }) => user.includes('Begin')).length, WAIT).toBeGreaterThan(0);
    await expect.poll(() => place.stub.entries().filter(({ type }) => type === 'response').length, WAIT).toBeGreaterThan(0);
    expect([place.calls('report'), place.calls('runtime-register'), place.log()]).toEqual([[], [], '']);
  });
});
