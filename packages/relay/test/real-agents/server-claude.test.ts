import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StubRequest } from '@relayflows/stub-llm';
import { needsAgentCli } from 'test-tools';
import { expect, test } from 'vitest';
import type { RunDetail } from '../../src/server/answers.js';
import { markersIn } from '../server/world.js';
import { agentPlace, ended, runs, serveApart } from './agent-place.js';
import { reported } from './report-text.js';

const LIMIT_MS = 120_000;

const CHANGE = `
name: change
repos: [app]
nodes:
  start:
    onSuccess: [{ target: build }]
  build:
    type: agent
    agent: coder
    description: Build what {{ticket}} asks for.
    onSuccess: [{ target: review }]
    onFailure: [{ target: build }]
  review:
    type: agent
    agent: default
    description: Review what was built.
    onSuccess: [{ target: end }]
    onFailure: [{ target: build }]
  end: {}
`;

const GATED = CHANGE.replace('type: agent\n    agent: default', 'type: hitl\n    agent: default');

const BUILD = 'Build what APP-1 asks for';
const REVIEW = 'Review what was built';
const CODER = '---\nname: coder\ndescription: Codes.\n---\nYou are the coder of this repository.\n';

const CONFIG = { harnessPlugin: 'claude' };

const walked = ({ steps }: RunDetail): unknown => steps.map(({ node, status, route }) => [node, status, route]);
const sessionsAt = ({ steps }: RunDetail, at: string): readonly (string | null | undefined)[] => steps.filter(({ node }) => node === at).map(({ runtime }) => runtime?.session);

/** All that the model was shown of its conversation. */
const conversation = (request: StubRequest | undefined): string => JSON.stringify(request?.body['messages']);

