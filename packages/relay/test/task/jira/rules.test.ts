import { describe, expect, it } from 'vitest';
import { words } from './fake/adf.js';
import { ANA, BO, ME } from './fake/site.js';
import { bindingOf, refusal, SETTINGS, soon, specs } from './stage.js';
import { staged } from './staged.js';

const on = staged();
const config = { filters: {}, templates: {}, transitionTo: {}, own: {} };

describe('the search', () => {
  it('uses the one endpoint there is, names its fields, and is bounded by project and component only', async () => {
    const { repo, jira } = await on();
    jira.site.add({ summary: 'Fix it', labels: ['bug'] });
    await repo.poll({ signal: soon() });
    const { path, body } = jira.seen.at(-1) ?? {};
    expect(path).toBe('search/jql');
    expect(body).toEqual({
      jql: 'project = "APP" AND component = "app" AND issuetype != Subtask AND statusCategory != Done', maxResults: 100,
      fields: ['key', 'summary', 'status', 'issuetype', 'labels', 'assignee', 'issuelinks'],
    });
  });

  it('escapes quotes and backslashes', async () => {
    const { jira, repo } = await on(undefined, { ...SETTINGS, component: 'a "quoted" \\ one' });
    const { key } = jira.site.add({ summary: 'Fix it', component: 'a "quoted" \\ one' });
    jira.site.add({ summary: 'Of another', component: 'app' });
    expect((await repo.poll({ signal: soon() })).map((ticket) => ticket.key)).toEqual([key]);
  });

  it('names the subtask types of a project that calls them otherwise', async () => {
    const { jira, repo } = await on(({ site }) => {
      const [task, below] = [site.type('APP', 'Task'), site.type('APP', 'Subtask')];
      for (const project of site.projects.values()) project.types.splice(2, 1, { ...task, id: '10009', name: 'Technical "step"', subtask: true }, { ...below, name: 'Sub-task' });
    });
    const ticket = jira.site.add({ summary: 'Fix it' });
    await repo.ensureMailboxes({ ticket: ticket.key, mailboxes: specs(ticket.key) });
    expect(jira.site.children(ticket.key).map(({ type }) => type.name)).toEqual(['Sub-task', 'Sub-task']);
    expect((await repo.poll({ signal: soon() })).map(({ key }) => key)).toEqual([ticket.key]);
  });

  it('names the one subtask type of a project that calls it otherwise', async () => {
    const { jira, repo } = await on(({ site }) => {
      const below = site.type('APP', 'Subtask');
      for (const project of site.projects.values()) project.types.splice(2, 1, { ...below, name: 'Sub-task' });
    });
    await repo.poll({ signal: soon() });
    expect((jira.seen.at(-1)?.body as { readonly jql: string } | undefined)?.jql).toContain('issuetype not in ("Sub-task")');
  });

  it.each([['which is marked', false], ['which says nothing about it', true]])('reads pages to the last, %s', async (_, silent) => {
    const { jira, repo } = await on();
    Object.assign(jira.api.search, { pageSize: 7, lastPageIsSilent: silent });
    const keys = Array.from({ length: 23 }, (__, index) => jira.site.add({ summary: `Ticket ${index}` }).key);
    const from = jira.seen.length;
    expect((await repo.poll({ signal: soon() })).map(({ key }) => key)).toEqual(keys);
    expect(jira.count('POST search/jql', from)).toBe(4);
  });

  it('stops at the page that is marked as the last, whatever else it says', async () => {
    const { jira, repo } = await on();
    jira.trouble('POST search/jql', { kind: 'answer', answer: { status: 200, body: { issues: [], isLast: true, nextPageToken: 'more' } } });
    const from = jira.seen.length;
    expect(await repo.poll({ signal: soon() })).toEqual([]);
    expect(jira.count('POST search/jql', from)).toBe(1);
  });

  it('stops at a page token that was there before', async () => {
    const { jira, repo } = await on();
    jira.site.add({ summary: 'Fix it' });
    jira.api.search.repeatsToken = true;
    const error = await refusal(repo.poll({ signal: soon() }));
    expect([error.code, error.text]).toEqual(['task_malformed', 'Jira gave the same page twice when asked for the tickets of APP in component app.']);
  });

  it('gives a ticket once when pages shift, and leaves out what is done by what the issue says', async () => {
    const { jira, repo } = await on();
    const [a] = ['A', 'B'].map((summary) => jira.site.add({ summary }));
    const done = jira.site.add({ summary: 'Done' });
    jira.freezeIndex();
    done.status = 'Shipped';
    jira.api.search.pageSize = 1;
    const below = { id: '9', key: 'APP-9', fields: { summary: 'Below', status: { name: 'Open' }, issuetype: { name: 'Custom', subtask: true }, labels: ['wf:ship'], assignee: null, issuelinks: [] } };
    const shown = { id: a?.id, key: a?.key, fields: { summary: 'A', status: { name: 'Open' }, issuetype: { name: 'Task' }, labels: [], assignee: null, issuelinks: [] } };
    jira.trouble(({ body }) => (body as { nextPageToken?: string } | undefined)?.nextPageToken !== undefined, { kind: 'answer', answer: { status: 200, body: { issues: [shown, below, shown], isLast: true } } });
    expect((await repo.poll({ signal: soon() })).map(({ key }) => key)).toEqual([a?.key]);
  });

  it('is told of at most 50 issues, for a minute', async () => {
    const { jira, repo, clock } = await on();
    for (let index = 0; index < 60; index += 1) await repo.claim({ key: jira.site.add({ summary: 'x' }).key, labels: ['wf:ship'] });
    const reconciled = async (): Promise<readonly number[] | undefined> => {
      await repo.poll({ signal: soon() });
      return (jira.seen.at(-1)?.body as { reconcileIssues?: readonly number[] } | undefined)?.reconcileIssues;
    };
    expect(await reconciled()).toHaveLength(50);
    clock.at += 61_000;
    expect(await reconciled()).toBeUndefined();
  });
});

