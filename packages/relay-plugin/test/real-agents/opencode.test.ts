import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL, fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { needs, needsAgentCli } from 'test-tools';
import type { Scenario } from '@relayflows/stub-llm';
import { reportText } from '../report/texts.js';
import { CONTRACT, onTerminal, startPlace, type OnTerminal, type Place } from './place.js';

const DIST = fileURLToPath(new URL('../../dist/opencode/', import.meta.url));
const WAIT = { timeout: 120_000, interval: 250 };
const HITL = { RELAY_FLOW_NODE_TYPE: 'hitl' };
const ENTER = '\r';
const ESCAPE = '\u001B';

/** OpenCode's terminal in a repository whose settings name the built plugins, as registering a repository does it with their package. */
async function start(scenario: Scenario, variables: Readonly<Record<string, string>> = {}): Promise<{ readonly place: Place; readonly terminal: OnTerminal }> {
  const place = await startPlace('opencode', scenario, variables);
  const plugin = (file: string): string => pathToFileURL(join(DIST, file)).href;
  await writeFile(join(place.repository, 'opencode.json'), JSON.stringify({ $schema: 'https://opencode.ai/config.json', plugin: [plugin('server.js')] }));
  await mkdir(join(place.repository, '.opencode'));
  await writeFile(join(place.repository, '.opencode', 'tui.json'), JSON.stringify({ $schema: 'https://opencode.ai/tui.json', plugin: [plugin('tui.js')] }));
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

const GOOD = reportText();
const REPORT = expect.objectContaining({ status: 'success', nextStep: 'review' }) as unknown;

needsAgentCli('opencode').describe('opencode itself', () => {
  const test = needs('script', 'stty');

  test('registers its session under the title of the node, and delivers a report', async () => {
    const { place } = await start({ turns: [{ match: { user: 'Begin' }, text: GOOD }] });
    await expect.poll(() => reports(place), WAIT).toEqual([REPORT]);
    const [{ input: report }] = place.calls('report') as [Place['calls'] extends (verb: string) => readonly (infer One)[] ? One : never];
    const [{ input: session }] = place.calls('runtime-register') as [{ input: Record<string, unknown> }];
    expect(session).toEqual({ runId: 'shop/fix/SHOP-1', node: 'build', sessionId: expect.stringMatching(/^ses_/) as string });
    expect(report).toMatchObject({ runId: 'shop/fix/SHOP-1', node: 'build', reportId: expect.stringMatching(new RegExp(`^${String(session['sessionId'])}:msg_`)) as string });
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
    // The box of the session takes what is typed once the dialog is gone.
    await expect.poll(async () => {
      terminal.type('Say more');
      terminal.type(ENTER);
      return place.stub.requests().some(({ user }) => user.includes('Say more'));
    }, { timeout: 60_000, interval: 3_000 }).toBe(true);
    await expect.poll(() => place.log().split('"host":"opencode-tui","event":"turn"').length, WAIT).toBe(3);
    expect(reports(place)).toEqual([]);
    await expect.poll(() => {
      terminal.type(ENTER);
      return reports(place).length;
    }, { timeout: 60_000, interval: 2_000 }).toBe(1);
    expect(reports(place)[0]).toMatchObject({ summary: { notes: 'More.' } });
  });

  test('leaves a session alone that relay-flow has not started', async () => {
    const { place } = await start({ turns: [{ match: { user: 'Begin' }, text: GOOD }] }, { RELAY_FLOW_NODE: '' });
    await expect.poll(() => place.stub.requests().filter(({ user }) => user.includes('Begin')).length, WAIT).toBeGreaterThan(0);
    await expect.poll(() => place.stub.log().filter(({ type }) => type === 'response').length, WAIT).toBeGreaterThan(0);
    expect([place.calls('report'), place.calls('runtime-register'), place.log()]).toEqual([[], [], '']);
  });
});
