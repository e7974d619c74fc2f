import { mkdir, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TaskRepo } from '../../../src/task/port.js';
import { compare } from '../../../src/task/files/records/restore.js';
import { statusSet } from '../../../src/task/files/records/written.js';
import { opened, touch, type Opened } from './opened.js';

const CLAIM = ['wf:ship'];
const spec = (key: string, node = 'implement') => ({ node, title: `${key}:${node}`, description: 'Do it.' });

/** A ticket as somebody opened it, and as it is after the engine worked on it. */
async function worked(stage: Opened, repo: TaskRepo) {
  const key = await stage.makeTicket({ title: 'Fix the login' });
  const opened = await stage.text(key);
  await repo.claim({ key, labels: CLAIM });
  const { implement = '' } = await repo.ensureMailboxes({ ticket: key, mailboxes: [spec(key)] });
  const mailboxOpened = await stage.text(implement);
  await repo.transition({ ticket: key, transition: { parentStatus: 'In Progress', taskStatus: 'In Progress' }, mailbox: implement, assignee: 'Bo' });
  await repo.addComment({ key, marker: 'run:cancellation', body: 'Run canceled: no.' });
  await repo.addComment({ key: implement, marker: 'v1:summary', body: 'It is fixed.' });
  return { key, opened, implement, mailboxOpened };
}

test('what a person makes of the instructions of a mailbox stays until there are others', async () => {
  const stage = await opened();
  const { key, implement } = await worked(stage, await stage.open({ stateDir: stage.state }));
  await stage.save(implement, (await stage.text(implement)).replace('Do it.', 'Do it, but leave the tests alone.'));
  const repo = await stage.open({ stateDir: stage.state });
  const instructions = async () => (await stage.look(key)).mailboxes.map(({ description }) => description);
  await repo.ensureMailboxes({ ticket: key, mailboxes: [spec(key)] });
  expect(await instructions()).toEqual(['Do it, but leave the tests alone.']);
  for (let index = 0; index < 2; index += 1) await repo.ensureMailboxes({ ticket: key, mailboxes: [{ ...spec(key), description: 'Do something else.' }] });
  expect(await instructions()).toEqual(['Do something else.']);
});

