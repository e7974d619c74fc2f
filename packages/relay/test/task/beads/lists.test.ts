import { describe, expect, it } from 'vitest';
import { issueShape, type Issue } from '../../../src/task/beads/issue.js';
import { belongsTo } from '../../../src/task/beads/labels.js';
import { mergePolls } from '../../../src/task/beads/poll.js';
import { runs } from './by-hand.js';
import { polled, polledKeys, scene, specs } from './scene.js';

const LATER = '2099-01-01T00:00:00Z';
const issue = (id: string, more: Readonly<Record<string, unknown>> = {}): Issue => issueShape.parse({ id, title: id, status: 'open', labels: ['repo:app'], ...more });

describe('limits and flags with surprises', () => {
  it('pitfall 34: no list ends at its default limit', async () => {
    const at = scene();
    const repo = await at.open();
    at.change((state) => {
      const made = (n: number, labels: string[]) => ({ id: `app-${n}`, title: `T${n}`, status: 'open', issue_type: 'task', labels, created_at: '', updated_at: '' });
      for (let n = 1; n <= 120; n += 1) state.issues[`app-${n}`] = made(n, ['repo:app']);
      for (let n = 121; n <= 240; n += 1) state.issues[`app-${n}`] = { ...made(n, ['repo:app', 'wf:ship']), status: 'in_progress' };
      for (let n = 1; n <= 60; n += 1) state.issues[`app-1.${n}`] = { ...made(1, []), id: `app-1.${n}`, title: `app-1:n${n}`, parent: 'app-1' };
    });
    expect(await polled(repo)).toHaveLength(240);
    const { n60 } = await repo.ensureMailboxes({ ticket: 'app-1', mailboxes: [{ node: 'n60', title: 'app-1:n60', description: 'The last of many children.' }] });
    expect(n60).toBe('app-1.60');
    for (const argv of at.callsOf('list').slice(1)) expect(argv.join(' ')).toContain('--limit 0');
  });

  it('a poll makes these two calls', async () => {
    const at = scene();
    const repo = await at.open();
    at.forgetCalls();
    await polled(repo);
    expect(at.calls.map(({ argv }) => argv)).toEqual([
      ['list', '--ready', '--no-parent', '--limit', '0', '--json'],
      ['list', '--no-parent', '--status', 'open,in_progress,blocked,deferred', '--label-pattern', 'wf:*', '--limit', '0', '--json'],
    ]);
  });

  it('the states of one list are in one flag: a second would replace the first', async () => {
    const at = scene();
    const repo = await at.open();
    for (const status of ['open', 'in_progress', 'blocked', 'deferred', 'hooked', 'closed']) at.add({ id: `app-${status}`, status, labels: ['repo:app', 'wf:ship'] });
    expect(await polledKeys(repo)).toEqual(['app-blocked', 'app-deferred', 'app-in_progress', 'app-open']);
    for (const argv of at.callsOf('list')) expect(argv.filter((word) => word === '--status').length).toBeLessThan(2);
  });

  it('pitfall 32: children that come in spite of --no-parent are dropped, claimed or not', async () => {
    const at = scene();
    const repo = await at.open();
    at.behave({ childrenAnyway: true });
    const { ticket, implement } = await at.withMailboxes(repo);
    at.set(implement, { labels: ['repo:app', 'wf:ship'] });
    expect(await polledKeys(repo)).toEqual([ticket]);
    // Also one that lost its parent.
    const [review] = Object.values(at.state.issues).filter(({ title }) => title === `${ticket}:review`);
    at.change((state) => {
      delete state.issues[review?.id ?? '']?.parent;
      state.issues[review?.id ?? '']?.labels.push('repo:app');
      state.edges = state.edges.filter(({ issue_id: from }) => from !== review?.id);
    });
    expect(await polledKeys(repo)).toEqual([ticket]);
    await expect(repo.claim({ key: review?.id ?? '', labels: ['wf:ship'] })).rejects.toMatchObject({ code: 'task_missing', text: `There is no ticket ${review?.id ?? ''}: this is a mailbox.` });
    await expect(repo.claim({ key: implement, labels: ['wf:ship'] })).rejects.toMatchObject({ code: 'task_missing' });
    expect(await repo.view({ key: implement })).toBeUndefined();
  });

  it('hooked and deferred are not ready, and neither is what is open and blocked, or in progress', async () => {
    const at = scene();
    const repo = await at.open();
    const plain = await at.makeTicket({ title: 'Plain' });
    for (const status of ['hooked', 'deferred', 'in_progress', 'blocked', 'closed']) at.add({ status, labels: ['repo:app'] });
    at.add({ status: 'open', defer_until: LATER, labels: ['repo:app'] });
    await at.makeTicket({ title: 'Waits', blockedBy: [plain] });
    expect(await polledKeys(repo)).toEqual([plain]);
  });

  it('a mailbox with an empty description is made, and one that is emptied is', async () => {
    for (const old of [false, true]) {
      const at = scene();
      at.behave({ old });
      const repo = await at.open();
      const ticket = await at.makeTicket({ title: 'Fix the login' });
      const empty = specs(ticket, '');
      const { implement = '' } = await repo.ensureMailboxes({ ticket, mailboxes: empty.slice(0, 1) });
      expect(at.issue(implement).description).toBe('');
      await repo.ensureMailboxes({ ticket, mailboxes: specs(ticket) });
      await repo.ensureMailboxes({ ticket, mailboxes: empty });
      expect(at.issue(implement).description).toBe('');
      // Told only where it is needed.
      expect(at.callsOf('create').filter((argv) => argv.includes('--allow-empty-description'))).toHaveLength(1);
    }
  });

  it('pitfall 36: a mailbox does not inherit the claim of its ticket, and has a label that says what it is', async () => {
    const at = scene();
    const repo = await at.open();
    const ticket = await at.makeTicket({ title: 'Fix the login', labels: ['bug'] });
    await repo.claim({ key: ticket, labels: ['wf:ship'] });
    const { implement = '' } = await repo.ensureMailboxes({ ticket, mailboxes: specs(ticket) });
    expect(at.issue(implement)).toMatchObject({ labels: ['relay-flow-mailbox'], issue_type: 'task', parent: ticket });
    expect(at.callsOf('create').every((argv) => argv.includes('--no-inherit-labels'))).toBe(true);
  });

  it('the stand-in inherits labels, limits lists and lets a second --status win when it is not told otherwise', async () => {
    const at = scene();
    const ticket = await at.makeTicket({ title: 'Fix the login', labels: ['wf:ship'] });
    expect(await runs(at, 'create', 'Child', '--parent', ticket)).toMatchObject({ id: `${ticket}.1`, labels: ['wf:ship', 'repo:app'] });
    for (let n = 0; n < 110; n += 1) at.change((state) => void (state.issues[`x-${n}`] = { id: `x-${n}`, title: 'x', status: n < 105 ? 'open' : 'blocked', issue_type: 'task', labels: [], created_at: '', updated_at: '' }));
    expect(await runs(at, 'list')).toHaveLength(50);
    expect(await runs(at, 'ready')).toHaveLength(100);
    expect(await runs(at, 'list', '--status', 'open', '--status', 'blocked', '--limit', '0')).toHaveLength(5);
    for (const words of [['list', '--sort', 'id'], ['init'], ['update', ticket, '--description', 'text'], ['show']]) await expect(runs(at, ...words)).rejects.toThrow(/unknown|stdin|accepts/);
  });

  it('only an exact id is meant, although bd takes one without its prefix', async () => {
    const at = scene();
    const repo = await at.open();
    const key = await at.makeTicket({ title: 'Fix the login' });
    await repo.addComment({ key, marker: 'v1:summary', body: 'Done.' });
    const short = key.replace('app-', '');
    expect(await repo.view({ key: short })).toBeUndefined();
    await expect(repo.markers({ key: short })).rejects.toMatchObject({ code: 'task_missing' });
    await expect(repo.claim({ key: short, labels: ['wf:ship'] })).rejects.toMatchObject({ code: 'task_missing' });
  });

  it('a word that would be read as a flag is no id', async () => {
    const at = scene();
    const repo = await at.open();
    at.forgetCalls();
    for (const key of ['--help', '-x', '', 'a b', 'a\nb']) {
      expect(await repo.view({ key })).toBeUndefined();
      await expect(repo.addComment({ key, marker: 'v1:summary', body: 'Done.' })).rejects.toMatchObject({ code: 'task_missing' });
    }
    expect(at.calls).toEqual([]);
  });
});