describe('a ticket', () => {
  it('is blocked by a link of the type Blocks to something that is not done, and by no other link', async () => {
    const { jira, repo } = await on();
    const ticket = jira.site.add({ summary: 'Fix it' });
    const link = (type: string, category: string | undefined) => ({ type: { name: type }, inwardIssue: { key: 'APP-9', fields: category === undefined ? {} : { status: { name: 'x', statusCategory: { key: category } } } } });
    const cases: readonly [unknown, boolean][] = [
      [link('Blocks', 'new'), true], [link('Blocks', 'indeterminate'), true], [link('Blocks', undefined), true], [link('Blocks', 'done'), false], [link('Relates', 'new'), false],
      [{ type: { name: 'Blocks' }, outwardIssue: { key: 'APP-9', fields: { status: { name: 'x', statusCategory: { key: 'new' } } } } }, false],
    ];
    for (const [issuelink, blocked] of cases) {
      const fields = { summary: 'Fix it', status: { name: 'Open', statusCategory: { key: 'new' } }, issuetype: { name: 'Task', subtask: false }, labels: [], assignee: null, issuelinks: [issuelink] };
      jira.trouble(`GET issue/${ticket.key}`, { kind: 'answer', answer: { status: 200, body: { id: ticket.id, key: ticket.key, fields } } });
      expect((await repo.view({ key: ticket.key }))?.blocked, JSON.stringify(issuelink)).toBe(blocked);
    }
  });

  it('is claimed with one request, owner first, and read again', async () => {
    const { jira, repo } = await on();
    const { key } = jira.site.add({ summary: 'Fix it' });
    const from = jira.seen.length;
    await repo.claim({ key, labels: ['wf-owner:ship:0a', 'wf:ship'] });
    expect(jira.seen.slice(from).map(({ method, path }) => `${method} ${path}`)).toEqual([`GET issue/${key}`, `PUT issue/${key}`, `GET issue/${key}`]);
    expect(jira.seen[from + 1]?.body).toEqual({ update: { labels: [{ add: 'wf-owner:ship:0a' }, { add: 'wf:ship' }] } });
  });

  it('shows a view what it asks for as Markdown, and a mailbox is none', async () => {
    const { jira, repo } = await on();
    const text = (value: string, marks?: unknown) => ({ type: 'text', text: value, ...(marks === undefined ? {} : { marks }) });
    const description = { version: 1, type: 'doc', content: [
      { type: 'heading', attrs: { level: 2 }, content: [text('Why')] }, { type: 'paragraph', content: [text('It is '), text('slow', [{ type: 'code' }]), { type: 'hardBreak' }, text('see', [{ type: 'link', attrs: { href: 'https://example.com' } }])] },
      { type: 'bulletList', content: [{ type: 'listItem', content: [{ type: 'paragraph', content: [text('one')] }] }, { type: 'listItem', content: [{ type: 'paragraph', content: [{ type: 'mention', attrs: { id: '1', text: '@Ana' } }] }] }] },
      { type: 'codeBlock', attrs: { language: 'ts' }, content: [text('a\nb')] }, { type: 'panel', attrs: { panelType: 'info' }, content: [{ type: 'paragraph', content: [text('note')] }] },
    ] };
    const { key } = jira.site.add({ summary: 'Fix it', description });
    expect((await repo.view({ key }))?.text).toBe('## Why\n\nIt is `slow`\n[see](https://example.com)\n\n- one\n- @Ana\n\n```ts\na\nb\n```\n\nnote');
    const { implement = '' } = await repo.ensureMailboxes({ ticket: key, mailboxes: specs(key) });
    expect(await repo.view({ key: implement })).toBeUndefined();
  });
});

