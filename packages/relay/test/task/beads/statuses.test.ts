import { describe, expect, it } from 'vitest';
import { allowedBefore, STATUSES, wayTo, type Move } from '../../../src/task/beads/status.js';
import { scene } from './scene.js';

const LATER = '2099-01-01T00:00:00Z';

/** Spec: a row for each item and target, with the states from which it is reached. */
const TABLE: readonly (readonly [Move, string, readonly string[]])[] = [
  ['mailbox', 'in_progress', ['open', 'closed']],
  ['mailbox', 'closed', ['in_progress']],
  ['mailbox', 'open', []],
  ['mailbox', 'blocked', ['open']],
  ['mailbox', 'deferred', ['open']],
  ['mailbox', 'hooked', ['open']],
  ['ticket', 'closed', ['open', 'in_progress']],
  ['ticket', 'open', []],
  ['ticket', 'in_progress', ['open']],
  ['ticket', 'blocked', ['open']],
  ['ticket', 'deferred', ['open']],
  ['ticket', 'hooked', ['open']],
  ['restart', 'open', ['in_progress', 'closed']],
  ['recovery', 'open', ['in_progress', 'blocked', 'deferred', 'closed']],
];

describe('the states of Beads', () => {
  it.each(TABLE)('%s to %s from %j', (move, target, from) => {
    for (const current of [...STATUSES, 'custom']) {
      const way = wayTo(move, current, target);
      if (current === target) expect(way).toBe('stay');
      else if (from.includes(current)) expect(way).toBe(target === 'closed' ? 'close' : move === 'restart' && current === 'closed' ? 'reopen' : 'update');
      else expect(way).toEqual({ conflict: allowedBefore(move, target) });
    }
  });

  it('has a default at every point', async () => {
    const repo = await scene().open();
    expect(Object.fromEntries((['start', 'work', 'complete', 'end', 'recovery'] as const).map((point) => [point, repo.lifecycleDefault(point)]))).toEqual({
      start: { parentStatus: 'in_progress' },
      work: { parentStatus: 'in_progress', taskStatus: 'in_progress' },
      complete: { taskStatus: 'closed' },
      end: { parentStatus: 'closed' },
      recovery: { parentStatus: 'open', taskStatus: 'open' },
    });
  });

  it('are the only ones that settings may name', async () => {
    const repo = await scene().open();
    const validate = async (transitionTo: Readonly<Record<string, string>>) => await repo.validate({ filters: {}, templates: {}, own: {}, transitionTo });
    for (const status of STATUSES) await validate({ parentStatus: status, taskStatus: status });
    await expect(validate({ taskStatus: 'Done' })).rejects.toMatchObject({ code: 'task_config_invalid', hint: expect.stringContaining('in_progress') as string });
  });

  it('are left as they are where an issue is there already: nothing is written', async () => {
    const at = scene();
    const repo = await at.open();
    const { ticket, implement } = await at.withMailboxes(repo);
    at.set(ticket, { status: 'in_progress' });
    at.set(implement, { status: 'in_progress', assignee: 'Ana' });
    at.forgetCalls();
    await repo.transition({ ticket, mailbox: implement, transition: repo.lifecycleDefault('work'), assignee: 'Ana' });
    expect(at.calls.map(({ argv }) => argv.slice(0, 2))).toEqual([['show', implement], ['show', ticket]]);
  });

  it('are changed by the command that is meant for it', async () => {
    const at = scene();
    const repo = await at.open();
    const { ticket, implement } = await at.withMailboxes(repo);
    at.forgetCalls();
    await repo.transition({ ticket, transition: repo.lifecycleDefault('start') });
    await repo.transition({ ticket, mailbox: implement, transition: repo.lifecycleDefault('work'), assignee: 'Ana' });
    await repo.transition({ ticket, mailbox: implement, transition: repo.lifecycleDefault('complete') });
    await repo.reopenMailboxes({ ticket, mailboxes: [implement] });
    await repo.transition({ ticket, transition: repo.lifecycleDefault('end') });
    expect(at.calls.map(({ argv }) => argv).filter(([verb]) => verb !== 'show')).toEqual([
      ['update', ticket, '--status', 'in_progress', '--json'],
      ['update', implement, '--status', 'in_progress', '--assignee', 'Ana', '--json'],
      ['close', implement, '--reason', 'relay-flow: its step is done.', '--json'],
      ['reopen', implement, '--reason', 'relay-flow: its workflow begins another attempt.', '--json'],
      ['close', ticket, '--reason', 'relay-flow: its workflow has ended.', '--json'],
    ]);
  });

  it('that are out of reach are a conflict which says what to do, and nothing of the step is done', async () => {
    const at = scene();
    const repo = await at.open();
    const { ticket, implement, review } = await at.withMailboxes(repo);
    at.set(ticket, { status: 'deferred', defer_until: LATER });
    at.set(review, { status: 'hooked' });
    const before = at.state;
    await expect(repo.transition({ ticket, transition: repo.lifecycleDefault('start') })).rejects.toMatchObject({
      code: 'task_conflict', kind: 'conflict', text: `${ticket} is deferred and cannot become in_progress from there.`, hint: `Move it to open with \`bd update ${ticket} --status open\`; it goes on by itself then.`,
    });
    await expect(repo.transition({ ticket, mailbox: implement, transition: repo.lifecycleDefault('work'), assignee: 'Ana' })).rejects.toMatchObject({ code: 'task_conflict' });
    await expect(repo.transition({ ticket, mailbox: implement, transition: repo.lifecycleDefault('complete') })).rejects.toMatchObject({ text: `The mailbox ${implement} of ${ticket} is open and cannot become closed from there.`, hint: expect.stringContaining('Move it to in_progress') as string });
    await expect(repo.reopenMailboxes({ ticket, mailboxes: [implement, review] })).rejects.toMatchObject({ text: expect.stringContaining('is hooked') as string, hint: expect.stringContaining('open, in_progress or closed') as string });
    await expect(repo.resetForRecovery({ ticket, mailboxes: [implement, review] })).rejects.toMatchObject({ code: 'task_conflict' });
    expect(at.state).toEqual(before);
  });

  it('a conflict ends when a person has done what it says', async () => {
    const at = scene();
    const repo = await at.open();
    const ticket = await at.makeTicket({ title: 'Fix the login' });
    at.set(ticket, { status: 'blocked' });
    const start = async () => await repo.transition({ ticket, transition: repo.lifecycleDefault('start') });
    await expect(start()).rejects.toMatchObject({ kind: 'conflict' });
    at.set(ticket, { status: 'open' });
    await start();
    expect(at.issue(ticket).status).toBe('in_progress');
  });
});

