import { mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RelayError } from '../../src/errors/relay-error.js';
import { readStored, replaceStored } from '../../src/workflow/store/store.js';
import { submitWorkflow } from '../../src/server/workflows/submit.js';
import type { WorkflowBook } from '../../src/server/workflows/book.js';
import type { Workshop } from '../../src/server/workshop.js';
import { madeHome, scratch } from '../scratch.js';
import { report } from '../workflow/interpreter/stage.js';
import { Recorded, recordedServer, type RecordedServer } from './recorded.js';
import { STRAIGHT } from './world.js';

const RUN = 'app/straight/K-1';

/** Walks a ticket from build to review and to its end. Answers with what was done to states, mailboxes and comments. */
async function walked(recorded: Recorded, { world }: RecordedServer): Promise<readonly string[]> {
  recorded.take();
  recorded.ticket('K-1');
  for (const [node, next] of [['build', 'review'], ['review', 'end']] as const) {
    await world.until('K-1', (run) => run.currentNode === node && run.state === 'waiting');
    await world.client.call('deliverReport', { body: { runId: RUN, node, reportId: node, report: report(next) } });
  }
  await world.until('K-1', ({ state }) => state === 'completed');
  return recorded.take().filter((call) => / to |^mailboxes/.test(call));
}

describe('settings of every scope', () => {
  it('are what tickets, mailboxes and comments get (pitfall 30)', async () => {
    const recorded = new Recorded();
    const entry = await recordedServer(recorded, {
      config: {
        taskConfig: { assignee: 'ann', transitionTo: { parentStatus: 'Root', taskStatus: 'Root' }, templates: { summaryComment: 'Root {{summaryReport}}' } },
        repos: { app: { path: '/', taskConfig: { transitionTo: { parentStatus: 'Repo' }, templates: { feedbackComment: 'Repo {{feedbackReport}}' } } } },
      },
      workflow: ['straight', STRAIGHT
        .replace('repos: [app]', 'repos: [app]\ntaskConfig: { templates: { summaryComment: "Workflow {{summaryReport}}" } }')
        .replace('    agent: reader\n', '    agent: reader\n    taskConfig: { assignee: bob, transitionTo: { parentStatus: Node, taskStatus: Node }, templates: { feedbackComment: "Node {{feedbackReport}}" } }\n')],
    });
    expect(await walked(recorded, entry)).toEqual([
      'mailboxes K-1:build for ann, K-1:review for bob',
      'ticket to Repo/-',
      'K-1/build to Repo/Root for ann',
      'K-1/build to -/Done',
      'K-1/review to Node/Node for bob',
      'K-1/review to -/Done',
      'ticket to Repo/-',
    ]);
    const comments = (key: string): readonly string[] => (recorded.comments.get(key) ?? []).map(({ body }) => body.split(' ')[0] ?? '');
    // A summary is in the words of its own node, feedback in those of the node that reads it.
    expect([comments('K-1/build'), comments('K-1/review')]).toEqual([['Workflow'], ['Node', 'Workflow']]);
  });

  it.each([
    ['the machine', { taskConfig: { transitionTo: { parentStatus: 'Doing' } } }, STRAIGHT, /Repository app: .*not closed when it is done/],
    ['a repository', { repos: { app: { path: '/', taskConfig: { transitionTo: { parentStatus: 'Doing' } } } } }, STRAIGHT, /Repository app: .*not closed when it is done/],
    ['the workflow', {}, STRAIGHT.replace('repos: [app]', 'repos: [app]\ntaskConfig: { transitionTo: { parentStatus: Doing } }'), /not closed when it is done/],
  ])('a state of %s that counts at the end too is warned of when a workflow is submitted (pitfall 31)', async (_scope, config, workflow, warning) => {
    const { world } = await recordedServer(new Recorded(), { config: { repos: { app: { path: '/', taskConfig: {} } }, ...config } });
    const { warnings } = await world.client.call('submitWorkflow', { body: workflow });
    expect(warnings).toEqual([expect.stringMatching(warning)]);
    const said = await world.client.call('submitWorkflow', { body: workflow.replace('  end: {}', '  end: { taskConfig: { transitionTo: { parentStatus: Closed } } }') });
    expect(said.warnings).toEqual([]);
  });
});

