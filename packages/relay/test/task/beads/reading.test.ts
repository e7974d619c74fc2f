import { describe, expect, it } from 'vitest';
import { readAnswer, rowsOf } from '../../../src/task/beads/answer.js';
import { polledKeys, scene, specs, type Behavior } from './scene.js';

describe('what bd prints', () => {
  it.each([
    ['a list', '[{"id":"a"}]', [{ id: 'a' }]],
    ['an object', '{"id":"a"}', { id: 'a' }],
    ['nothing', 'null\n', null],
    ['lines before it', 'Syncing…\nbd 1.3 is available\n[{"id":"a"}]\n', [{ id: 'a' }]],
    ['lines before it that look like the beginning of an answer', '[sync] done\n{fast}\n  {"id":"a"}', { id: 'a' }],
    ['several lines', 'Notice\n[\n  {\n    "id": "a"\n  }\n]\n', [{ id: 'a' }]],
    ['lines before null', 'Notice\nnull', null],
    ['no answer', 'Everything is fine.', undefined],
    ['no words', '', undefined],
    ['the beginning of an answer', '[{"id":"a"},', undefined],
    ['an answer that is cut in the middle of its last row', '[\n{"id":"a"},\n{"id":"b"', undefined],
  ])('is read when it is %s', (_, stdout, value) => {
    expect(readAnswer(stdout)).toEqual(value);
  });

  it('does not take long when it is nonsense', () => {
    expect(readAnswer('[\n'.repeat(200_000))).toBeUndefined();
  });

  it.each([
    [[{ id: 'a' }], [{ id: 'a' }]],
    [{ id: 'a' }, [{ id: 'a' }]],
    [{ schema_version: 2, items: [{ id: 'a' }] }, [{ id: 'a' }]],
    [{ schema_version: 2, items: null }, []],
    [null, []],
    [[], []],
    ['word', undefined],
    [{ items: 'word' }, undefined],
  ])('has rows in %j', (answer, rows) => {
    expect(rowsOf(answer)).toEqual(rows);
  });
});

describe('a ticket goes its way whichever version answers', () => {
  it.each<[string, Behavior]>([
    ['lists in an envelope', { wrap: true }],
    ['one row as an object', { bareObjects: true, compact: true }],
    ['show as an object', { showObject: true }],
    ['null for no comments', { nullLists: true }],
    ['lines before the answer', { notices: true }],
    ['failures as JSON', { jsonErrors: true }],
    ['dependencies without states', { plainEdges: true }],
    ['children among parents', { childrenAnyway: true }],
    ['children that tell their parent only among dependencies, among parents', { childrenAnyway: true, noParentKey: true }],
    ['no --allow-empty-description', { old: true }],
  ])('%s', async (_, behavior) => {
    const at = scene();
    at.behave(behavior);
    const repo = await at.open();
    const first = await at.makeTicket({ title: 'First' });
    const second = await at.makeTicket({ title: 'Second', blockedBy: [first] });
    expect(await polledKeys(repo)).toEqual([first]);
    expect((await repo.view({ key: second }))?.blocked).toBe(true);
    expect(await repo.view({ key: 'app-99' })).toBeUndefined();
    await repo.claim({ key: first, labels: ['wf:ship'] });
    const mailboxes = [...specs(first), { node: 'wait', title: `${first}:wait`, description: '' }];
    const keys = await repo.ensureMailboxes({ ticket: first, mailboxes });
    expect(await repo.ensureMailboxes({ ticket: first, mailboxes })).toEqual(keys);
    const mailbox = keys['implement'] ?? '';
    for (const point of ['start', 'work', 'complete', 'work', 'complete'] as const) await repo.transition({ ticket: first, transition: repo.lifecycleDefault(point), ...(point === 'start' ? {} : { mailbox }) });
    await expect(repo.addComment({ key: mailbox, marker: 'v1:summary', body: 'Done.' })).resolves.toEqual({ added: true });
    await expect(repo.addComment({ key: mailbox, marker: 'v1:summary', body: 'Done.' })).resolves.toEqual({ added: false });
    expect(await polledKeys(repo)).toEqual([first]);
    await repo.transition({ ticket: first, transition: repo.lifecycleDefault('end') });
    expect((await repo.view({ key: second }))?.blocked).toBe(false);
    expect(await polledKeys(repo)).toEqual([second]);
    expect(await at.look(first)).toMatchObject({ status: 'closed', mailboxes: [{ status: 'closed', comments: ['Done.\n\n<!-- v1:summary -->'] }, { status: 'open' }, { description: '' }] });
  });

  it('an answer that cannot be read is said to be one, and what it was about is found by the next call', async () => {
    const at = scene();
    const repo = await at.open();
    const ticket = await at.makeTicket({ title: 'Fix the login' });
    at.behave({ garbage: true });
    for (const call of [() => repo.view({ key: ticket }), () => repo.markers({ key: ticket }), () => repo.ensureMailboxes({ ticket, mailboxes: specs(ticket) })]) {
      await expect(call()).rejects.toMatchObject({ code: 'task_malformed', kind: 'malformed', text: expect.stringContaining(ticket) as string });
    }
    await expect(polledKeys(repo)).rejects.toMatchObject({ code: 'task_malformed', text: '`bd list` gave an answer that cannot be read.' });
  });

  it('a row without what a ticket needs is such an answer', async () => {
    const at = scene();
    const repo = await at.open();
    at.set(await at.makeTicket({ title: 'Fix the login' }), { title: '' });
    await expect(polledKeys(repo)).rejects.toMatchObject({ code: 'task_malformed' });
  });
});