describe('a shared workspace', () => {
  it('pitfall 35: a ticket belongs to the repository whose label it has, and to no other', async () => {
    const at = scene();
    const tasks = at.tasks();
    const [app, web] = [await tasks.openRepo(at.binding('App')), await tasks.openRepo(at.binding('web'))];
    expect(app.identity).not.toBe(web.identity);
    at.add({ id: 'app-1', labels: ['repo:app'] });
    at.add({ id: 'app-2', labels: ['repo:web'] });
    at.add({ id: 'app-3', labels: ['repo:app', 'repo:web'] });
    at.add({ id: 'app-4', labels: [] });
    expect([await polledKeys(app), await polledKeys(web)]).toEqual([['app-1'], ['app-2']]);
    expect(await web.view({ key: 'app-1' })).toBeUndefined();
    for (const key of ['app-1', 'app-3', 'app-4']) await expect(web.claim({ key, labels: ['wf:ship'] })).rejects.toMatchObject({ code: 'task_conflict', text: expect.stringContaining('repo:web') as string });
    expect(at.callsOf('update')).toEqual([]);
  });

  it('a claimed ticket that belongs to none or to several is a problem of those whom it concerns', async () => {
    const at = scene();
    const tasks = at.tasks();
    const repos = await Promise.all(['app', 'web', 'api'].map((name) => tasks.openRepo(at.binding(name))));
    at.add({ id: 'app-1', labels: ['wf:ship'] });
    at.add({ id: 'app-2', labels: ['wf:ship', 'repo:app', 'repo:web'], status: 'in_progress' });
    at.add({ id: 'app-3', labels: ['repo:app', 'repo:web'] });
    for (const repo of repos) expect(await polled(repo)).toEqual([]);
    expect(repos.map((repo) => repo.problems?.().map(({ where }) => where))).toEqual([['app-1', 'app-2'], ['app-1', 'app-2'], ['app-1']]);
    expect(repos[0]?.problems?.()[1]).toEqual({ where: 'app-2', text: 'app-2 is claimed by a workflow and has several repo: labels (repo:app, repo:web), so no repository works on it.', hint: 'Remove all but one with `bd label remove`.' });
    at.set('app-1', { labels: ['wf:ship', 'repo:app'] });
    expect((await polled(repos[0] ?? expect.fail())).map(({ key }) => key)).toEqual(['app-1']);
  });

  it('compares labels in lower case, and counts each', () => {
    expect(belongsTo(['bug', 'Repo:App'], 'repo:app')).toBe(true);
    expect(belongsTo(['repo:app', 'repo:App'], 'repo:app')).toBe(false);
    expect(belongsTo(['repository:app'], 'repo:app')).toBe(false);
  });
});