describe('a transition', () => {
  it('is found by where it leads, not by its name, and asked for once per place', async () => {
    const { jira, repo } = await on();
    const [a, b] = [jira.site.add({ summary: 'A' }), jira.site.add({ summary: 'B' })];
    // A transition of the name `Building` leads to Shipped.
    await repo.transition({ ticket: a.key, transition: { parentStatus: 'Building' } });
    await repo.transition({ ticket: b.key, transition: { parentStatus: 'Building' } });
    expect([a.status, b.status]).toEqual(['Building', 'Building']);
    expect(jira.seen.filter(({ method, path }) => method === 'GET' && path.endsWith('/transitions'))).toHaveLength(1);
    await repo.transition({ ticket: jira.site.add({ summary: 'C', type: 'Bug' }).key, transition: { parentStatus: 'Building' } });
    expect(jira.seen.filter(({ method, path }) => method === 'GET' && path.endsWith('/transitions'))).toHaveLength(2);
  });

  it('is another from another status', async () => {
    const { jira, repo } = await on(({ site }) => {
      site.type('APP', 'Task').transitions.unshift({ id: '5', name: 'Begin', from: ['Open'], to: 'Building' });
    });
    const [a, b] = [jira.site.add({ summary: 'A' }), jira.site.add({ summary: 'B' })];
    b.status = 'Shipped';
    for (const { key } of [a, b]) await repo.transition({ ticket: key, transition: { parentStatus: 'Building' } });
    expect(jira.writes.map(({ body, status }) => [body, status])).toEqual([[{ transition: { id: '5' } }, 204], [{ transition: { id: '21' } }, 204]]);
  });

  it('whose remembered id is refused is looked for again', async () => {
    const { jira, repo } = await on();
    const [a, b] = [jira.site.add({ summary: 'A' }), jira.site.add({ summary: 'B' })];
    await repo.transition({ ticket: a.key, transition: { parentStatus: 'Building' } });
    jira.site.renumber('APP', 'Task');
    await repo.transition({ ticket: b.key, transition: { parentStatus: 'Building' } });
    expect(b.status).toBe('Building');
    expect(jira.seen.filter(({ method, path }) => method === 'POST' && path.endsWith('/transitions')).map(({ status }) => status)).toEqual([204, 400, 204]);
  });

  it('is forgotten after a quarter of an hour: an administrator may give its id to another', async () => {
    const { jira, repo, clock } = await on();
    await repo.transition({ ticket: jira.site.add({ summary: 'A' }).key, transition: { parentStatus: 'Building' } });
    clock.at += 15 * 60_000;
    await repo.transition({ ticket: jira.site.add({ summary: 'B' }).key, transition: { parentStatus: 'Building' } });
    expect(jira.seen.filter(({ method, path }) => method === 'GET' && path.endsWith('/transitions'))).toHaveLength(2);
  });

  it('that somebody else made in the meantime is no failure', async () => {
    const { jira, repo } = await on();
    const ticket = jira.site.add({ summary: 'A' });
    jira.trouble(`POST issue/${ticket.key}/transitions`, { kind: 'done-but', answer: { status: 400, body: { errorMessages: ['It seems that you have tried to perform an illegal workflow operation.'] } } });
    await repo.transition({ ticket: ticket.key, transition: { parentStatus: 'Building' } });
    expect(ticket.status).toBe('Building');
  });

  it('that is refused although it is there is a conflict with the words of Jira', async () => {
    const { jira, repo } = await on();
    const ticket = jira.site.add({ summary: 'A' });
    jira.trouble(`POST issue/${ticket.key}/transitions`, { kind: 'answer', answer: { status: 400, body: { errorMessages: ['The transition is blocked by a condition'] } } }, 5);
    const error = await refusal(repo.transition({ ticket: ticket.key, transition: { parentStatus: 'Building' } }));
    expect([error.kind, error.text.includes('blocked by a condition'), ticket.status]).toEqual(['conflict', true, 'Open']);
    expect(jira.count(`POST issue/${ticket.key}/transitions`)).toBe(1);
  });

  it('out of reach says where a person must move the ticket, and the mailbox stays where it is', async () => {
    const { jira, repo } = await on();
    const ticket = jira.site.add({ summary: 'A' });
    const { implement = '' } = await repo.ensureMailboxes({ ticket: ticket.key, mailboxes: specs(ticket.key) });
    ticket.status = 'On Hold';
    const from = jira.writes.length;
    const error = await refusal(repo.transition({ ticket: ticket.key, mailbox: implement, transition: repo.lifecycleDefault('work'), assignee: ANA.email }));
    expect({ code: error.code, text: error.text, hint: error.hint }).toEqual({
      code: 'task_conflict', text: `${ticket.key} is "On Hold", and from there no transition leads to "Building".`,
      hint: `Move ${ticket.key} to "Building" in Jira. From here the account of the server can move it to "Open".`,
    });
    expect(jira.writes).toHaveLength(from);
  });

  it('takes the assignee along where its screen has one, and else assigns apart', async () => {
    const { jira, repo } = await on();
    const ticket = jira.site.add({ summary: 'A' });
    const { implement = '' } = await repo.ensureMailboxes({ ticket: ticket.key, mailboxes: specs(ticket.key) });
    const calls = async (taskStatus: string, assignee: string): Promise<readonly unknown[]> => {
      const from = jira.writes.length;
      await repo.transition({ ticket: ticket.key, mailbox: implement, transition: { taskStatus }, assignee });
      return jira.writes.slice(from).map(({ method, path, body }) => [`${method} ${path.replace(implement, 'X')}`, body]);
    };
    expect(await calls('Building', ANA.email)).toEqual([['POST issue/X/transitions', { transition: { id: '111' }, fields: { assignee: { accountId: ANA.accountId } } }]]);
    expect(await calls('Open', ANA.email)).toEqual([['POST issue/X/transitions', { transition: { id: '101' } }]]);
    expect(await calls('Building', ANA.email)).toEqual([['POST issue/X/transitions', { transition: { id: '111' } }]]);
    expect(await calls('Shipped', BO.displayName)).toEqual([['POST issue/X/transitions', { transition: { id: '121' } }], ['PUT issue/X/assignee', { accountId: BO.accountId }]]);
    expect(await calls('Shipped', ANA.email)).toEqual([['PUT issue/X/assignee', { accountId: ANA.accountId }]]);
    expect(await calls('Shipped', ANA.email)).toEqual([]);
    expect(await calls('Shipped', '')).toEqual([['PUT issue/X/assignee', { accountId: null }]]);
  });

  it('without fields to fill in is preferred', async () => {
    const { jira, repo } = await on(({ site }) => {
      site.type('APP', 'Task').transitions.unshift({ id: '5', name: 'With a form', from: ['Open'], to: 'Building', screen: { resolution: { required: true } } });
    });
    const ticket = jira.site.add({ summary: 'A' });
    await repo.transition({ ticket: ticket.key, transition: { parentStatus: 'Building' } });
    expect(ticket.status).toBe('Building');
  });
});

