import assert from 'node:assert/strict';
import type { LifecyclePoint } from '../task-config.js';
import { mailboxOf, refuses, type Scenario, type Stage } from './scenario.js';

async function statuses({ look }: Stage, ticket: string, node = 'implement'): Promise<readonly [ticket: string, mailbox: string]> {
  const seen = await look(ticket);
  return [seen.status, mailboxOf(seen, node).status];
}

/** Each step of a ticket's way through a workflow with its mailbox `implement`. */
const WAY: readonly LifecyclePoint[] = ['start', 'work', 'complete', 'work', 'complete', 'end'];

export const stateScenarios: readonly Scenario[] = [
  {
    name: 'a ticket goes its way from start to end, and every step can be repeated',
    async play(stage) {
      const { tickets, withMailboxes, afresh } = stage;
      const { ticket, implement } = await withMailboxes();
      let [parent, task] = await statuses(stage, ticket);
      for (const point of WAY) {
        const transition = tickets.lifecycleDefault(point);
        const mailbox = point === 'work' || point === 'complete' ? { mailbox: implement } : {};
        for (const repo of [tickets, tickets, await afresh()]) {
          await repo.transition({ ticket, transition, ...mailbox });
          [parent, task] = [transition.parentStatus ?? parent, 'mailbox' in mailbox ? (transition.taskStatus ?? task) : task];
          assert.deepEqual(await statuses(stage, ticket), [parent, task], point);
        }
      }
      assert.equal((await tickets.view({ key: ticket }))?.done, true);
      assert.deepEqual(await tickets.poll({ signal: AbortSignal.timeout(30_000) }), []);
    },
  },
  {
    name: 'a transition without a mailbox, or without a state, leaves alone what it does not name',
    async play(stage) {
      const { tickets, withMailboxes } = stage;
      const { ticket, implement } = await withMailboxes();
      const before = await stage.look(ticket);
      await tickets.transition({ ticket, transition: {} });
      await tickets.transition({ ticket, transition: {}, mailbox: implement });
      const { taskStatus } = tickets.lifecycleDefault('work');
      if (taskStatus !== undefined) await tickets.transition({ ticket, transition: { taskStatus } });
      assert.deepEqual(await stage.look(ticket), before);
    },
  },
  {
    name: 'the other mailboxes stay as they are',
    async play(stage) {
      const { tickets, withMailboxes, look } = stage;
      const { ticket, implement } = await withMailboxes();
      const before = mailboxOf(await look(ticket), 'review');
      await tickets.transition({ ticket, transition: tickets.lifecycleDefault('work'), mailbox: implement });
      await tickets.transition({ ticket, transition: tickets.lifecycleDefault('complete'), mailbox: implement });
      assert.deepEqual(mailboxOf(await look(ticket), 'review'), before);
    },
  },
  {
    name: 'the assignee gets the mailbox, also when it is in the state already',
    async play({ tickets, withMailboxes, look, people }) {
      const { ticket, implement } = await withMailboxes();
      const transition = tickets.lifecycleDefault('work');
      for (const assignee of [people[0], people[1]]) {
        await tickets.transition({ ticket, transition, mailbox: implement, assignee });
        const mailbox = mailboxOf(await look(ticket), 'implement');
        assert.deepEqual([mailbox.status, mailbox.assignee.toLowerCase()], [transition.taskStatus, assignee.toLowerCase()]);
      }
      await tickets.transition({ ticket, transition, mailbox: implement });
      assert.equal(mailboxOf(await look(ticket), 'implement').assignee.toLowerCase(), people[1].toLowerCase());
    },
  },
  {
    name: 'a state that cannot be reached names where a person must move the ticket, and nothing changes',
    needs: ['status rules'],
    async play({ tickets, withMailboxes, outOfReach, look }) {
      const { ticket, implement } = await withMailboxes();
      const { transition, says } = (await outOfReach?.({ ticket, mailbox: implement })) ?? assert.fail('the set-up says what is out of reach');
      const before = await look(ticket);
      for (const _ of [1, 2]) {
        const error = await refuses('task_conflict', tickets.transition({ ticket, transition, mailbox: implement }));
        assert.match(`${error.text} ${error.hint ?? ''}`, says);
        assert.equal(error.kind, 'conflict');
      }
      assert.deepEqual(await look(ticket), before);
    },
  },
  {
    name: 'mailboxes of an earlier attempt are opened again, whatever their state, and keep their comments',
    async play(stage) {
      const { tickets, withMailboxes, afresh } = stage;
      const { ticket, implement, review } = await withMailboxes();
      const { status: fresh } = mailboxOf(await stage.look(ticket), 'review');
      await tickets.transition({ ticket, transition: tickets.lifecycleDefault('start') });
      await tickets.transition({ ticket, transition: tickets.lifecycleDefault('work'), mailbox: implement });
      await tickets.addComment({ key: implement, marker: 'v1:summary', body: 'Done.' });
      await tickets.transition({ ticket, transition: tickets.lifecycleDefault('complete'), mailbox: implement });
      await tickets.transition({ ticket, transition: tickets.lifecycleDefault('work'), mailbox: review });
      const [parent] = await statuses(stage, ticket);
      for (const repo of [tickets, await afresh()]) {
        await repo.reopenMailboxes({ ticket, mailboxes: [implement, review] });
        const begin = tickets.lifecycleDefault('recovery').taskStatus ?? fresh;
        assert.deepEqual([await statuses(stage, ticket), await statuses(stage, ticket, 'review')], [[parent, begin], [parent, begin]]);
      }
      assert.equal((await tickets.markers({ key: implement })).includes('v1:summary'), true);
      await tickets.transition({ ticket, transition: tickets.lifecycleDefault('work'), mailbox: implement });
      assert.equal((await statuses(stage, ticket))[1], tickets.lifecycleDefault('work').taskStatus);
    },
  },
  {
    name: 'after the journal was lost, a ticket and its mailboxes can begin again',
    async play(stage) {
      const { tickets, withMailboxes, afresh } = stage;
      const { ticket, implement, review } = await withMailboxes();
      for (const point of ['start', 'work', 'complete'] as const) await tickets.transition({ ticket, transition: tickets.lifecycleDefault(point), ...(point === 'start' ? {} : { mailbox: implement }) });
      for (const repo of [await afresh(), tickets]) await repo.resetForRecovery({ ticket, mailboxes: [implement, review] });
      const recovered = tickets.lifecycleDefault('recovery');
      const [parent, task] = await statuses(stage, ticket);
      assert.deepEqual([recovered.parentStatus ?? parent, recovered.taskStatus ?? task], [parent, task]);
      assert.notEqual(task, tickets.lifecycleDefault('complete').taskStatus);
      for (const point of ['start', 'work', 'complete', 'end'] as const) {
        await tickets.transition({ ticket, transition: tickets.lifecycleDefault(point), ...(point === 'work' || point === 'complete' ? { mailbox: implement } : {}) });
      }
      assert.equal((await tickets.view({ key: ticket }))?.done, true);
    },
  },
];
