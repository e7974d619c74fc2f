import { execFileSync } from 'node:child_process';
import { chmod, link, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { circles } from '../../../src/task/files/circles.js';
import { refuses } from '../../../src/task/conformance/scenario.js';
import { opened, touch } from './opened.js';
import { withoutRoot } from '../../without-root.js';

const ticket = (more = '') => `---\ntitle: A\nstatus: To Do\n${more}---\nText.\n`;
const CLAIM = ['wf:ship'];

describe('what is in the folder', () => {
  test('is named when it cannot be a ticket, and stops no other', async () => {
    const { directory, save, open, poll } = await opened();
    await save('APP-1', ticket());
    await save('APP-2', '---\ntitle: [\n---\n');
    await save('notes', '# Just notes\n');
    await save('empty', '');
    for (const name of ['a.b', 'ä', 'a b', '-a', 'x'.repeat(101), 'a:b', 'A~1']) await save(name, ticket());
    await symlink('APP-1.md', join(directory, 'LINK-1.md'));
    await symlink('/etc/passwd', join(directory, 'LINK-2.md'));
    await symlink('nobody@nowhere.1:1', join(directory, '.#APP-1.md'));
    execFileSync('mkfifo', [join(directory, 'PIPE-1.md')]);
    await mkdir(join(directory, 'FOLDER-1.md'));
    await writeFile(join(directory, 'picture.png'), 'x');
    await writeFile(join(directory, '.hidden.md'), ticket());
    const repo = await open();
    expect(await poll(repo)).toEqual(['APP-1']);
    const problems = repo.problems?.() ?? [];
    expect(problems.map(({ where }) => where).sort()).toEqual(['-a.md', 'A~1.md', 'APP-2.md', 'LINK-1.md', 'LINK-2.md', 'PIPE-1.md', 'a b.md', 'a.b.md', 'a:b.md', 'empty.md', 'notes.md', `${'x'.repeat(101)}.md`, 'ä.md'].sort());
    for (const { text, hint } of problems) expect([text, hint]).toEqual([expect.stringMatching(/^\S.*\.$/), expect.stringMatching(/\.$/)]);
    for (const key of ['APP-2', 'notes', 'LINK-1', 'LINK-2', 'PIPE-1']) {
      for (const call of [() => repo.view({ key }), () => repo.claim({ key, labels: CLAIM }), () => repo.addComment({ key, marker: 'v1', body: 'x' })]) await refuses('task_conflict', call());
    }
    for (const key of ['../APP-1', 'APP-1/../APP-1', 'a.b', '', '/etc/passwd', 'README', 'APP-1.md', '.hidden', 'APP-1/x']) {
      expect(await repo.view({ key })).toBe(undefined);
      await refuses('task_missing', repo.claim({ key, labels: CLAIM }));
    }
    await save('APP-2', ticket());
    expect(await poll(repo)).toEqual(['APP-1', 'APP-2']);
    expect(repo.problems?.().some(({ where }) => where === 'APP-2.md')).toBe(false);
  });

  test('is read in the order of its keys, and a title may be missing', async () => {
    const { save, open } = await opened();
    for (const key of ['APP-10', 'APP-9', 'b', 'A_1']) await save(key, '---\n---\n');
    const tickets = await (await open()).poll({ signal: AbortSignal.timeout(10_000) });
    expect(tickets.map(({ key, title, status, done }) => [key, title, status, done])).toEqual(['A_1', 'APP-9', 'APP-10', 'b'].map((key) => [key, key, 'To Do', false]));
  });

  test('tickets that wait for each other are told of, once for all of them, until one is claimed or done', async () => {
    const { save, open, poll } = await opened();
    await save('A-1', ticket('blockedBy: [A-2]\n'));
    await save('A-2', ticket('blockedBy: [A-3, A-5]\n'));
    await save('A-3', ticket('blockedBy: [A-1, A-2]\n'));
    await save('A-4', ticket('blockedBy: [A-1]\n'));
    await save('A-5', ticket());
    const repo = await open();
    expect(await poll(repo)).toEqual(['A-5']);
    const said = () => (repo.problems?.() ?? []).map(({ where, text }) => [where, text]);
    expect(said()).toEqual([['A-1.md', 'A-1 waits for A-2, which waits for A-3, which waits for A-1: none of them can begin.']]);
    await save('A-1', ticket('blockedBy: [A-4]\n'));
    await poll(repo);
    expect(said()).toEqual([
      ['A-1.md', 'A-1 waits for A-4, which waits for A-1: none of them can begin.'],
      ['A-2.md', 'A-2 waits for A-3, which waits for A-2: none of them can begin.'],
    ]);
    await save('A-2', ticket('blockedBy: [A-3, A-5]\nlabels: [wf:ship]\n'));
    await save('A-4', '---\nstatus: Done\nblockedBy: [A-1]\n---\n');
    expect(await poll(repo)).toEqual(['A-1', 'A-2', 'A-5']);
    expect(said()).toEqual([]);
    for (let index = 1; index <= 12; index += 1) await save(`B-${index}`, ticket(`blockedBy: [B-${(index % 12) + 1}]\n`));
    await poll(repo);
    expect(said()).toEqual([['B-1.md', expect.stringMatching(/^B-1 waits for B-2, .* for B-10, which waits for … \(2 more\), which waits for B-1: none of them can begin\.$/)]]);
  });

  test('a long chain of tickets that wait takes no long time', async () => {
    const chain = new Map(Array.from({ length: 20_000 }, (_, index) => [`A-${index}`, [`A-${index + 1}`]]));
    expect(circles(chain)).toEqual([]);
    chain.set('A-20000', ['A-0']);
    expect(circles(chain).map(({ length }) => length)).toEqual([20_002]);
  });

  test('a ticket that waits for what does not exist, is broken, or for itself, is blocked, and that is said', async () => {
    const { save, open, poll } = await opened();
    await save('A-1', ticket('blockedBy: [A-9]\n'));
    await save('A-2', ticket('blockedBy: [A-3, A-4]\n'));
    await save('A-3', '---\nbroken: [\n---\n');
    await save('A-4', '---\nstatus: done\n---\n');
    await save('A-5', ticket('blockedBy: A-5\n'));
    await save('A-6', ticket('blockedBy: ["../A-4"]\n'));
    await save('A-7', ticket('blockedBy: A-4\n'));
    const repo = await open();
    expect(await poll(repo)).toEqual(['A-7']);
    expect(repo.problems?.().map(({ text }) => text)).toEqual([
      'A-1 waits for A-9, which does not exist.',
      expect.stringMatching(/^A-3\.md has front matter that is not YAML \(line 3: .*\)\.$/),
      'A-5 waits for itself.',
      'A-6 waits for ../A-4, which does not exist.',
    ]);
    for (const key of ['A-1', 'A-2', 'A-5', 'A-6']) expect((await repo.view({ key }))?.blocked).toBe(true);
  });

  test('statuses are the words of the repository', async () => {
    const { save, open, poll, look } = await opened({ start: 'Offen', end: 'Erledigt' });
    await save('A-1', '---\nstatus: Erledigt\n---\n');
    await save('A-2', '---\nstatus: Done\n---\n');
    const repo = await open();
    expect(await poll(repo)).toEqual(['A-2']);
    expect(['start', 'work', 'complete', 'end'].map((point) => repo.lifecycleDefault(point as 'start'))).toEqual([{ parentStatus: 'Offen' }, { parentStatus: 'In Progress', taskStatus: 'In Progress' }, { taskStatus: 'Erledigt' }, { parentStatus: 'Erledigt' }]);
    await repo.transition({ ticket: 'A-2', transition: { parentStatus: 'Warten: auf #1' } });
    expect((await look('A-2')).status).toBe('Warten: auf #1');
    await refuses('task_config_invalid', repo.validate({ filters: {}, templates: {}, own: {}, transitionTo: { parentStatus: 'a\nb' } }));
  });

  test('a folder that is gone is missing, not empty', async () => {
    const { directory, open, poll, save } = await opened();
    await save('A-1', ticket());
    const repo = await open();
    await repo.claim({ key: 'A-1', labels: CLAIM });
    await rename(directory, `${directory}-away`);
    await refuses('task_missing', repo.poll({ signal: AbortSignal.timeout(10_000) }));
    await refuses('task_missing', repo.claim({ key: 'A-1', labels: CLAIM }));
    await rename(`${directory}-away`, directory);
    expect(await poll(repo)).toEqual(['A-1']);
  });
});

describe('what is written', () => {
  test('keeps mode and everything else, and leaves nothing behind', async () => {
    const { directory, path, save, open, text } = await opened();
    const before = `---\n# Ana's\ntitle:  'A'\nweird: { a:  1 }\n\nlabels:\n- bug   # x\n---\nText  \n\n\n* list\n`;
    await save('A-1', before);
    await chmod(path('A-1'), 0o640);
    const repo = await open();
    await repo.claim({ key: 'A-1', labels: CLAIM });
    await repo.transition({ ticket: 'A-1', transition: { parentStatus: 'In Progress' } });
    expect(await text('A-1')).toBe(before.replace('- bug   # x\n', '- bug   # x\n- wf:ship\nstatus: In Progress\n'));
    expect((await stat(path('A-1'))).mode & 0o7777).toBe(0o640);
    await repo.ensureMailboxes({ ticket: 'A-1', mailboxes: [{ node: 'review', title: 'A-1:review', description: 'Look.' }] });
    expect((await readdir(directory)).sort()).toEqual(['A-1', 'A-1.md', 'README.md']);
    expect(await readdir(join(directory, 'A-1'))).toEqual(['review.md']);
    expect(await text('A-1/review')).toBe('---\ntitle: A-1:review\nstatus: To Do\n---\n\nLook.\n');
  });

  test('what is there already is not written at all', async () => {
    const { path, save, open } = await opened();
    await save('A-1', ticket('labels: [wf:ship]\n'));
    await touch(path('A-1'), new Date('2026-01-01'));
    const { ino } = await stat(path('A-1'));
    const repo = await open();
    await repo.claim({ key: 'A-1', labels: CLAIM });
    await repo.transition({ ticket: 'A-1', transition: { parentStatus: 'To Do' } });
    expect([(await stat(path('A-1'))).ino, (await stat(path('A-1'))).mtime]).toEqual([ino, new Date('2026-01-01')]);
  });

  test('never goes through a symbolic link', async () => {
    const { directory, save, open, text } = await opened();
    await save('A-1', ticket());
    await mkdir(join(directory, '..', 'elsewhere'));
    await symlink('../elsewhere', join(directory, 'A-1'));
    const repo = await open();
    const mailboxes = [{ node: 'review', title: 'A-1:review', description: 'Look.' }];
    expect((await refuses('task_conflict', repo.ensureMailboxes({ ticket: 'A-1', mailboxes }))).text).toMatch(/symbolic link/);
    expect(await readdir(join(directory, '..', 'elsewhere'))).toEqual([]);
    await save('B-1', ticket());
    await mkdir(join(directory, 'B-1'));
    await save('../outside', ticket('x: kept\n'));
    await symlink('../../outside.md', join(directory, 'B-1', 'review.md'));
    await refuses('task_conflict', repo.ensureMailboxes({ ticket: 'B-1', mailboxes: [{ ...mailboxes[0]!, title: 'B-1:review' }] }));
    await refuses('task_conflict', repo.addComment({ key: 'B-1/review', marker: 'v1', body: 'x' }));
    expect(await text('../outside')).toBe(ticket('x: kept\n'));
  });

  test('a file of somebody else in the place of a mailbox is left alone', async () => {
    const { save, open, text } = await opened();
    await save('A-1', ticket());
    await save('A-1/review', '---\ntitle: My notes\n---\nMine.\n');
    const error = await refuses('task_conflict', (await open()).ensureMailboxes({ ticket: 'A-1', mailboxes: [{ node: 'review', title: 'A-1:review', description: 'Look.' }] }));
    expect(error.text).toBe('The file A-1/review.md is in the place of the mailbox A-1:review and has another title.');
    expect(await text('A-1/review')).toBe('---\ntitle: My notes\n---\nMine.\n');
  });

  test('a mailbox that a person renamed is found by its title', async () => {
    const { path, makeTicket, open } = await opened();
    const key = await makeTicket({ title: 'A' });
    const repo = await open();
    const mailboxes = [{ node: 'review', title: `${key}:review`, description: 'Look.' }];
    await repo.ensureMailboxes({ ticket: key, mailboxes });
    await rename(path(`${key}/review`), path(`${key}/second-look`));
    expect(await repo.ensureMailboxes({ ticket: key, mailboxes })).toEqual({ review: `${key}/second-look` });
    await refuses('task_rejected', repo.ensureMailboxes({ ticket: key, mailboxes: [{ node: '../x', title: `${key}:../x`, description: 'Look.' }] }));
  });

  test('a marker that could not be found again is refused', async () => {
    const { makeTicket, open } = await opened();
    const key = await makeTicket({ title: 'A' });
    const repo = await open();
    for (const marker of ['', 'a b', 'a-->', '<x', 'ä', 'a\nb']) await refuses('task_rejected', repo.addComment({ key, marker, body: 'x' }));
  });

  test('a folder that may not be written is a matter of permission', async () => {
    const { directory, save, open } = await opened();
    await save('A-1', ticket());
    const repo = await open();
    await withoutRoot(directory, async () => {
      await chmod(directory, 0o500);
      await refuses('task_permission', repo.claim({ key: 'A-1', labels: CLAIM })).finally(async () => await chmod(directory, 0o700));
    });
  });
});

describe('a poll', () => {
  test('sees a change that time and size do not show', async () => {
    const { path, save, open, poll } = await opened();
    await save('A-1', ticket());
    const old = new Date('2026-01-01');
    await touch(path('A-1'), old);
    const repo = await open();
    expect(await poll(repo)).toEqual(['A-1']);
    await writeFile(path('A-1'), ticket().replace('To Do', 'Done '));
    await touch(path('A-1'), old);
    expect(await poll(repo)).toEqual([]);
  });

  test('sees every one of many saves in a row', async () => {
    const { path, save, open } = await opened();
    await save('A-1', ticket());
    const repo = await open();
    for (let index = 100; index < 300; index += 1) {
      await writeFile(path('A-1'), ticket(`type: T${index}\n`));
      expect((await repo.poll({ signal: AbortSignal.timeout(10_000) }))[0]?.type).toBe(`T${index}`);
    }
  });

  test('a second name of a file is another ticket, and does not disturb the first', async () => {
    const { path, save, open, poll } = await opened();
    await save('A-1', ticket());
    await link(path('A-1'), path('A-2'));
    const repo = await open();
    await repo.claim({ key: 'A-1', labels: CLAIM });
    expect(await poll(repo)).toEqual(['A-1', 'A-2']);
    expect(await readFile(path('A-2'), 'utf8')).toBe(ticket());
  });
});
