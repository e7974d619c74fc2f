import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scenario } from '@relayflows/stub-llm';
import { expect } from 'vitest';
import type { ToolTest } from 'test-tools';
import type { RunDetail } from '../../src/server/answers.js';
import { markersIn } from '../server/world.js';
import { ended, runs, serveApart } from './agent-place.js';
import type { OrcaPlace } from './orca-place.js';
import { reported } from './report-text.js';

const LIMIT_MS = 240_000;
const WAIT = { timeout: LIMIT_MS, interval: 500 };
const ENTER = '\r';

const GATED = (agents: { readonly build: string; readonly check: string }): string => `
name: gated
repos: [app]
nodes:
  start:
    onSuccess: [{ target: build }]
  build:
    type: agent
    agent: ${agents.build}
    description: Build what {{ticket}} asks for.
    onSuccess: [{ target: check }]
    onFailure: [{ target: build }]
  check:
    type: hitl
    agent: ${agents.check}
    description: Read what was built.
    onSuccess: [{ target: end }]
    onFailure: [{ target: build }]
  end: {}
`;

const STRAIGHT = (agent: string): string => `
name: straight
repos: [app]
nodes:
  start:
    onSuccess: [{ target: build }]
  build:
    type: agent
    agent: ${agent}
    description: Build what {{ticket}} asks for.
    onSuccess: [{ target: end }]
    onFailure: [{ target: build }]
  end: {}
`;

const BUILD = 'Build what APP-1 asks for';
const CHECK = 'Read what was built';
const DIALOG = 'Approve relay-flow report for APP-1:check';

const walked = ({ steps }: RunDetail): unknown => steps.map(({ node, status, route }) => [node, status, route]);
const sessionsAt = ({ steps }: RunDetail, at: string): readonly (string | null | undefined)[] => steps.filter(({ node }) => node === at).map(({ runtime }) => runtime?.session);
const terminalsAt = ({ steps }: RunDetail, at: string): readonly (string | null | undefined)[] => steps.filter(({ node }) => node === at).map(({ runtime }) => runtime?.terminal);

export interface TerminalAgents {
  readonly test: ToolTest;
  /** A place whose server is not started, with the repository of the test ready to be registered. */
  readonly make: (scenario: Scenario, config: Readonly<Record<string, unknown>>) => Promise<OrcaPlace>;
  /** Registers the repository and commits what that has changed. */
  readonly register: (orca: OrcaPlace) => Promise<void>;
  readonly agents: { readonly build: string; readonly check: string };
  readonly session: RegExp;
  /** What a person has to do once when the first terminal, with this title, is there. */
  readonly admit?: (orca: OrcaPlace, title: string) => Promise<void>;
}