describe('a save over what we wrote', () => {
  test.each(['in memory', 'after a restart', 'after a restart, without ever having polled'])('is noticed %s, and both are kept', async (when) => {
    const stage = await opened();
    const options = when === 'in memory' ? {} : { stateDir: stage.state };
    const first = await stage.open(options);
    const { key, opened: old, implement, mailboxOpened } = await worked(stage, first);
    if (!when.includes('without')) await stage.poll(first);
    await stage.save(key, old.replace('is to be done', 'is to be done by Friday'));
    await stage.save(implement, mailboxOpened.replace('Do it.', 'Do it well.'));
    const repo = when === 'in memory' ? first : await stage.open(options);
    stage.later();
    expect(await stage.poll(repo)).toEqual([key]);
    const seen = await stage.look(key);
    expect([seen.status, seen.labels, seen.description]).toEqual(['In Progress', CLAIM, 'Fix the login is to be done by Friday.']);
    expect(seen.comments).toEqual(['Run canceled: no.\n\n<!-- run:cancellation -->']);
    expect(seen.mailboxes.map(({ status, description, comments }) => [status, description, comments])).toEqual([['In Progress', 'Do it well.', ['It is fixed.\n\n<!-- v1:summary -->']]]);
    // The poll that put it back shows it.
    const [ticket] = await repo.poll({ signal: AbortSignal.timeout(10_000) });
    expect([ticket?.status, ticket?.labels]).toEqual(['In Progress', CLAIM]);
    const settled = await stage.text(key);
    stage.later();
    await stage.poll(repo);
    expect(await stage.text(key)).toBe(settled);
  });

  test('is not taken for one while it may still be going on', async () => {
    const stage = await opened();
    const saved = new Date();
    let ahead = 0;
    const repo = await stage.open({ clock: { now: () => saved.getTime() + ahead } });
    const { key, opened: old } = await worked(stage, repo);
    await stage.save(key, old);
    await touch(stage.path(key), saved);
    await stage.poll(repo);
    expect(await stage.text(key)).toBe(old);
    ahead = 10_000;
    await stage.poll(repo);
    expect((await stage.look(key)).labels).toEqual(CLAIM);
  });

  test('that sets back the status alone is answered once; the second time it is meant', async () => {
    const stage = await opened();
    const repo = await stage.open({ stateDir: stage.state });
    const { key } = await worked(stage, repo);
    for (const expected of ['In Progress', 'To Do', 'To Do']) {
      await stage.edit(key, { status: 'To Do' });
      stage.later();
      await stage.poll(repo);
      expect((await stage.look(key)).status).toBe(expected);
    }
    await repo.transition({ ticket: key, transition: { parentStatus: 'Done' } });
    await stage.edit(key, { status: 'To Do' });
    stage.later();
    await stage.poll(repo);
    expect((await stage.look(key)).status).toBe('Done');
  });

  test('with a status that we never saw is a word of a person', async () => {
    const stage = await opened();
    const repo = await stage.open();
    const { key } = await worked(stage, repo);
    await stage.edit(key, { status: 'Waiting', labels: [] });
    stage.later();
    await stage.poll(repo);
    const { status, labels } = await stage.look(key);
    expect([status, labels]).toEqual(['Waiting', CLAIM]);
    await stage.edit(key, { status: 'In Progress' });
    await stage.edit(key, { status: 'To Do' });
    stage.later();
    await stage.poll(repo);
    expect((await stage.look(key)).status).toBe('To Do');
  });

  test('of a ticket that is done keeps it done, and so unclaimed work does not begin again', async () => {
    const stage = await opened();
    const repo = await stage.open({ stateDir: stage.state });
    const { key, opened: old } = await worked(stage, repo);
    await repo.transition({ ticket: key, transition: { parentStatus: 'Done' } });
    await stage.save(key, old);
    stage.later();
    expect(await stage.poll(await stage.open({ stateDir: stage.state }))).toEqual([]);
    expect((await stage.look(key)).status).toBe('Done');
  });

  test('of which another server made use to claim the ticket leaves it to that', async () => {
    const stage = await opened();
    const [ours, theirs] = [['wf-owner:ship:a', 'wf:ship'], ['wf-owner:ship:b', 'wf:ship']];
    const [one, other] = [await stage.open(), await stage.open()];
    const key = await stage.makeTicket({ title: 'Fix the login' });
    const old = await stage.text(key);
    await one.claim({ key, labels: ours });
    await stage.save(key, old);
    expect((await other.claim({ key, labels: theirs })).labels).toEqual(theirs);
    expect((await one.claim({ key, labels: ours })).labels).toEqual(theirs);
    stage.later();
    for (const repo of [one, other]) await stage.poll(repo);
    expect((await stage.look(key)).labels).toEqual(theirs);
  });

  test('of a broken file waits until it is corrected', async () => {
    const stage = await opened();
    const repo = await stage.open();
    const { key, opened: old } = await worked(stage, repo);
    await stage.save(key, old.replace('title:', 'title: ['));
    stage.later();
    expect(await stage.poll(repo)).toEqual([]);
    await stage.save(key, old);
    stage.later();
    expect(await stage.poll(repo)).toEqual([key]);
    expect((await stage.look(key)).labels).toEqual(CLAIM);
  });
});

describe('mailboxes', () => {
  test('that were deleted are made again as they were', async () => {
    const stage = await opened();
    const repo = await stage.open();
    const { key } = await worked(stage, repo);
    const before = await stage.look(key);
    await rm(join(stage.directory, key), { recursive: true });
    stage.later();
    await stage.poll(repo);
    expect(await stage.look(key)).toEqual(before);
  });

  test('that a person renamed are not made again', async () => {
    const stage = await opened();
    const repo = await stage.open();
    const { key, implement } = await worked(stage, repo);
    await rename(stage.path(implement), stage.path(`${key}/renamed`));
    stage.later();
    await stage.poll(repo);
    expect(await readdir(join(stage.directory, key))).toEqual(['renamed.md']);
  });

  test('that cannot be written are a problem of their own', async () => {
    const stage = await opened();
    const repo = await stage.open();
    const { key, implement } = await worked(stage, repo);
    const other = await stage.makeTicket({ title: 'Other' });
    await rm(stage.path(implement));
    await mkdir(stage.path(implement));
    stage.later();
    expect(await stage.poll(repo)).toEqual([key, other]);
    await utimes(stage.path(implement), new Date('2026-01-01'), new Date('2026-01-01'));
    expect(await stage.poll(repo)).toEqual([key, other]);
    expect(repo.problems?.().map(({ where }) => where)).toEqual([`${implement}.md`]);
  });
});