describe('a workflow that is submitted', () => {
  const TWO = STRAIGHT.replace('[app]', '[app, lib]').replace('    agent: reader\n', '    agent: coder\n');
  const repos = { app: { path: '/a', taskConfig: {} }, lib: { path: '/b', taskConfig: {} } };

  it('is checked with every repository and node, and each agent once in each repository', async () => {
    const recorded = new Recorded();
    const { world } = await recordedServer(recorded, { config: { repos } });
    recorded.take();
    await world.client.call('submitWorkflow', { body: TWO.replace('    agent: coder\n', '    agent: coder\n    taskConfig: { assignee: bob }\n') });
    const [settings, rest] = [['validate -/- -', 'validate -/- bob'], ['validate repository', 'agent coder']];
    expect(recorded.take()).toEqual([...settings, ...settings, ...rest, ...rest]);
  });

  it('is refused with every mistake in the settings of all nodes and repositories', async () => {
    const { world } = await recordedServer(new Recorded(), { config: { repos: { ...repos, lib: { path: '/b', taskConfig: { assignee: 5 } } } } });
    const twice = TWO.replace('repos: [app, lib]', 'repos: [app, lib]\ntaskConfig: { filters: { label: [x] } }').replace('    agent: coder\n', '    agent: coder\n    taskConfig: { asignee: bob }\n');
    const refused: unknown = await world.client.call('submitWorkflow', { body: twice }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'task_config_invalid', text: expect.stringMatching(/^There are 3 mistakes in taskConfig:\n/) as string });
    expect((refused as RelayError).text.split('\n').slice(1).map((line) => /^- (\S+) in the taskConfig of the (\w+(?: build)?)/.exec(line)?.slice(1, 3))).toEqual([['filters.label', 'workflow'], ['asignee', 'node build'], ['assignee', 'repository']]);
  });

  it.each([
    ['the settings', 'validate -/- -', 'task_config_invalid'],
    ['the repository', 'validate repository', 'runner_missing'],
    ['an agent', 'agent coder', 'harness_rejected'],
  ] as const)('is stored for none of its repositories when %s of one cannot be used', async (_what, refused, code) => {
    const recorded = new Recorded();
    const { world } = await recordedServer(recorded, { config: { repos } });
    let seen = 0;
    recorded.before = (call) => {
      if (call !== refused) return;
      seen += 1;
      // The first repository would do.
      if (seen === 2) throw new RelayError(code, 'It cannot be used.');
    };
    await expect(world.client.call('submitWorkflow', { body: TWO })).rejects.toMatchObject({ code });
    expect([await world.client.call('listWorkflows', {}), readdirSync(world.home.workflows)]).toEqual([[], []]);
    recorded.ticket('K-1');
    const { polls } = recorded;
    await expect.poll(() => recorded.polls).toBeGreaterThan(polls + 4);
    expect(recorded.calls.filter((call) => call.startsWith('claim'))).toEqual([]);
  });

  it('that cannot be registered leaves the stored one as it was (pitfall 50)', async () => {
    const home = madeHome();
    mkdirSync(home.workflows, { recursive: true });
    replaceStored(home.workflows, { name: 'straight', yaml: STRAIGHT });
    const before = readdirSync(home.workflows);
    const repo = { name: 'app', path: '/', task: { validate: async () => undefined }, layers: { root: {}, repo: {} } };
    const shop = {
      repos: { get: () => repo }, taskSystem: { ownKeys: {}, templateScopes: [] }, store: { countActive: () => 0 },
      runner: { validateRepo: async () => undefined, terminals: {} }, harness: { kind: 'terminal', validateAgent: async () => undefined },
    } as unknown as Workshop;
    const workflowBook = { put: () => { throw new RelayError('internal_error', 'There is no room.'); } } as unknown as WorkflowBook;
    await expect(submitWorkflow({ shop, home, workflowBook, bytes: Buffer.from(`${STRAIGHT}# newer\n`) })).rejects.toMatchObject({ text: 'There is no room.' });
    expect(readdirSync(home.workflows)).toEqual(before);
    expect(readStored(home.workflows, 'straight')).toMatchObject({ yaml: STRAIGHT, health: 'healthy' });
    await expect(submitWorkflow({ shop, home, workflowBook, bytes: Buffer.from(STRAIGHT.replace('straight', 'other')) })).rejects.toMatchObject({ text: 'There is no room.' });
    expect(readdirSync(home.workflows)).toEqual(before);
  });
});

it('a stored workflow that cannot be bound any more is shown with its reason, and keeps no other from its work (pitfall 39)', async () => {
  const recorded = new Recorded();
  const { world, server } = await recordedServer(recorded, { workflow: ['straight', STRAIGHT] });
  await server.stop();
  const other = (name: string): string => STRAIGHT.replace('name: straight', `name: ${name}`);
  world.store('elsewhere', other('elsewhere').replace('[app]', '[app, gone]'));
  world.store('ghost', other('ghost').replace('agent: coder', 'agent: nobody'));
  world.store('odd', other('odd').replace('repos: [app]', 'repos: [app]\ntaskConfig: { asignee: x }'));
  recorded.before = (call) => {
    if (call === 'agent nobody') throw new RelayError('harness_rejected', 'There is no agent nobody.');
  };
  await recordedServer(recorded, { world });
  recorded.ticket('K-1');
  await world.until('K-1', ({ state, workflow }) => state === 'waiting' && workflow === 'straight');
  expect((await world.client.call('listWorkflows', {})).map(({ name, health, reason }) => [name, health, reason])).toEqual([
    ['elsewhere', 'blocked', expect.stringContaining('gone')], ['ghost', 'blocked', 'There is no agent nobody.'], ['odd', 'blocked', expect.stringContaining('asignee')], ['straight', 'healthy', null],
  ]);
});

it('a repository is where it really is, and registered once, by whatever way it is named', async () => {
  const { world } = await recordedServer(new Recorded(), { config: { repos: {} } });
  const place = scratch();
  mkdirSync(join(place, 'real'));
  for (const name of ['one', 'two']) symlinkSync(join(place, 'real'), join(place, name));
  await world.client.call('registerRepo', { body: { name: 'one', path: join(place, 'one'), values: {} } });
  expect((await world.client.call('getRepo', { params: { name: 'one' } })).path).toBe(realpathSync(join(place, 'real')));
  await expect(world.client.call('registerRepo', { body: { name: 'two', path: join(place, 'two'), values: {} } })).rejects.toMatchObject({ code: 'repo_invalid', text: expect.stringContaining('is registered already, as one.') as string });
  await expect(world.client.call('registerRepo', { body: { name: 'ONE', path: place, values: {} } })).rejects.toMatchObject({ code: 'repo_invalid', text: 'A repository one is registered already.', hint: expect.stringContaining('--name one`') as string });
});
