import { describe, expect, test } from 'vitest';
import { taskSystemConformance, type SeenTicket, type TaskSystemSetUp } from '../../../src/task/conformance.js';
import { typed, words } from './fake/adf.js';
import { FakeJira, isWrite, TOKEN } from './fake/server.js';
import { ANA, BO, ME } from './fake/site.js';
import { bindingOf, newTaskSystem, SETTINGS } from './stage.js';

async function setUp(): Promise<TaskSystemSetUp> {
  const jira = await FakeJira.open();
  const { site } = jira;
  const repo = bindingOf(SETTINGS);
  const wordOf = (accountId: string | null): string => (accountId === null ? '' : accountId === ANA.accountId ? ANA.email : accountId === BO.accountId ? BO.displayName : accountId);
  const seen = (key: string): SeenTicket => {
    const { summary, status, labels, assignee, description, comments } = site.get(key);
    return {
      key, title: summary, status, labels: [...labels], assignee: wordOf(assignee), description: words(description),
      comments: comments.map(({ body }) => words(body)), mailboxes: site.children(key).map((child) => seen(child.key)),
    };
  };
  return {
    tasks: newTaskSystem(jira),
    another: () => newTaskSystem(jira),
    repo,
    registration: { project: 'APP', component: 'app', 'statusDefaults.start': 'Open', 'statusDefaults.work': 'Building', 'statusDefaults.end': 'Shipped' },
    people: [ANA.email, BO.displayName],
    secrets: [TOKEN, ME.email, Buffer.from(`${ME.email}:${TOKEN}`).toString('base64')],
    makeTicket: async ({ title, labels, blockedBy, assignee }) => await Promise.resolve(site.add({
      summary: title, description: typed(`${title} is to be done.`), ...(labels === undefined ? {} : { labels }), ...(blockedBy === undefined ? {} : { blockedBy }), ...(assignee === undefined ? {} : { assignee: site.user(assignee)?.accountId ?? null }),
    }).key),
    look: async (key) => await Promise.resolve(seen(key)),
    async edit(key, { status, labels, description }) {
      const issue = site.get(key);
      if (status !== undefined) issue.status = status;
      if (labels !== undefined) issue.labels = [...labels];
      if (description !== undefined) issue.description = typed(description);
      await Promise.resolve();
    },
    comment: async (key, text) => await Promise.resolve(void site.comment(key, text)),
    async duplicateMailbox(ticket, node) {
      site.add({ type: 'Subtask', parent: ticket, summary: `${ticket}:${node}` });
      await Promise.resolve();
    },
    async outOfReach({ ticket, mailbox }) {
      for (const key of [ticket, mailbox]) site.get(key).status = 'On Hold';
      return await Promise.resolve({ transition: { parentStatus: 'Building', taskStatus: 'Building' }, says: /"Building"/ });
    },
    refusedRepos: [
      { repo: bindingOf({ component: 'app' }, SETTINGS), code: 'task_config_invalid' },
      { repo: bindingOf({ project: 'APP', component: 'app' }, SETTINGS), code: 'task_config_invalid' },
      { repo: bindingOf({ ...SETTINGS, project: 'NOPE' }), code: 'task_missing' },
      { repo: bindingOf({ ...SETTINGS, project: 7 }), code: 'task_config_invalid' },
      { repo: bindingOf({ ...SETTINGS, component: 'nowhere' }), code: 'task_config_invalid' },
      { repo: bindingOf({ ...SETTINGS, statusDefaults: { start: 'Open', work: 'Building' } }), code: 'task_config_invalid' },
      { repo: bindingOf({ ...SETTINGS, statusDefaults: { ...SETTINGS.statusDefaults, begin: 'Open' } }), code: 'task_config_invalid' },
      { repo: bindingOf({ ...SETTINGS, statusDefaults: { ...SETTINGS.statusDefaults, start: 'To Do' } }), code: 'task_config_invalid' },
      { repo: bindingOf({ ...SETTINGS, statusDefaults: { ...SETTINGS.statusDefaults, start: 'Backlog' } }), code: 'task_config_invalid' },
      { repo: bindingOf({ ...SETTINGS, statusDefaults: { ...SETTINGS.statusDefaults, work: 'building' } }), code: 'task_config_invalid' },
      { repo: bindingOf({ ...SETTINGS, statusDefaults: { ...SETTINGS.statusDefaults, end: 'Building' } }), code: 'task_config_invalid' },
      { repo: bindingOf({ ...SETTINGS, statusDefaults: { ...SETTINGS.statusDefaults, end: 'On Hold' } }), code: 'task_config_invalid' },
    ],
    failNext: (when) => jira.trouble(isWrite, when === 'after' ? { kind: 'lost' } : { kind: 'answer', answer: { status: 503, body: { errorMessages: ['Service unavailable'] } } }),
    halfDone: () => jira.trouble('POST issue/bulk', { kind: 'half' }),
    async tearDown() {
      await jira.close();
      expect(jira.complaints).toEqual([]);
    },
  };
}

const lacks = { 'exact text': 'a document has a form of its own', 'one writer at a time': 'REST has no compare and set; servers are kept apart by the owner of a claim' };

describe('Jira', () => {
  const leftOut: string[] = [];
  taskSystemConformance({ name: 'jira', test, setUp, lacks, leftOut: (name) => leftOut.push(name) });

  test('only what Jira does not have is left out', () => {
    expect(leftOut).toEqual([
      'descriptions arrive as they are',
      'two servers at once make one mailbox each',
      'comments arrive as they are',
      'servers that comment at once lose nothing and double nothing',
    ]);
  });
});
