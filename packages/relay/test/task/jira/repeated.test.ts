import { describe, expect, it } from 'vitest';
import { isRelayError } from '../../../src/errors/relay-error.js';
import type { TaskRepo } from '../../../src/task/port.js';
import { isWrite, type FakeJira, type Trouble } from './fake/server.js';
import { ANA } from './fake/site.js';
import { bindingOf, SETTINGS, specs } from './stage.js';
import { staged } from './staged.js';

const on = staged();

interface Keys {
  readonly ticket: string;
  readonly implement: string;
}

const CALLS: readonly (readonly [string, (repo: TaskRepo, keys: Keys) => Promise<unknown>])[] = [
  ['claim', (repo, { ticket }) => repo.claim({ key: ticket, labels: ['wf-owner:ship:0a', 'wf:ship'] })],
  ['ensureMailboxes', (repo, { ticket }) => repo.ensureMailboxes({ ticket, mailboxes: [...specs(ticket, 'New words.', ANA.email), { node: 'third', title: `${ticket}:third`, description: 'Third.', assignee: ANA.email }] })],
  ['transition', (repo, { ticket, implement }) => repo.transition({ ticket, mailbox: implement, transition: repo.lifecycleDefault('work'), assignee: ANA.email })],
  ['transition and assignment apart', (repo, { ticket, implement }) => repo.transition({ ticket, mailbox: implement, transition: { taskStatus: 'Shipped' }, assignee: ANA.email })],
  ['reopenMailboxes', (repo, { ticket, implement }) => repo.reopenMailboxes({ ticket, mailboxes: [implement] })],
  ['resetForRecovery', (repo, { ticket, implement }) => repo.resetForRecovery({ ticket, mailboxes: [implement] })],
  ['addComment', (repo, { implement }) => repo.addComment({ key: implement, marker: 'v1:summary', body: 'It is fixed.' })],
];

const TROUBLES: readonly Trouble[] = [
  { kind: 'lost' }, { kind: 'cut' }, { kind: 'done-but', answer: { status: 504, body: { errorMessages: ['Gateway timeout'] } } }, { kind: 'answer', answer: { status: 503 } },
  { kind: 'answer', answer: { status: 429, headers: { 'retry-after': '1' } } },
];

/** Everything that people see of a ticket, without what only numbers it. */
function state({ site }: FakeJira, key: string): unknown {
  const one = (issueKey: string): unknown => {
    const { summary, status, labels, assignee, description, comments } = site.get(issueKey);
    return { summary: summary.replace(key, 'T'), status, labels, assignee, description, comments: comments.map(({ body }) => body), children: site.children(issueKey).map((child) => one(child.key)) };
  };
  return one(key);
}

async function begin(jira: FakeJira, repo: TaskRepo): Promise<Keys> {
  const ticket = jira.site.add({ summary: 'Fix it' }).key;
  const { implement = '' } = await repo.ensureMailboxes({ ticket, mailboxes: specs(ticket) });
  return { ticket, implement };
}

/** As the engine does, by servers that know nothing of each other. */
async function untilDone(open: () => Promise<TaskRepo>, call: (repo: TaskRepo) => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return void (await call(await open()));
    } catch (error) {
      if (!isRelayError(error) || error.kind !== 'transient' || tries > 3) throw error;
    }
  }
}

describe.each(CALLS)('%s', (_, call) => {
  it('has each of its effects once, whichever of its requests fails in whatever way', async () => {
    const { jira, repo, another } = await on();
    const undisturbed = await begin(jira, repo);
    const from = jira.writes.length;
    await call(repo, undisturbed);
    const requests = jira.writes.length - from;
    expect(requests).toBeGreaterThan(0);
    for (let nth = 0; nth < requests; nth += 1) {
      for (const trouble of TROUBLES) {
        const keys = await begin(jira, repo);
        let count = 0;
        jira.trouble((asked) => {
          if (!isWrite(asked)) return false;
          count += 1;
          return count === nth + 1;
        }, trouble);
        await untilDone(async () => await another().openRepo(bindingOf(SETTINGS)), (afresh) => call(afresh, keys));
        expect(count, `request ${nth} was reached`).toBeGreaterThan(nth);
        expect(state(jira, keys.ticket), `request ${nth}, ${trouble.kind}`).toEqual(state(jira, undisturbed.ticket));
        // And what is done is not done again.
        const writes = jira.writes.length;
        await call(await another().openRepo(bindingOf(SETTINGS)), keys);
        expect(jira.writes).toHaveLength(writes);
      }
    }
  });
});