describe('the assignee', () => {
  it.each([['ana@EXAMPLE.com', ANA], ['ANA ALBA', ANA], [BO.accountId.toUpperCase(), BO], ['bo berg', BO], ['bo@example.com', BO]])('%s is found', async (given, expected) => {
    const { jira, repo } = await on();
    const ticket = jira.site.add({ summary: 'A' });
    const { implement = '' } = await repo.ensureMailboxes({ ticket: ticket.key, mailboxes: specs(ticket.key, 'Do it.', given) });
    expect(jira.site.get(implement).assignee).toBe(expected.accountId);
  });

  it.each([['several', 'a', /could be 2 people/], ['nobody', 'zoe', /Nobody called "zoe"/], ['somebody who is gone', 'gone@example.com', /Nobody called/]])('that is %s is refused', async (_, given, says) => {
    const { repo } = await on(({ site }) => {
      site.users.push({ ...ANA, accountId: '5d', email: 'a@example.com', displayName: 'Anton', shown: false });
    });
    const error = await refusal(repo.validate({ ...config, assignee: given }));
    expect(error.code).toBe('task_config_invalid');
    expect(error.text).toMatch(says);
  });

  it.each([ME.email, 'currentUser()'])('%s is ourselves, also when our address is hidden and others are found by it', async (given) => {
    const { jira, repo } = await on(({ site }) => {
      site.emailHidden = true;
      site.users.unshift({ ...ANA, accountId: '5e', email: ME.email, displayName: 'Another', shown: false });
    });
    const ticket = jira.site.add({ summary: 'A' });
    const { implement = '' } = await repo.ensureMailboxes({ ticket: ticket.key, mailboxes: specs(ticket.key, 'Do it.', given) });
    expect(jira.site.get(implement).assignee).toBe(ME.accountId);
  });

  it('who is refused is looked up again', async () => {
    const { jira, repo } = await on();
    const ticket = jira.site.add({ summary: 'A' });
    const { implement = '' } = await repo.ensureMailboxes({ ticket: ticket.key, mailboxes: specs(ticket.key) });
    jira.trouble(`PUT issue/${implement}/assignee`, { kind: 'answer', answer: { status: 400, body: { errors: { assignee: 'User cannot be assigned.' } } } });
    const assign = () => repo.transition({ ticket: ticket.key, mailbox: implement, transition: {}, assignee: ANA.email });
    expect((await refusal(assign())).text).toContain('User cannot be assigned.');
    await assign();
    expect(jira.count('GET user/assignable/search')).toBe(2);
  });
});