needsAgentCli('claude').describe('a ticket that Claude Code works on', () => {
  test('goes back and forth between sessions that go on, and an answer that is no report is corrected', async () => {
    const place = await agentPlace({
      agent: 'claude', config: CONFIG,
      scenario: () => ({
        turns: [
          { match: { user: BUILD }, times: 1, tools: [{ shell: 'echo one > built.txt && git add built.txt && git commit -qm "Build it"' }] },
          { text: reported({ next: 'review', completed: 'Built the first version.', preamble: 'I have done what I was asked for.' }) },
          { match: { user: REVIEW }, times: 1, text: reported({ next: 'build', status: 'failure', actions: 'Call it orders.' }) },
          { match: { user: BUILD }, times: 1, text: 'I have renamed it.' },
          { match: { user: 'could not be taken as the report' }, times: 1, text: reported({ next: 'review', completed: 'Renamed it.' }) },
          { match: { user: REVIEW }, text: reported({ next: 'end', completed: 'Reviewed both versions.' }) },
        ],
      }),
    });
    place.commit({ '.claude/agents/coder.md': CODER });
    await serveApart(place);
    await place.world.client.call('submitWorkflow', { body: CHANGE });
    place.world.ticket('APP-1', {}, 'Filter the orders.');
    const run = await place.world.until('APP-1', ({ state }) => state === 'completed', LIMIT_MS);

    expect(walked(run)).toEqual([
      ['start', 'succeeded', 'build'], ['build', 'succeeded', 'review'], ['review', 'failed', 'build'], ['build', 'succeeded', 'review'], ['review', 'succeeded', 'end'], ['end', 'succeeded', null],
    ]);
    const [first, second] = sessionsAt(run, 'build');
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(second).toBe(first);
    expect(new Set([first, ...sessionsAt(run, 'review')]).size).toBe(2);
    expect(run.steps[3]?.retries).toBe(1);

    const prompts = place.prompts();
    expect(prompts).toHaveLength(5);
    expect(prompts[0]).toContain('Filter the orders.');
    expect(prompts[2]).toContain('Feedback was added');
    expect(prompts[2]).toContain('Call it orders.');
    expect(prompts[3]).toMatch(/could not be taken as the report[^]*STATUS: success with one of these/);
    const requests = place.stub.requests().filter(({ side }) => side !== true);
    // What the session held before came along, and the reviewer was given none of it.
    expect(conversation(requests.find(({ user }) => user === prompts[2]))).toContain('Built the first version.');
    expect(conversation(requests.find(({ user }) => user === prompts[3]))).toContain('Call it orders.');
    expect(conversation(requests.find(({ user }) => user === prompts[1]))).not.toContain('git add built.txt');
    expect(requests[0]?.system).toContain('You are the coder of this repository.');

    expect(readFileSync(join(place.world.home.root, 'worktrees', 'app', 'APP-1', 'built.txt'), 'utf8')).toBe('one\n');
    const [build, review] = [place.world.read('APP-1', 'build.md'), place.world.read('APP-1', 'review.md')];
    expect([markersIn(build, 'summary').length, markersIn(build, 'feedback').length]).toEqual([2, 1]);
    expect([markersIn(review, 'summary').length, markersIn(review, 'feedback').length]).toEqual([2, 2]);
    expect(place.world.read('APP-1.md')).toContain('status: Done');
    const told = await place.relayFlow('run', 'logs', '--ticket', 'APP-1');
    expect(told).toContain('gave no valid report');
    expect(told).toContain('Built the first version.');
  });

  test('waits for a person, who sends it back, and approves what comes then, also after the server was killed', async () => {
    const place = await agentPlace({
      agent: 'claude', config: CONFIG,
      scenario: () => ({
        turns: [
          { match: { user: BUILD }, times: 1, text: reported({ next: 'review' }) },
          { match: { user: 'Say more about the tests.' }, times: 1, text: reported({ next: 'end', completed: 'Reviewed, with the tests.' }) },
          { match: { user: REVIEW }, times: 1, text: reported({ next: 'end', completed: 'Reviewed.' }) },
        ],
      }),
    });
    place.commit({ '.claude/agents/coder.md': CODER });
    const server = await serveApart(place);
    await place.world.client.call('submitWorkflow', { body: GATED });
    place.world.ticket('APP-1');
    const waiting = await place.world.until('APP-1', ({ proposal }) => proposal !== null, LIMIT_MS);
    expect(await place.relayFlow('run', 'get', '--ticket', 'APP-1')).toContain('relay-flow run approve --ticket APP-1');
    await place.relayFlow('run', 'reject', '--ticket', 'APP-1', '--reason', 'Say more about the tests.');
    const better = await place.world.until('APP-1', ({ proposal }) => proposal !== null && proposal.reportId !== waiting.proposal?.reportId, LIMIT_MS);
    expect(better.proposal?.text).toContain('Reviewed, with the tests.');
    // The same conversation, in which it had reported before.
    expect(conversation(place.stub.requests().at(-1))).toContain('COMPLETED: Reviewed.');
    await ended(server, 'SIGKILL');
    await serveApart(place);
    const after = await place.world.run('APP-1');
    expect(after.proposal).toEqual(better.proposal);
    await place.relayFlow('run', 'approve', '--ticket', 'APP-1', '--report-id', after.proposal?.reportId ?? '');
    const run = await place.world.until('APP-1', ({ state }) => state === 'completed', LIMIT_MS);
    expect(walked(run)).toEqual([['start', 'succeeded', 'build'], ['build', 'succeeded', 'review'], ['review', 'succeeded', 'end'], ['end', 'succeeded', null]]);
    const review = place.world.read('APP-1', 'review.md');
    expect(markersIn(review, 'summary')).toHaveLength(1);
    expect(review).toContain('Reviewed, with the tests.');
    expect(place.prompts()).toHaveLength(3);
  });

  test('is worked on again when the server was killed in the middle of a turn, and nothing of that turn stays', async () => {
    const place = await agentPlace({
      agent: 'claude', config: CONFIG,
      scenario: (notes) => ({
        turns: [
          { match: { user: BUILD }, times: 1, tools: [{ shell: `echo begun > begun.txt; setsid sh -c 'echo $$ > ${notes}/away; while :; do sleep 1; done' & echo $PPID $$ > ${notes}/pids.new; mv ${notes}/pids.new ${notes}/pids; while :; do sleep 1; done` }] },
          { match: { user: 'was interrupted' }, times: 1, tools: [{ shell: 'cat begun.txt' }] },
          { text: reported({ next: 'review', completed: 'Went on with what was begun.' }) },
          { match: { user: REVIEW }, times: 1, text: reported({ next: 'end' }) },
        ],
      }),
    });
    place.commit({ '.claude/agents/coder.md': CODER });
    const server = await serveApart(place);
    await place.world.client.call('submitWorkflow', { body: CHANGE });
    place.world.ticket('APP-1');
    const notes = ['pids', 'away'].map((name) => join(place.notes, name));
    await expect.poll(() => notes.every((file) => existsSync(file)), { timeout: LIMIT_MS }).toBe(true);
    const pids = notes.flatMap((file) => readFileSync(file, 'utf8').trim().split(' ').map(Number));
    expect(pids.filter((pid) => runs(pid))).toEqual(pids);
    const before = await place.world.run('APP-1');

    await ended(server, 'SIGKILL');
    await serveApart(place);
    for (let look = 0; look < 100 && pids.some((pid) => runs(pid)); look += 1) await sleep(100);
    expect(pids.filter((pid) => runs(pid))).toEqual([]);
    const run = await place.world.until('APP-1', ({ state }) => state === 'completed', LIMIT_MS);
    expect(walked(run)).toEqual([['start', 'succeeded', 'build'], ['build', 'succeeded', 'review'], ['review', 'succeeded', 'end'], ['end', 'succeeded', null]]);
    // The same visit, in the same session, which still knew what it had been asked.
    expect(run.steps[1]?.nodeVisitId).toBe(before.steps[1]?.nodeVisitId);
    const resumed = place.stub.requests().find(({ user }) => user.includes('was interrupted'));
    expect(conversation(resumed)).toContain(BUILD);
    const [build, review] = [place.world.read('APP-1', 'build.md'), place.world.read('APP-1', 'review.md')];
    expect([markersIn(build, 'summary').length, markersIn(review, 'summary').length, markersIn(review, 'feedback').length]).toEqual([1, 1, 1]);
    expect(place.prompts()).toHaveLength(3);
  });
});