describe('after the journal was lost', () => {
  it.each(['in_progress', 'blocked', 'deferred', 'open'])('a ticket that is %s and its mailboxes are open, and their deferral is cleared', async (status) => {
    const at = scene();
    const repo = await at.open();
    const { ticket, implement, review } = await at.withMailboxes(repo);
    at.set(ticket, { status, defer_until: LATER });
    at.set(implement, { status: 'closed' });
    at.set(review, { status: 'deferred', defer_until: LATER });
    await repo.resetForRecovery({ ticket, mailboxes: [implement, review] });
    for (const id of [ticket, implement, review]) {
      expect(at.issue(id).status).toBe('open');
      expect(at.issue(id).defer_until).toBeUndefined();
    }
    at.forgetCalls();
    await repo.resetForRecovery({ ticket, mailboxes: [implement, review] });
    expect(new Set(at.calls.map(({ argv }) => argv[0]))).toEqual(new Set(['show']));
  });

  it('a ticket is set back after its mailboxes, so that a crash in between is noticed by the next recovery', async () => {
    const at = scene();
    const repo = await at.open();
    const { ticket, implement, review } = await at.withMailboxes(repo);
    at.set(ticket, { status: 'in_progress' });
    at.set(implement, { status: 'closed' });
    at.set(review, { status: 'in_progress' });
    at.forgetCalls();
    await repo.resetForRecovery({ ticket, mailboxes: [implement, review] });
    expect(at.callsOf('update').map(([, id]) => id)).toEqual([implement, review, ticket]);
  });
});