describe('settings', () => {
  it('say the defaults of every point of the way', async () => {
    const { repo } = await on();
    expect((['start', 'work', 'complete', 'end', 'recovery'] as const).map((point) => repo.lifecycleDefault(point))).toEqual([
      { parentStatus: 'Open' }, { parentStatus: 'Building', taskStatus: 'Building' }, { taskStatus: 'Shipped' }, { parentStatus: 'Shipped' }, { taskStatus: 'Open' },
    ]);
  });

  it('of two repositories stand for the same tickets when project and component are the same', async () => {
    const { jira, tasks, repo } = await on(({ site }) => site.projects.get('APP')?.components.push('App'));
    expect((await tasks.openRepo(bindingOf({ ...SETTINGS, component: 'App' }))).identity).toBe(repo.identity);
    expect((await tasks.openRepo(bindingOf({ ...SETTINGS, component: 'a "quoted" \\ one' }))).identity).not.toBe(repo.identity);
    expect(repo.identity).toBe(`${jira.url} APP app`);
  });

  it('name statuses and types to the letter', async () => {
    const { repo } = await on();
    await repo.validate({ ...config, filters: { parentStatuses: ['Open', 'On Hold'], issueTypes: ['Bug'] }, transitionTo: { parentStatus: 'On Hold', taskStatus: 'Backlog' } });
    for (const [wrong, says] of [
      [{ filters: { parentStatuses: ['open'] } }, 'Write it as Jira does: "Open".'], [{ filters: { issueTypes: ['Subtask'] } }, 'Use one of "Task", "Bug".'], [{ transitionTo: { parentStatus: 'Backlog' } }, 'Use one of'],
    ] as const) expect((await refusal(repo.validate({ ...config, ...wrong }))).hint).toContain(says);
  });

  it('of a project without a type below tickets are refused', async () => {
    const { jira, tasks } = await on();
    jira.site.projects.get('OPS')?.types.splice(2);
    expect((await refusal(tasks.openRepo(bindingOf({ ...SETTINGS, project: 'OPS', component: 'ops' })))).text).toContain('no place for mailboxes');
  });

  it('are asked for with what there is to choose from', async () => {
    const { tasks } = await on();
    const repo = { name: 'app', path: '/repositories/app' };
    expect(await tasks.registrationFields({ repo, values: {} })).toEqual([
      { name: 'project', prompt: 'Jira project', choices: [{ value: 'APP', label: 'APP: Application' }, { value: 'OPS', label: 'OPS: Operations' }] },
      { name: 'component', prompt: 'Component of the project that holds the tickets of this repository', initial: 'app' },
    ]);
    const fields = await tasks.registrationFields({ repo, values: { project: 'APP', component: 'app', 'statusDefaults.end': 'Shipped' } });
    expect(fields.map(({ name, choices, initial }) => [name, choices?.map(({ value }) => value), initial])).toEqual([
      ['statusDefaults.start', ['Open', 'Building', 'On Hold'], 'Open'], ['statusDefaults.work', ['Open', 'Building', 'On Hold'], 'Building'],
    ]);
    const values = { project: 'APP', 'statusDefaults.start': 'Open', 'statusDefaults.work': 'Building', 'statusDefaults.end': 'Shipped' };
    expect(tasks.registrationConfig({ repo, values })).toEqual(SETTINGS);
    expect(() => tasks.registrationConfig({ repo, values: { ...values, jql: 'x' } })).toThrow('Jira has no setting jql');
    expect(() => tasks.registrationConfig({ repo, values: { project: 'APP' } })).toThrow('The setting statusDefaults.start is missing.');
  });
});

