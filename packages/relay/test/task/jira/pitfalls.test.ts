import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { broadTransition } from '../../../src/task/config/broad-transition.js';
import { resolveTaskConfig, transitionFor } from '../../../src/task/config/resolve.js';
import type { TaskConfigScope } from '../../../src/task/task-config.js';
import { ANA, BO, ME } from './fake/site.js';
import { bindingOf, newTaskSystem, refusal, SETTINGS, soon, specs } from './stage.js';
import { staged } from './staged.js';

const on = staged();

describe('pitfall', () => {
  it('24: a project without conventional status names works with those it has, and an absent name is refused with those there are', async () => {
    const { tasks, repo, jira } = await on();
    const ticket = jira.site.add({ summary: 'Fix it' });
    for (const point of ['start', 'work', 'end'] as const) await repo.transition({ ticket: ticket.key, transition: repo.lifecycleDefault(point) });
    expect(ticket.status).toBe('Shipped');
    const error = await refusal(tasks.openRepo(bindingOf({ ...SETTINGS, statusDefaults: { start: 'To Do', work: 'In Progress', end: 'Done' } })));
    expect(error.code).toBe('task_config_invalid');
    expect(error.text).toContain('"To Do"');
    expect(error.text).toContain('"Open", "Building", "Shipped"');
    expect((await refusal(tasks.openRepo(bindingOf({ project: 'APP', component: 'app' })))).text).toContain('statusDefaults');
  });

  it('25: the status in which subtasks begin is read, not assumed', async () => {
    const { repo, jira } = await on();
    const ticket = jira.site.add({ summary: 'Fix it' });
    const { implement = '', review = '' } = await repo.ensureMailboxes({ ticket: ticket.key, mailboxes: specs(ticket.key) });
    expect(jira.site.get(implement).status).toBe('Backlog');
    await repo.transition({ ticket: ticket.key, mailbox: implement, transition: { taskStatus: 'Building' } });
    expect(jira.site.get(implement).status).toBe('Building');
    // A person moved the other one: what was learned from the first does not hold for it.
    jira.site.get(review).status = 'Building';
    const before = jira.count('POST issue/');
    await repo.transition({ ticket: ticket.key, mailbox: review, transition: { taskStatus: 'Building' } });
    expect(jira.count('POST issue/')).toBe(before);
  });

  it('26: an address becomes an account id, looked up once', async () => {
    const { repo, jira, clock } = await on();
    const ticket = jira.site.add({ summary: 'Fix it' });
    const { implement = '' } = await repo.ensureMailboxes({ ticket: ticket.key, mailboxes: specs(ticket.key, 'Do it.', ' ANA@example.com') });
    expect(jira.site.get(implement).assignee).toBe(ANA.accountId);
    const asked = 1;
    expect(jira.count('GET user/assignable/search')).toBe(asked);
    await repo.transition({ ticket: ticket.key, mailbox: implement, transition: {}, assignee: 'ana@example.com' });
    expect(jira.count('GET user/assignable/search')).toBe(asked);
    clock.at += 60 * 60_000;
    await repo.transition({ ticket: ticket.key, mailbox: implement, transition: {}, assignee: 'ana@example.com' });
    expect(jira.count('GET user/assignable/search')).toBe(asked + 1);
  });

  it('27: a bulk create that was half done is read again before anything is made', async () => {
    const { repo, jira } = await on();
    const ticket = jira.site.add({ summary: 'Fix it' });
    jira.trouble('POST issue/bulk', { kind: 'half' });
    expect((await refusal(repo.ensureMailboxes({ ticket: ticket.key, mailboxes: specs(ticket.key) }))).kind).toBe('transient');
    expect(jira.count('POST issue/bulk')).toBe(1);
    await repo.ensureMailboxes({ ticket: ticket.key, mailboxes: specs(ticket.key) });
    const bulk = jira.seen.filter(({ path }) => path === 'issue/bulk').map(({ body }) => (body as { issueUpdates: { fields: { summary: string } }[] }).issueUpdates.map(({ fields }) => fields.summary));
    expect(bulk).toEqual([[`${ticket.key}:implement`, `${ticket.key}:review`], [`${ticket.key}:review`]]);
    expect(jira.site.children(ticket.key)).toHaveLength(2);
  });

  it('27: a bulk create whose answer was lost is found by reading, and nothing is made again', async () => {
    const { repo, jira } = await on();
    const ticket = jira.site.add({ summary: 'Fix it' });
    jira.trouble('POST issue/bulk', { kind: 'lost' });
    const keys = await repo.ensureMailboxes({ ticket: ticket.key, mailboxes: specs(ticket.key) });
    expect(Object.values(keys).toSorted()).toEqual(jira.site.children(ticket.key).map(({ key }) => key).toSorted());
    expect(jira.count('POST issue/bulk')).toBe(1);
  });

  it('28: what was just written is read directly, and the search is told to look at it', async () => {
    const { repo, jira } = await on();
    const ticket = jira.site.add({ summary: 'Fix it' });
    const other = jira.site.add({ summary: 'Another' });
    jira.freezeIndex();
    const claimed = await repo.claim({ key: ticket.key, labels: ['wf:ship'] });
    expect(claimed.labels).toEqual(['wf:ship']);
    expect((await repo.view({ key: ticket.key }))?.labels).toEqual(['wf:ship']);
    other.labels.push('not-indexed');
    const polled = await repo.poll({ signal: soon() });
    expect(polled.find(({ key }) => key === ticket.key)?.labels).toEqual(['wf:ship']);
    expect(polled.find(({ key }) => key === other.key)?.labels).toEqual([]);
  });

  it('29: everything goes through REST v3, and no program is started', async () => {
    const { repo, jira } = await on();
    const ticket = jira.site.add({ summary: 'Fix it' });
    await repo.ensureMailboxes({ ticket: ticket.key, mailboxes: specs(ticket.key) });
    expect(jira.seen.length).toBeGreaterThan(0);
    const folder = fileURLToPath(new URL('../../../src/task/jira', import.meta.url));
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    expect(sources.length).toBeGreaterThan(10);
    for (const name of sources) expect(readFileSync(`${folder}/${name}`, 'utf8'), name).not.toMatch(/child_process|execa|spawn\(/);
  });

  it.each<TaskConfigScope>(['root', 'repo', 'workflow', 'node'])('30: assignee and transition of the scope %s reach Jira', async (scope) => {
    const { tasks, repo, jira } = await on();
    const ticket = jira.site.add({ summary: 'Fix it' });
    const config = resolveTaskConfig({ system: tasks, layers: { ...(scope === 'repo' ? {} : { repo: SETTINGS }), [scope]: { ...(scope === 'repo' ? SETTINGS : {}), assignee: BO.displayName, transitionTo: { parentStatus: 'Open', taskStatus: 'Shipped' } } } });
    await repo.validate(config);
    const { implement = '' } = await repo.ensureMailboxes({ ticket: ticket.key, mailboxes: specs(ticket.key, 'Do it.', config.assignee) });
    ticket.status = 'Building';
    await repo.transition({ ticket: ticket.key, mailbox: implement, transition: transitionFor('work', { config, default: repo.lifecycleDefault('work') }), assignee: config.assignee ?? '' });
    expect([ticket.status, jira.site.get(implement).status, jira.site.get(implement).assignee]).toEqual(['Open', 'Shipped', BO.accountId]);
  });

  it('31: a transition that holds everywhere would keep tickets from closing, and a warning says so', async () => {
    const { tasks, repo, jira } = await on();
    const layers = { root: { transitionTo: { parentStatus: 'Building' } }, repo: SETTINGS };
    expect(broadTransition(layers)?.text).toContain('a ticket is not closed when it is done');
    const ticket = jira.site.add({ summary: 'Fix it' });
    const config = resolveTaskConfig({ system: tasks, layers: { ...layers, node: { transitionTo: { parentStatus: 'Shipped' } } } });
    await repo.transition({ ticket: ticket.key, transition: transitionFor('end', { config, default: repo.lifecycleDefault('end') }) });
    expect(ticket.status).toBe('Shipped');
    expect(broadTransition({ ...layers, node: { transitionTo: { parentStatus: 'Shipped' } } })).toBeUndefined();
  });

  it('49: the mark of a cancellation is found by a server that knows nothing, and stays found when people write below it', async () => {
    const { repo, jira, another } = await on();
    const ticket = jira.site.add({ summary: 'Fix it', labels: ['wf:ship'] });
    const marker = `app/ship/${ticket.key}:cancellation`;
    for (let index = 0; index < 120; index += 1) jira.site.comment(ticket.key, `Before ${index}`);
    await repo.addComment({ key: ticket.key, marker, body: 'Run canceled: not needed' });
    for (let index = 0; index < 250; index += 1) jira.site.comment(ticket.key, `Comment ${index}`);
    const afresh = await another().openRepo(bindingOf(SETTINGS));
    expect(await afresh.markers({ key: ticket.key })).toEqual([marker]);
    expect(await afresh.addComment({ key: ticket.key, marker, body: 'Run canceled: not needed' })).toEqual({ added: false });
  });
});

describe('who we are', () => {
  it('the owner of claims is the address, or the account where it is hidden', async () => {
    const shown = await on();
    expect(shown.repo.owner).toBe(ME.email);
    const hidden = await on((jira) => {
      jira.site.emailHidden = true;
    });
    expect(hidden.repo.owner).toBe(ME.accountId);
    const ticket = hidden.jira.site.add({ summary: 'Ours', assignee: ME.accountId });
    expect((await hidden.repo.view({ key: ticket.key }))?.assignee).toEqual(expect.arrayContaining([ME.email, ME.accountId]));
  });

  it('a filter by an address that Jira hides matches once it was checked', async () => {
    const { jira, another } = await on();
    const repo = await another().openRepo(bindingOf(SETTINGS));
    const ticket = jira.site.add({ summary: 'Of Bo', assignee: BO.accountId });
    expect((await repo.view({ key: ticket.key }))?.assignee).not.toContain(BO.email);
    await repo.validate({ filters: { assignees: [BO.email, 'nobody@example.com', 'currentUser()'] }, templates: {}, transitionTo: {}, own: {} });
    expect((await repo.view({ key: ticket.key }))?.assignee).toContain(BO.email);
  });

  it('the account is asked for once, and again after a failure', async () => {
    const { jira } = await on();
    const tasks = newTaskSystem(jira);
    jira.trouble('GET myself', { kind: 'answer', answer: { status: 403 } });
    expect((await refusal(tasks.openRepo(bindingOf(SETTINGS)))).code).toBe('task_permission');
    const from = jira.seen.length;
    await tasks.openRepo(bindingOf(SETTINGS));
    await tasks.openRepo(bindingOf({ ...SETTINGS, project: 'OPS', component: 'ops' }));
    expect(jira.count('GET myself', from)).toBe(1);
    await tasks.close();
  });
});
