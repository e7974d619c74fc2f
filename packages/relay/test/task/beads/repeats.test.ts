import { describe, expect, it, vi } from 'vitest';
import type { SeenTicket } from '../../../src/task/conformance.js';
import { untilDone } from '../../../src/task/conformance/scenario.js';
import type { TaskRepo } from '../../../src/task/port.js';
import { scene, specs, type BeadsScene } from './scene.js';

vi.setConfig({ testTimeout: 240_000 });

interface Keys {
  readonly ticket: string;
  readonly implement: string;
  readonly review: string;
}

const assigned = (ticket: string) => [...specs(ticket, 'New words.', 'Ana'), { node: 'third', title: `${ticket}:third`, description: 'Third.', assignee: 'Bo' }];

/** Calls that write more than once: whichever of its writes is the one whose answer is lost, made again it comes to the same. */
const CALLS: readonly (readonly [name: string, prepare: (at: BeadsScene, keys: Keys) => void, call: (repo: TaskRepo, keys: Keys) => Promise<unknown>])[] = [
  ['claim', () => {}, (repo, { ticket }) => repo.claim({ key: ticket, labels: ['wf:ship', 'other'] })],
  ['ensureMailboxes', () => {}, (repo, { ticket }) => repo.ensureMailboxes({ ticket, mailboxes: assigned(ticket) })],
  ['start', () => {}, (repo, { ticket }) => repo.transition({ ticket, transition: repo.lifecycleDefault('start') })],
  ['work', () => {}, (repo, { ticket, implement }) => repo.transition({ ticket, mailbox: implement, transition: repo.lifecycleDefault('work'), assignee: 'Ana' })],
  ['complete', (at, { implement }) => at.set(implement, { status: 'in_progress' }), (repo, { ticket, implement }) => repo.transition({ ticket, mailbox: implement, transition: repo.lifecycleDefault('complete'), assignee: 'Bo' })],
  ['end', (at, { ticket }) => at.set(ticket, { status: 'in_progress' }), (repo, { ticket }) => repo.transition({ ticket, transition: repo.lifecycleDefault('end') })],
  ['reopenMailboxes', (at, { implement, review }) => {
    at.set(implement, { status: 'closed' });
    at.set(review, { status: 'in_progress' });
  }, (repo, { ticket, implement, review }) => repo.reopenMailboxes({ ticket, mailboxes: [implement, review] })],
  ['resetForRecovery', (at, { ticket, implement, review }) => {
    at.set(ticket, { status: 'deferred', defer_until: '2099-01-01T00:00:00Z' });
    at.set(implement, { status: 'closed' });
    at.set(review, { status: 'deferred', defer_until: '2099-01-01T00:00:00Z' });
  }, (repo, { ticket, implement, review }) => repo.resetForRecovery({ ticket, mailboxes: [implement, review] })],
  ['addComment', () => {}, (repo, { implement }) => repo.addComment({ key: implement, marker: 'v1:summary', body: 'Done.' })],
];

describe('a call of which an answer was lost', () => {
  it.each(CALLS)('%s, made again, has its effect once', async (_, prepare, call) => {
    const at = scene();
    const repo = await at.open();
    const begin = async (): Promise<Keys> => {
      const keys = await at.withMailboxes(repo);
      prepare(at, keys);
      return keys;
    };
    const undisturbed = await begin();
    at.forgetCalls();
    await call(repo, undisturbed);
    const writes = at.calls.filter(({ argv: [verb = ''] }) => !['list', 'show', 'comments'].includes(verb)).length;
    expect(writes).toBeGreaterThan(0);
    const expected = like(await at.look(undisturbed.ticket), undisturbed.ticket);
    for (let after = 0; after < writes; after += 1) {
      const keys = await begin();
      at.failNext({ text: 'i/o timeout', effect: true, after });
      expect(await untilDone(() => call(repo, keys))).toBe(1);
      expect(like(await at.look(keys.ticket), keys.ticket)).toEqual(expected);
    }
  });

  it('a create whose answer cannot be read is found by its title', async () => {
    const at = scene();
    const repo = await at.open();
    const ticket = await at.makeTicket({ title: 'Fix the login' });
    const tasks = at.tasks(async (execution) => {
      const done = await at.run(execution);
      return execution.args[0] === 'create' ? { ...done, stdout: 'Created.\n' } : done;
    });
    const deaf = await tasks.openRepo(at.binding());
    await expect(deaf.ensureMailboxes({ ticket, mailboxes: specs(ticket) })).rejects.toMatchObject({ code: 'task_malformed', text: expect.stringContaining(ticket) as string });
    await repo.ensureMailboxes({ ticket, mailboxes: specs(ticket) });
    expect((await at.look(ticket)).mailboxes).toHaveLength(2);
  });
});

/** But for what differs between two tickets of the same words. */
function like(seen: SeenTicket, ticket: string): unknown {
  return JSON.parse(JSON.stringify(seen).replaceAll(ticket, 'TICKET')) as unknown;
}