describe('mailboxes', () => {
  it('are made 50 at a time, below their ticket, with the label by which boards leave them out', async () => {
    const { jira, repo } = await on();
    const { key } = jira.site.add({ summary: 'Fix it' });
    const mailboxes = Array.from({ length: 120 }, (_, index) => ({ node: `n${index}`, title: `${key}:n${index}`, description: `Node ${index}.` }));
    const keys = await repo.ensureMailboxes({ ticket: key, mailboxes });
    expect(jira.seen.filter(({ path }) => path === 'issue/bulk').map(({ body }) => (body as { issueUpdates: unknown[] }).issueUpdates.length)).toEqual([50, 50, 20]);
    expect(Object.entries(keys).every(([node, one]) => jira.site.get(one).summary === `${key}:${node}`)).toBe(true);
    expect(jira.site.get(keys['n7'] ?? '').labels).toEqual(['relay-flow-mailbox']);
    expect(jira.writes).toHaveLength(3);
    expect(jira.atOnce.most).toBeLessThanOrEqual(20);
  });

  it('of which some cannot be made say why, and those that could are kept', async () => {
    const { jira, repo } = await on();
    const { key } = jira.site.add({ summary: 'Fix it' });
    jira.api.refuseSummaries = /:review$/;
    const error = await refusal(repo.ensureMailboxes({ ticket: key, mailboxes: specs(key) }));
    expect([error.code, error.text]).toEqual(['task_rejected', `Jira made 1 of 2 mailboxes of ${key}. customfield_10001: Team is required.`]);
    jira.api.refuseSummaries = /^\b$/;
    await repo.ensureMailboxes({ ticket: key, mailboxes: specs(key) });
    expect(jira.site.children(key).map(({ summary }) => summary)).toEqual([`${key}:implement`, `${key}:review`]);
  });

  it('that exist get description and label back, and nothing is written when they have them', async () => {
    const { jira, repo } = await on();
    const { key } = jira.site.add({ summary: 'Fix it' });
    const { implement = '' } = await repo.ensureMailboxes({ ticket: key, mailboxes: specs(key) });
    Object.assign(jira.site.get(implement), { labels: ['mine'], description: null });
    const from = jira.writes.length;
    await repo.ensureMailboxes({ ticket: key, mailboxes: specs(key) });
    await repo.ensureMailboxes({ ticket: key, mailboxes: specs(key) });
    expect(jira.writes.slice(from).map(({ method, path }) => `${method} ${path}`)).toEqual([`PUT issue/${implement}`]);
    expect([jira.site.get(implement).labels, words(jira.site.get(implement).description)]).toEqual([['mine', 'relay-flow-mailbox'], 'Do it.\n']);
  });

  it.each([['as we do', (text: string) => text.length], ['otherwise', (text: string) => text.length * 2]])('with a description that is too long are cut in the middle, when Jira counts %s', async (_, countOf) => {
    const { jira, repo } = await on();
    jira.api.countOf = countOf;
    const { key } = jira.site.add({ summary: 'Fix it' });
    const description = `Begins.\n\n${'A line of it, 🦊.\n'.repeat(4_000)}\nEnds.`;
    const make = () => repo.ensureMailboxes({ ticket: key, mailboxes: specs(key, description) });
    const { implement = '' } = await make();
    const text = words(jira.site.get(implement).description);
    expect(countOf(text)).toBeLessThanOrEqual(32_767);
    expect(text).toMatch(/^Begins\.[^]*too long for Jira[^]*Ends\.\n$/);
    const before = text;
    await make();
    expect(words(jira.site.get(implement).description)).toBe(before);
  });
});
