import assert from 'node:assert/strict';
import { CLAIM, mailboxes, untilDone, type Scenario, type Stage } from './scenario.js';

interface WritingCall {
  readonly name: string;
  /** What must have happened before. */
  readonly prepare?: (stage: Stage, keys: Keys) => Promise<void>;
  readonly call: (repo: Stage['tickets'], keys: Keys, stage: Stage) => Promise<unknown>;
}

type Keys = Awaited<ReturnType<Stage['withMailboxes']>>;

const start = async ({ tickets }: Stage, { ticket }: Keys): Promise<void> => await tickets.transition({ ticket, transition: tickets.lifecycleDefault('start') });
const work = async (stage: Stage, keys: Keys): Promise<void> => {
  await start(stage, keys);
  await stage.tickets.transition({ ticket: keys.ticket, transition: stage.tickets.lifecycleDefault('work'), mailbox: keys.implement });
};

const CALLS: readonly WritingCall[] = [
  { name: 'claim', call: async (repo, { ticket }) => await repo.claim({ key: ticket, labels: CLAIM }) },
  { name: 'ensureMailboxes', call: async (repo, { ticket }, { people }) => await repo.ensureMailboxes({ ticket, mailboxes: [...mailboxes(ticket, 'New words.', people[0]), { node: 'third', title: `${ticket}:third`, description: 'Third.' }] }) },
  { name: 'transition at the start', call: async (repo, { ticket }) => await repo.transition({ ticket, transition: repo.lifecycleDefault('start') }) },
  { name: 'transition to work', prepare: start, call: async (repo, { ticket, implement }, { people }) => await repo.transition({ ticket, mailbox: implement, transition: repo.lifecycleDefault('work'), assignee: people[1] }) },
  { name: 'completion', prepare: work, call: async (repo, { ticket, implement }) => await repo.transition({ ticket, mailbox: implement, transition: repo.lifecycleDefault('complete') }) },
  { name: 'transition at the end', prepare: work, call: async (repo, { ticket }) => await repo.transition({ ticket, transition: repo.lifecycleDefault('end') }) },
  { name: 'reopenMailboxes', prepare: work, call: async (repo, { ticket, implement, review }) => await repo.reopenMailboxes({ ticket, mailboxes: [implement, review] }) },
  { name: 'resetForRecovery', prepare: work, call: async (repo, { ticket, implement, review }) => await repo.resetForRecovery({ ticket, mailboxes: [implement, review] }) },
  { name: 'addComment', call: async (repo, { implement }) => await repo.addComment({ key: implement, marker: 'v1:summary', body: 'It is fixed.' }) },
];

/** Every call that writes, twice: as after a crash between its effect and the record of it. */
export const repeatScenarios: readonly Scenario[] = CALLS.flatMap(({ name, prepare, call }): readonly Scenario[] => [
  {
    name: `${name}, made twice, is made once`,
    async play(stage) {
      const keys = await stage.withMailboxes();
      await prepare?.(stage, keys);
      await call(stage.tickets, keys, stage);
      const before = await stage.look(keys.ticket);
      await call(await stage.afresh(), keys, stage);
      await call(stage.tickets, keys, stage);
      assert.deepEqual(await stage.look(keys.ticket), before);
    },
  },
  ...(['before', 'after'] as const).map((when): Scenario => ({
    name: `${name}, of which a request fails ${when} its effect, is made once`,
    needs: ['failing requests'],
    async play(stage) {
      const undisturbed = await stage.withMailboxes();
      await prepare?.(stage, undisturbed);
      await call(stage.tickets, undisturbed, stage);
      const keys = await stage.withMailboxes();
      await prepare?.(stage, keys);
      stage.failNext?.(when);
      await untilDone(async () => await call(stage.tickets, keys, stage));
      assert.deepEqual(withoutKeys(await stage.look(keys.ticket)), withoutKeys(await stage.look(undisturbed.ticket)));
    },
  })),
]);

/** What a person sees, but for what differs between two tickets of the same words. */
function withoutKeys(seen: Awaited<ReturnType<Stage['look']>>): unknown {
  const strip = ({ key: _, title, ...rest }: typeof seen, parent: string): unknown => ({ ...rest, title: title.replace(parent, 'TICKET'), mailboxes: rest.mailboxes.map((mailbox) => strip(mailbox, parent)) });
  return strip(seen, seen.key);
}
