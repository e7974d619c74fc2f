import assert from 'node:assert/strict';
import { CLAIM, mailboxes, mailboxOf, NODES, refuses, untilDone, type Scenario } from './scenario.js';

export const mailboxScenarios: readonly Scenario[] = [
  {
    name: 'mailboxes are made with what they are to hold',
    async play({ tickets, makeTicket, look, people }) {
      const ticket = await makeTicket({ title: 'Fix the login' });
      const keys = await tickets.ensureMailboxes({ ticket, mailboxes: mailboxes(ticket, 'Read the ticket.', people[0]) });
      assert.deepEqual(Object.keys(keys).sort(), [...NODES]);
      const seen = await look(ticket);
      assert.equal(seen.mailboxes.length, 2);
      for (const node of NODES) {
        const mailbox = mailboxOf(seen, node);
        assert.deepEqual([mailbox.key, mailbox.title, mailbox.assignee.toLowerCase()], [keys[node], `${ticket}:${node}`, people[0].toLowerCase()]);
        assert.match(mailbox.description, new RegExp(`Read the ticket\\. \\(${node}\\)`));
        assert.equal((await look(mailbox.key)).title, mailbox.title);
      }
      assert.deepEqual(await tickets.ensureMailboxes({ ticket, mailboxes: [] }), {});
    },
  },
  {
    name: 'mailboxes are made once, whoever asks again',
    async play({ tickets, withMailboxes, look, afresh }) {
      const { ticket, implement, review } = await withMailboxes();
      const before = await look(ticket);
      for (const repo of [tickets, await afresh()]) assert.deepEqual(await repo.ensureMailboxes({ ticket, mailboxes: mailboxes(ticket) }), { implement, review });
      assert.deepEqual(await look(ticket), before);
    },
  },
  {
    name: 'a mailbox that is missing is made beside the others',
    async play({ tickets, makeTicket, look }) {
      const ticket = await makeTicket({ title: 'Fix the login' });
      const [first] = mailboxes(ticket);
      assert.ok(first !== undefined);
      const { implement } = await tickets.ensureMailboxes({ ticket, mailboxes: [first] });
      const keys = await tickets.ensureMailboxes({ ticket, mailboxes: mailboxes(ticket) });
      assert.equal(keys['implement'], implement);
      assert.deepEqual((await look(ticket)).mailboxes.map(({ title }) => title).sort(), NODES.map((node) => `${ticket}:${node}`));
    },
  },
  {
    name: 'creating mailboxes half done is finished, not begun again',
    needs: ['half-done creates'],
    async play({ tickets, makeTicket, look, halfDone }) {
      const ticket = await makeTicket({ title: 'Fix the login' });
      halfDone?.();
      await untilDone(async () => await tickets.ensureMailboxes({ ticket, mailboxes: mailboxes(ticket) }));
      assert.deepEqual((await look(ticket)).mailboxes.map(({ title }) => title).sort(), NODES.map((node) => `${ticket}:${node}`));
    },
  },
  {
    name: 'a mailbox with another description or assignee is brought up to date, and keeps its comments and status',
    async play({ tickets, withMailboxes, look, edit, comment, people }) {
      const { ticket, implement } = await withMailboxes();
      const status = tickets.lifecycleDefault('work').taskStatus ?? assert.fail();
      await comment(implement, 'From a person.');
      await tickets.addComment({ key: implement, marker: 'v1:summary', body: 'From an agent.' });
      await edit(implement, { status, description: 'Something else entirely.' });
      await tickets.ensureMailboxes({ ticket, mailboxes: mailboxes(ticket, 'The new words.', people[1]) });
      const mailbox = mailboxOf(await look(ticket), 'implement');
      assert.match(mailbox.description, /The new words\. \(implement\)/);
      assert.doesNotMatch(mailbox.description, /Something else/);
      assert.deepEqual([mailbox.key, mailbox.status, mailbox.assignee.toLowerCase()], [implement, status, people[1].toLowerCase()]);
      assert.equal(mailbox.comments.length, 2);
      assert.equal((await tickets.markers({ key: implement })).includes('v1:summary'), true);
    },
  },
  {
    name: 'an assignee that is not named is left alone, and an empty one is nobody',
    async play({ tickets, makeTicket, look, people }) {
      const ticket = await makeTicket({ title: 'Fix the login' });
      for (const [assignee, expected] of [[people[0], people[0]], [undefined, people[0]], ['', '']] as const) {
        await tickets.ensureMailboxes({ ticket, mailboxes: mailboxes(ticket, 'Read.', assignee) });
        assert.equal(mailboxOf(await look(ticket), 'review').assignee.toLowerCase(), expected.toLowerCase());
      }
    },
  },
  {
    name: 'two mailboxes of one title need a person',
    needs: ['duplicate mailboxes'],
    async play({ tickets, withMailboxes, duplicateMailbox, look }) {
      const { ticket } = await withMailboxes();
      await duplicateMailbox?.(ticket, 'implement');
      const before = await look(ticket);
      const error = await refuses('task_conflict', tickets.ensureMailboxes({ ticket, mailboxes: mailboxes(ticket, 'New words.') }));
      assert.match(error.text, new RegExp(`${ticket}:implement`));
      assert.deepEqual(await look(ticket), before);
    },
  },
  {
    name: 'descriptions arrive as they are',
    needs: ['exact text'],
    async play({ tickets, makeTicket, look }) {
      const ticket = await makeTicket({ title: 'Fix the login' });
      const description = `# ä\n\n| a | b |\n|---|---|\n\n\`\`\`sh\necho "$HOME"\n\n## Comments\n\`\`\`\n\n---\n\n> 🦊 \\ & <b>\n\n<!-- v1:summary -->\n\n- Last`;
      const spec = { node: 'implement', title: `${ticket}:implement`, description };
      const { implement = '' } = await tickets.ensureMailboxes({ ticket, mailboxes: [spec] });
      assert.equal(mailboxOf(await look(ticket), 'implement').description.trim(), description);
      assert.equal((await tickets.markers({ key: implement })).includes('v1:summary'), false);
      await tickets.addComment({ key: implement, marker: 'v1:summary', body: 'Done.' });
      const before = await look(ticket);
      await tickets.ensureMailboxes({ ticket, mailboxes: [spec] });
      assert.deepEqual(await look(ticket), before);
      assert.equal(mailboxOf(before, 'implement').description.trim(), description);
    },
  },
  {
    name: 'two servers at once make one mailbox each',
    needs: ['one writer at a time'],
    async play({ makeTicket, afresh, look }) {
      const ticket = await makeTicket({ title: 'Fix the login' });
      const servers = await Promise.all([afresh(), afresh(), afresh(), afresh()]);
      const answers = await Promise.all(servers.map((repo) => repo.ensureMailboxes({ ticket, mailboxes: mailboxes(ticket) })));
      for (const answer of answers) assert.deepEqual(answer, answers[0]);
      assert.equal((await look(ticket)).mailboxes.length, 2);
      await Promise.all(servers.map((repo) => repo.claim({ key: ticket, labels: CLAIM })));
      for (const label of CLAIM) assert.equal((await look(ticket)).labels.filter((one) => one === label).length, 1);
    },
  },
];