/** What holds for an agent in a terminal whose plugin delivers its reports to the server. */
export function terminalSuite({ test, make, register, agents, session, admit }: TerminalAgents): void {
  const prepare = async (scenario: Scenario, workflow: string, config: Readonly<Record<string, unknown>> = {}): Promise<OrcaPlace> => {
    const orca = await make(scenario, config);
    await orca.serve();
    await register(orca);
    await orca.place.world.client.call('submitWorkflow', { body: workflow });
    return orca;
  };
  const open = async (orca: OrcaPlace): Promise<void> => {
    orca.place.world.ticket('APP-1', {}, 'Filter the orders.');
    await admit?.(orca, 'APP-1:build');
  };
  const begin = async (...given: Parameters<typeof prepare>): Promise<OrcaPlace> => {
    const orca = await prepare(...given);
    await open(orca);
    return orca;
  };

  test('walks to its end: corrected by its plugin, approved by key, sent back into the terminal that is still open', async () => {
    const orca = await begin({
      turns: [
        { match: { user: 'There is no report' }, times: 1, text: reported({ next: 'check', completed: 'Built the first version.' }) },
        { match: { user: 'Feedback was added', history: 'Built the first version.' }, times: 1, text: reported({ next: 'check', completed: 'Renamed it.' }) },
        { match: { user: 'Feedback was added', history: 'The name is wrong.' }, times: 1, text: reported({ next: 'end', completed: 'It reads well.' }) },
        { match: { user: BUILD }, times: 1, text: 'I am done.' },
        { match: { user: CHECK }, times: 1, text: reported({ next: 'build', status: 'failure', actions: 'Call it orders.' }) },
      ],
    }, GATED(agents));
    const { world } = orca.place;
    await approve(orca, 1);
    await world.until('APP-1', (run) => run.steps.some(({ node, status }) => node === 'check' && status === 'failed'), LIMIT_MS);
    await approve(orca, 2);
    const run = await world.until('APP-1', ({ state }) => state === 'completed', LIMIT_MS);

    expect(walked(run)).toEqual([
      ['start', 'succeeded', 'build'], ['build', 'succeeded', 'check'], ['check', 'failed', 'build'], ['build', 'succeeded', 'check'], ['check', 'succeeded', 'end'], ['end', 'succeeded', null],
    ]);
    const sessions = ['build', 'check'].map((node) => sessionsAt(run, node));
    for (const [first, second] of sessions) {
      expect(first).toMatch(session);
      expect(second).toBe(first);
    }
    expect(new Set(sessions.flat()).size).toBe(2);
    for (const node of ['build', 'check']) expect(new Set(terminalsAt(run, node)).size).toBe(1);
    const feedback = orca.place.prompts().find((prompt) => prompt.includes('Feedback was added') && prompt.includes('Call it orders.'));
    expect(feedback).toBeDefined();
    const [build, check] = [world.read('APP-1', 'build.md'), world.read('APP-1', 'check.md')];
    expect([markersIn(build, 'summary').length, markersIn(build, 'feedback').length]).toEqual([2, 1]);
    expect([markersIn(check, 'summary').length, markersIn(check, 'feedback').length]).toEqual([2, 2]);
    expect(world.read('APP-1.md')).toContain('status: Done');
    // Terminals stay for people to look at until the ticket has ended.
    expect(await orca.terminals()).toEqual([]);
  });

  test('whose terminal is gone is worked on in another one, in the same visit and session', async () => {
    const orca = await begin({
      turns: [
        { match: { user: 'was interrupted' }, text: reported({ next: 'end', completed: 'Went on.' }) },
        { match: { user: BUILD }, times: 1, text: reported({ next: 'end' }), delay_ms: 600_000 },
      ],
    }, STRAIGHT(agents.build));
    const { world } = orca.place;
    await expect.poll(() => orca.place.prompts().length, WAIT).toBe(1);
    const before = await world.until('APP-1', ({ steps }) => steps[1]?.runtime?.session?.length !== undefined, LIMIT_MS);
    await orca.kill('APP-1:build');
    const run = await world.until('APP-1', ({ state }) => state === 'completed', LIMIT_MS);
    expect(walked(run)).toEqual([['start', 'succeeded', 'build'], ['build', 'succeeded', 'end'], ['end', 'succeeded', null]]);
    expect(run.steps[1]?.nodeVisitId).toBe(before.steps[1]?.nodeVisitId);
    expect(run.steps[1]?.runtime?.session).toBe(before.steps[1]?.runtime?.session);
    expect(run.steps[1]?.runtime?.terminal).not.toBe(before.steps[1]?.runtime?.terminal);
    expect(markersIn(world.read('APP-1', 'build.md'), 'summary')).toHaveLength(1);
    const resumed = orca.place.stub.requests().find(({ user }) => user.includes('was interrupted'));
    expect(JSON.stringify(resumed?.body)).toContain(BUILD);
  });

  test('whose terminal is closed while a person is asked is asked about in another one', async () => {
    const orca = await begin({
      turns: [
        { match: { user: 'was interrupted' }, text: reported({ next: 'end', completed: 'It still reads well.' }) },
        { match: { user: BUILD }, times: 1, text: reported({ next: 'check' }) },
        { match: { user: CHECK }, times: 1, text: reported({ next: 'end', completed: 'It reads well.' }) },
      ],
    }, GATED(agents));
    const { world } = orca.place;
    await asked(orca, 1);
    const before = await world.run('APP-1');
    await orca.close('APP-1:check');
    await asked(orca, 2);
    await orca.press('APP-1:check', ENTER);
    const run = await world.until('APP-1', ({ state }) => state === 'completed', LIMIT_MS);
    expect(walked(run)).toEqual([['start', 'succeeded', 'build'], ['build', 'succeeded', 'check'], ['check', 'succeeded', 'end'], ['end', 'succeeded', null]]);
    expect(run.steps[2]?.nodeVisitId).toBe(before.steps[2]?.nodeVisitId);
    expect(run.steps[2]?.runtime?.session).toBe(before.steps[2]?.runtime?.session);
    const check = world.read('APP-1', 'check.md');
    expect(markersIn(check, 'summary')).toHaveLength(1);
    expect(check).toContain('It still reads well.');
  });

  test('whose terminals do not stay goes on with its session in another one', async () => {
    const orca = await begin({
      turns: [
        { match: { user: 'Feedback was added', history: 'Call it orders.' }, times: 1, text: reported({ next: 'end', completed: 'Renamed it.' }) },
        { match: { user: BUILD }, times: 1, text: reported({ next: 'build', status: 'failure', actions: 'Call it orders.' }) },
      ],
    }, STRAIGHT(agents.build), { keepTerminalsAlive: false });
    const { world } = orca.place;
    const run = await world.until('APP-1', ({ state }) => state === 'completed', LIMIT_MS);
    expect(walked(run)).toEqual([['start', 'succeeded', 'build'], ['build', 'failed', 'build'], ['build', 'succeeded', 'end'], ['end', 'succeeded', null]]);
    const sessions = sessionsAt(run, 'build');
    expect([sessions[0], new Set(sessions).size, new Set(terminalsAt(run, 'build')).size]).toEqual([expect.stringMatching(session), 1, 2]);
    expect(orca.place.prompts()).toHaveLength(2);
    expect(markersIn(world.read('APP-1', 'build.md'), 'summary')).toHaveLength(2);
  });

  test('that reports while the server is dead is heard once it is there again', async () => {
    const orca = await prepare({ turns: [{ match: { user: BUILD }, text: reported({ next: 'end', completed: 'Built it.' }), delay_ms: 5_000 }] }, STRAIGHT(agents.build));
    const { world } = orca.place;
    await orca.stop();
    // It reports with the command of the server, even where its PATH has none.
    orca.place.hideCommand();
    const server = await serveApart(orca.place);
    await open(orca);
    await expect.poll(() => orca.place.prompts().length, WAIT).toBe(1);
    const before = await world.run('APP-1');
    await ended(server, 'SIGKILL');
    await expect.poll(() => pluginLog(orca), WAIT).toContain('"report failed"');
    await serveApart(orca.place);
    const run = await world.until('APP-1', ({ state }) => state === 'completed', LIMIT_MS);
    expect(walked(run)).toEqual([['start', 'succeeded', 'build'], ['build', 'succeeded', 'end'], ['end', 'succeeded', null]]);
    expect(run.steps[1]?.runtime?.terminal).toBe(before.steps[1]?.runtime?.terminal);
    expect(markersIn(world.read('APP-1', 'build.md'), 'summary')).toHaveLength(1);
    // Nobody had to ask it again.
    expect(orca.place.prompts()).toHaveLength(1);
  });

  test('that is canceled is worked on no more', async () => {
    const orca = await begin({ turns: [{ match: { user: BUILD }, text: reported({ next: 'end' }), delay_ms: 600_000 }] }, STRAIGHT(agents.build));
    await expect.poll(() => orca.place.prompts().length, WAIT).toBe(1);
    const agent = await orca.agentOf('APP-1:build');
    expect(runs(agent)).toBe(true);
    await orca.place.relayFlow('run', 'cancel', '--ticket', 'APP-1', '--reason', 'not needed');
    expect(await orca.terminals()).toEqual([]);
    await expect.poll(() => runs(agent), WAIT).toBe(false);
    expect((await orca.place.world.run('APP-1')).state).toBe('canceled');
    expect(orca.place.world.read('APP-1.md')).toContain('Run canceled: not needed');
  });
}

/** Accepts the report of `check` in the dialog of its terminal, the one of this number. */
async function approve(orca: OrcaPlace, count: number): Promise<void> {
  const { world } = orca.place;
  await asked(orca, count);
  expect((await world.run('APP-1')).currentNode).toBe('check');
  expect(markersIn(world.read('APP-1', 'check.md'), 'summary')).toHaveLength(count - 1);
  await orca.press('APP-1:check', ENTER);
}

async function asked(orca: OrcaPlace, count: number): Promise<void> {
  // The dialog of before may still stand there; each half of a plugin logs what is asked about.
  await expect.poll(() => new Set(pluginLog(orca).match(/"messageId":"[^"]+","decision":"ask"/g)).size, WAIT).toBe(count);
  await expect.poll(async () => await orca.screen('APP-1:check'), WAIT).toContain(DIALOG);
}

function pluginLog(orca: OrcaPlace): string {
  const file = join(orca.place.world.home.root, 'plugin.log');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
