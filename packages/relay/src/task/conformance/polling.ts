import assert from 'node:assert/strict';
import type { TaskRepo, Ticket } from '../port.js';
import { CLAIM, mailboxes, refuses, type Scenario } from './scenario.js';

const poll = async (tickets: TaskRepo): Promise<readonly Ticket[]> => await tickets.poll({ signal: AbortSignal.timeout(30_000) });
const keys = (polled: readonly Ticket[]): readonly string[] => polled.map(({ key }) => key).sort();

export const pollScenarios: readonly Scenario[] = [
  {
    name: 'nothing to do is an empty list',
    async play({ tickets }) {
      assert.deepEqual(await poll(tickets), []);
    },
  },
  {
    name: 'a poll has the tickets that can be worked on, as people wrote them',
    async play({ tickets, makeTicket, look, people }) {
      const first = await makeTicket({ title: 'Fix the login', labels: ['bug', 'urgent'], assignee: people[0] });
      const second = await makeTicket({ title: `"Quotes", \\back, <b>, ünï 🦊: it's # fine` });
      const polled = await poll(tickets);
      assert.deepEqual(keys(polled), [first, second].sort());
      const ticket = polled.find(({ key }) => key === first);
      assert.ok(ticket !== undefined);
      const seen = await look(first);
      assert.deepEqual([ticket.title, ticket.status, ticket.done, ticket.blocked], ['Fix the login', seen.status, false, false]);
      assert.ok(['bug', 'urgent'].every((label) => ticket.labels.includes(label)));
      assert.ok(ticket.assignee.some((word) => word.toLowerCase() === people[0].toLowerCase()), 'the assignee is named by the word that people use');
      const other = polled.find(({ key }) => key === second);
      assert.deepEqual([other?.title, other?.assignee], [`"Quotes", \\back, <b>, ünï 🦊: it's # fine`, []]);
      const { text: _, ...viewed } = (await tickets.view({ key: first })) ?? assert.fail();
      assert.deepEqual(viewed, ticket, 'a view agrees with the poll');
    },
  },
  {
    name: 'a view has what a ticket asks for, without the comments',
    async play({ tickets, makeTicket, edit, comment }) {
      const key = await makeTicket({ title: 'Fix the login' });
      await edit(key, { description: 'Words-of-the-ticket.' });
      await comment(key, 'Words-of-a-person.');
      await tickets.addComment({ key, marker: 'v1:summary', body: 'Words-of-an-agent.' });
      const { text = '' } = (await tickets.view({ key })) ?? assert.fail();
      assert.match(text, /Words-of-the-ticket\./);
      assert.doesNotMatch(text, /of-a-person|of-an-agent/);
    },
  },
  {
    name: 'mailboxes are no tickets',
    async play({ tickets, withMailboxes, afresh }) {
      const { ticket } = await withMailboxes();
      assert.deepEqual(keys(await poll(tickets)), [ticket]);
      await tickets.claim({ key: ticket, labels: CLAIM });
      assert.deepEqual(keys(await poll(await afresh())), [ticket]);
    },
  },
  {
    name: 'a ticket that is done is not polled, claimed or not, and can be viewed',
    async play({ tickets, makeTicket, edit }) {
      const status = tickets.lifecycleDefault('end').parentStatus ?? assert.fail();
      const plain = await makeTicket({ title: 'Done by hand' });
      const claimed = await makeTicket({ title: 'Done and claimed' });
      await tickets.claim({ key: claimed, labels: CLAIM });
      await edit(plain, { status });
      await edit(claimed, { status });
      assert.deepEqual(await poll(tickets), []);
      for (const key of [plain, claimed]) assert.deepEqual([(await tickets.view({ key }))?.done, (await tickets.view({ key }))?.status], [true, status]);
    },
  },
  {
    name: 'a blocked ticket is polled once what it waits for is done, and always when it is claimed',
    needs: ['blocking tickets'],
    async play({ tickets, makeTicket, edit }) {
      const status = tickets.lifecycleDefault('end').parentStatus ?? assert.fail();
      const [first, second] = [await makeTicket({ title: 'First' }), await makeTicket({ title: 'Second' })];
      const waits = await makeTicket({ title: 'Waits', blockedBy: [first, second] });
      const claimed = await makeTicket({ title: 'Claimed', blockedBy: [first] });
      await tickets.claim({ key: claimed, labels: CLAIM });
      assert.deepEqual(keys(await poll(tickets)), [first, second, claimed].sort());
      assert.equal((await poll(tickets)).find(({ key }) => key === claimed)?.labels.includes('wf:ship'), true);
      assert.equal((await tickets.view({ key: waits }))?.blocked, true);
      await edit(first, { status });
      assert.deepEqual(keys(await poll(tickets)), [second, claimed].sort());
      await edit(second, { status });
      assert.deepEqual(keys(await poll(tickets)), [waits, claimed].sort());
      assert.equal((await tickets.view({ key: waits }))?.blocked, false);
    },
  },
  {
    name: 'a claim is there for everybody at once, in the poll and in a view',
    async play({ tickets, makeTicket, look, afresh }) {
      const key = await makeTicket({ title: 'Fix the login', labels: ['bug'] });
      const claimed = await tickets.claim({ key, labels: CLAIM });
      assert.equal(claimed.key, key);
      for (const ticket of [claimed, await tickets.view({ key }), await (await afresh()).view({ key }), (await poll(tickets))[0], await look(key)]) {
        assert.ok(['bug', ...CLAIM].every((label) => ticket?.labels.includes(label)), JSON.stringify(ticket));
      }
    },
  },
  {
    name: 'claiming again changes nothing, and keeps labels that people set',
    async play({ tickets, makeTicket, edit, look, afresh }) {
      const key = await makeTicket({ title: 'Fix the login' });
      await tickets.claim({ key, labels: CLAIM });
      await edit(key, { labels: ['from-a-person', ...CLAIM] });
      const before = await look(key);
      assert.deepEqual([...(await (await afresh()).claim({ key, labels: CLAIM })).labels].sort(), [...before.labels].sort());
      assert.deepEqual(await look(key), before);
      for (const label of CLAIM) assert.equal(before.labels.filter((one) => one === label).length, 1);
    },
  },
  {
    name: 'a claim that has half of its labels gets the other half',
    async play({ tickets, makeTicket, look }) {
      const key = await makeTicket({ title: 'Fix the login', labels: [CLAIM[1]] });
      await tickets.claim({ key, labels: CLAIM });
      const { labels } = await look(key);
      for (const label of CLAIM) assert.equal(labels.filter((one) => one === label).length, 1, label);
    },
  },
  {
    name: 'what a person changes is seen by the next poll and view',
    async play({ tickets, makeTicket, edit }) {
      const key = await makeTicket({ title: 'Fix the login' });
      await poll(tickets);
      await tickets.view({ key });
      await edit(key, { labels: ['new'] });
      for (const ticket of [(await poll(tickets))[0], await tickets.view({ key })]) assert.equal(ticket?.labels.includes('new'), true);
      // One at which somebody works, and that is nobody's claim, need not be offered.
      await tickets.claim({ key, labels: CLAIM });
      const status = tickets.lifecycleDefault('work').parentStatus ?? assert.fail();
      await edit(key, { labels: ['newer', ...CLAIM], status });
      for (const ticket of [(await poll(tickets))[0], await tickets.view({ key })]) assert.deepEqual([ticket?.labels.includes('newer'), ticket?.status], [true, status]);
    },
  },
  {
    name: 'mailboxes do not take over the claim of their ticket',
    async play({ tickets, makeTicket, look }) {
      const key = await makeTicket({ title: 'Fix the login' });
      await tickets.claim({ key, labels: CLAIM });
      await tickets.ensureMailboxes({ ticket: key, mailboxes: mailboxes(key) });
      for (const { labels } of (await look(key)).mailboxes) assert.ok(!labels.some((label) => label.startsWith('wf')), labels.join(' '));
    },
  },
  {
    name: 'a poll that is given up ends',
    async play({ tickets, makeTicket }) {
      await makeTicket({ title: 'Fix the login' });
      await refuses('task_unavailable', tickets.poll({ signal: AbortSignal.abort() }));
    },
  },
];
