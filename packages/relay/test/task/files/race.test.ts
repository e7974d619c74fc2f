import { appendFile, lstat, lutimes, mkdir, readdir, readlink, rm, rmdir, symlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { refuses } from '../../../src/task/conformance/scenario.js';
import { opened } from './opened.js';

const CLAIM = ['wf:ship'];

/** Acts once. */
function once(act: () => Promise<void>): () => Promise<void> {
  let done = false;
  return async () => {
    if (done) return;
    done = true;
    await act();
  };
}

describe('somebody saves while we write', () => {
  test.each(['replaces the file', 'writes into the file'])('and %s before ours is in place: both are kept', async (how) => {
    const stage = await opened();
    const key = await stage.makeTicket({ title: 'Fix the login' });
    const before = await stage.text(key);
    const theirs = before.replace('title: Fix the login', 'title: Fix the login form');
    const repo = await stage.open({ watch: { before: once(async () => (how === 'replaces the file' ? await stage.save(key, theirs) : await writeFile(stage.path(key), theirs))) } });
    const ticket = await repo.claim({ key, labels: CLAIM });
    expect([ticket.title, ticket.labels]).toEqual(['Fix the login form', CLAIM]);
    expect(await stage.text(key)).toBe(theirs.replace('type: Task\n', 'type: Task\nlabels: [wf:ship]\n'));
  });

  test('into the file that ours is just replacing: both are kept', async () => {
    const stage = await opened();
    const key = await stage.makeTicket({ title: 'Fix the login' });
    const theirs = (await stage.text(key)).replace('is to be done', 'is to be done by Friday').replace('status: To Do', 'status: Waiting');
    const repo = await stage.open({ watch: { compared: once(async () => await writeFile(stage.path(key), theirs)) } });
    expect(await repo.addComment({ key, marker: 'v1', body: 'Hello.' })).toEqual({ added: true });
    const text = await stage.text(key);
    expect(text.startsWith(theirs)).toBe(true);
    expect((await stage.look(key)).comments).toEqual(['Hello.\n\n<!-- v1 -->']);
  });

  test('with the same change: it is made once', async () => {
    const stage = await opened();
    const key = await stage.makeTicket({ title: 'Fix the login' });
    const other = await stage.open();
    const repo = await stage.open({ watch: { before: once(async () => await stage.edit(key, { labels: CLAIM })) } });
    await repo.claim({ key, labels: CLAIM });
    await other.claim({ key, labels: CLAIM });
    expect((await stage.look(key)).labels).toEqual(CLAIM);
  });

  test('and deletes the ticket: it stays deleted', async () => {
    const stage = await opened();
    const key = await stage.makeTicket({ title: 'Fix the login' });
    const repo = await stage.open({ watch: { before: once(async () => await rm(stage.path(key))) } });
    await refuses('task_missing', repo.claim({ key, labels: CLAIM }));
    expect(await readdir(stage.directory)).toEqual(['README.md']);
  });

  test('again and again: we give up, and theirs stays', async () => {
    const stage = await opened();
    const key = await stage.makeTicket({ title: 'Fix the login' });
    const repo = await stage.open({ watch: { before: async () => await appendFile(stage.path(key), 'More.\n') } });
    await refuses('task_unavailable', repo.claim({ key, labels: CLAIM }));
    const seen = await stage.look(key);
    expect([seen.labels, seen.description.match(/More\./g)?.length]).toEqual([[], 20]);
    expect((await readdir(stage.directory)).sort()).toEqual([`${key}.md`, 'README.md']);
  });

  test('and makes a mailbox of the same name: it is brought up to date', async () => {
    const stage = await opened();
    const key = await stage.makeTicket({ title: 'Fix the login' });
    const theirs = `---\ntitle: ${key}:review\nstatus: Waiting\n---\nTheirs.\n`;
    const repo = await stage.open({ watch: { before: once(async () => await stage.save(`${key}/review`, theirs)) } });
    expect(await repo.ensureMailboxes({ ticket: key, mailboxes: [{ node: 'review', title: `${key}:review`, description: 'Look.' }] })).toEqual({ review: `${key}/review` });
    expect(await stage.text(`${key}/review`)).toBe(theirs.replace('Theirs.', '\nLook.'));
  });
});

describe('a lock', () => {
  const lockOf = (directory: string, key: string) => join(directory, `.${key}.md.lock`);
  const DEAD = 2 ** 22 + 7;

  test('of a process that is gone is taken over, with what that left', async () => {
    const stage = await opened();
    const key = await stage.makeTicket({ title: 'Fix the login' });
    const token = '01234567-89ab-cdef-0123-456789abcdef';
    await symlink(`${hostname()}/${DEAD}/${token}`, lockOf(stage.directory, key));
    await writeFile(join(stage.directory, `.${key}.md.${token}.tmp`), 'half');
    await (await stage.open()).claim({ key, labels: CLAIM });
    expect((await readdir(stage.directory)).sort()).toEqual([`${key}.md`, 'README.md']);
  });

  test('is there for as long as what its holder left, so that another one finds both', async () => {
    const stage = await opened();
    const key = await stage.makeTicket({ title: 'Fix the login' });
    const token = '01234567-89ab-cdef-0123-456789abcdef';
    const left = join(stage.directory, `.${key}.md.${token}.tmp`);
    await symlink(`${hostname()}/${DEAD}/${token}`, lockOf(stage.directory, key));
    // Cannot be removed as a file.
    await mkdir(left);
    const repo = await stage.open();
    await expect(repo.claim({ key, labels: CLAIM })).rejects.toThrow();
    expect(await readlink(lockOf(stage.directory, key))).toContain(token);
    await rmdir(left);
    await writeFile(left, 'half');
    await repo.claim({ key, labels: CLAIM });
    expect((await readdir(stage.directory)).sort()).toEqual([`${key}.md`, 'README.md']);
  });

  test('of a living process is waited for', async () => {
    const stage = await opened();
    const key = await stage.makeTicket({ title: 'Fix the login' });
    const lock = lockOf(stage.directory, key);
    await symlink(`${hostname()}/${process.ppid}/token`, lock);
    const events: string[] = [];
    const claiming = (await stage.open()).claim({ key, labels: CLAIM }).then(() => events.push('claimed'));
    await stage.poll(await stage.open());
    events.push('released');
    await rm(lock);
    await claiming;
    expect(events).toEqual(['released', 'claimed']);
  });

  test.each([['elsewhere', -60_000], [hostname(), -60_000], ['elsewhere', 86_400_000]])('that is old, or of a time to come, is no lock, whoever holds it on %s (%i ms)', async (host, ms) => {
    const stage = await opened();
    const key = await stage.makeTicket({ title: 'Fix the login' });
    const lock = lockOf(stage.directory, key);
    await symlink(`${host}/${process.ppid}/token`, lock);
    await lutimes(lock, new Date(Date.now() + ms), new Date(Date.now() + ms));
    await (await stage.open()).claim({ key, labels: CLAIM });
    await expect(lstat(lock)).rejects.toThrow('ENOENT');
  });
});