describe('the record', () => {
  test('of a ticket that was deleted is dropped, so that another of its name begins without it', async () => {
    const stage = await opened();
    const repo = await stage.open({ stateDir: stage.state });
    const { key, opened: old } = await worked(stage, repo);
    await rm(stage.path(key));
    await rm(join(stage.directory, key), { recursive: true });
    await stage.poll(repo);
    stage.later(30_000);
    await stage.poll(repo);
    stage.later(40_000);
    await stage.poll(repo);
    await stage.save(key, old);
    stage.later();
    await stage.poll(repo);
    expect(await stage.text(key)).toBe(old);
  });

  test('outlives a ticket that is away for a moment, as in a save that deletes first', async () => {
    const stage = await opened();
    const repo = await stage.open();
    const { key, opened: old } = await worked(stage, repo);
    await rm(stage.path(key));
    await stage.poll(repo);
    await stage.save(key, old);
    stage.later();
    await stage.poll(repo);
    expect((await stage.look(key)).labels).toEqual(CLAIM);
  });

  test.each(['', '{', '{"labels":7}', '[]'])('that reads %j is none', async (content) => {
    const stage = await opened();
    const repo = await stage.open({ stateDir: stage.state });
    const { key } = await worked(stage, repo);
    const [folder = ''] = await readdir(stage.state);
    const file = join(stage.state, folder, `${key}.json`);
    expect(await readdir(dirname(file))).toEqual([`${key}.json`]);
    await writeFile(file, content);
    const again = await stage.open({ stateDir: stage.state });
    stage.later();
    expect(await stage.poll(again)).toEqual([key]);
    expect(await again.addComment({ key, marker: 'v2:summary', body: 'x' })).toEqual({ added: true });
  });

  test('of one folder is not that of another', async () => {
    const [one, other] = [await opened(), await opened()];
    const key = await one.makeTicket({ title: 'A' });
    expect(await other.makeTicket({ title: 'A' })).toBe(key);
    await (await one.open({ stateDir: one.state })).claim({ key, labels: CLAIM });
    const repo = await other.open({ stateDir: one.state });
    other.later();
    await other.poll(repo);
    expect((await other.look(key)).labels).toEqual([]);
  });
});

describe('what is lost', () => {
  const status = statusSet(statusSet(undefined, 'To Do', 'In Progress'), 'Review', 'Done');
  const written = { labels: ['a', 'b'], status, comments: [{ marker: 'm', at: 'x', body: 'y' }] };
  const all = { status: 'Done', labels: ['b', 'c', 'a'], markers: ['m'] };
  test.each([
    ['nothing', all, {}, status],
    ['a label', { ...all, labels: ['b'] }, { labels: ['a'] }, status],
    ['a comment', { ...all, markers: [] }, { comments: written.comments }, status],
    ['a status, which was replaced', { ...all, status: 'Review' }, { status: 'Done' }, { ...status, again: true }],
    ['an older status', { ...all, status: 'To Do' }, { status: 'Done' }, { ...status, again: true }],
    ['a status of ours from before', { ...all, status: 'In Progress' }, { status: 'Done' }, { ...status, again: true }],
    ['not a new status', { ...all, status: 'Waiting' }, {}, undefined],
    ['a label, under a new status', { ...all, status: 'Waiting', labels: [] }, { labels: ['a', 'b'] }, undefined],
  ])('%s', (_, found, lost, remembered) => {
    expect(compare(written, found)).toEqual({ lost: { labels: [], comments: [], ...lost }, ...(remembered === undefined ? {} : { status: remembered }) });
  });
});