describe('the two lists of a poll', () => {
  it('are one: a claimed row replaces the copy that was read earlier', () => {
    const { tickets } = mergePolls({ ready: [issue('app-1'), issue('app-2')], claimed: [issue('app-1', { status: 'in_progress', labels: ['repo:app', 'wf:ship'] })], label: 'repo:app' });
    expect(tickets.map(({ key, status, labels }) => [key, status, labels.length])).toEqual([['app-1', 'in_progress', 2], ['app-2', 'open', 1]]);
  });

  it('tell what is blocked: it is claimed and open, and not ready', () => {
    const claimed = { labels: ['repo:app', 'wf:ship'] };
    const { tickets } = mergePolls({ ready: [issue('app-1', claimed)], claimed: [issue('app-1', claimed), issue('app-2', claimed), issue('app-3', { ...claimed, status: 'blocked' }), issue('app-4', { ...claimed, status: 'in_progress' })], label: 'repo:app' });
    expect(tickets.map(({ key, blocked }) => [key, blocked])).toEqual([['app-1', false], ['app-2', true], ['app-3', true], ['app-4', false]]);
  });

  it('never have a closed ticket or a child', () => {
    const rows = [issue('app-1', { status: 'closed' }), issue('app-2.1', { parent: 'app-2' })];
    expect(mergePolls({ ready: rows, claimed: rows, label: 'repo:app' }).tickets).toEqual([]);
  });
});
