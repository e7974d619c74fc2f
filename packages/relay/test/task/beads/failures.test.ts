import { describe, expect, it } from 'vitest';
import { bdError, failureOf } from '../../../src/task/beads/failure.js';
import { scene, specs } from './scene.js';

const said = (stderr: string, stdout = '') => ({ exitCode: 1, stdout, stderr, timedOut: false });

/** What `bd` and the databases below it say, and what is made of it. */
const WORDS: readonly (readonly [code: string, kind: string, words: readonly string[]])[] = [
  ['task_auth', 'auth', [
    'Error: failed to connect: Error 1045 (28000): Access denied for user \'relay\'@\'%\'', 'authentication failed', 'Error: password required: set BEADS_DOLT_PASSWORD', '{"error":"access denied","code":"ACCESS_DENIED"}', 'unauthorized',
    // In one breath with the connection, the credentials are what a person must see to.
    'connection refused by policy: access denied',
  ]],
  ['task_unavailable', 'transient', [
    'dial tcp 127.0.0.1:3307: connect: connection refused', 'Error: i/o timeout', 'context deadline exceeded', 'timed out waiting for the database', 'Error: database is locked', 'could not acquire lock: lock held by pid 77',
    'another process holds the lock', 'driver: bad connection', '{\n  "error": "could not open the database",\n  "code": "LOCK_HELD"\n}', 'read: connection reset by peer', 'network is unreachable', 'unexpected EOF', '{"error":"try again","code":"DATABASE_LOCKED"}', 'timeout: database not found in time',
  ]],
  ['task_permission', 'permission', ['open .beads/dolt: permission denied', 'read-only file system']],
  ['task_missing', 'missing', [
    'Error: no issue found matching "app-9"', 'issue not found: app-9', '{"error":"no such issue","code":"not_found"}', 'Syncing…\n{"error":"gone","code":"ISSUE_NOT_FOUND"}', 'could not resolve app-9', '{"error":"gone","code":"ISSUE_NOT_FOUND"}', 'app-9 does not exist',
  ]],
  ['task_missing', 'missing', ['Error: no beads database found', 'database "app" not found', 'Error 1049: Unknown database \'app\'', 'workspace is not initialized; run bd init']],
  ['task_conflict', 'conflict', ['app-9 is already closed', 'cannot close app-9: blocked by open issues', '{"error":"invalid status transition","code":"PRECONDITION"}', 'already claimed by Ana']],
  ['task_rejected', 'terminal', ['Error: unknown flag: --label-pattern', 'unknown shorthand flag: \'x\' in -x', 'something else went wrong', '', '{"error":"something else"}']],
];

describe('what bd says when it fails', () => {
  it.each(WORDS.flatMap(([code, kind, words]) => words.map((text) => [text, code, kind] as const)))('%j is %s', (text, code, kind) => {
    for (const answer of [said(text), ...(text.startsWith('{') ? [{ ...said('', text), exitCode: 0 }] : [])]) {
      const failure = failureOf(answer);
      const error = failure === undefined ? expect.fail('it is no failure') : bdError(failure, { verb: 'update', about: 'app-9', workspace: '/w/.beads' });
      expect([error.code, error.kind]).toEqual([code, kind]);
      expect(error.text).toMatch(/^\S.*\.$/s);
      expect(error.text).toContain('app-9');
      expect(error.hint).toMatch(/\.$/);
    }
  });

  it('that has ended well, or was ended, is not looked for in its words', () => {
    expect(failureOf({ exitCode: 0, stdout: '[{"id":"app-1","title":"database is locked"}]', stderr: 'warning: access denied to telemetry', timedOut: false })).toBeUndefined();
    expect(failureOf({ exitCode: 0, stdout: '{"id":"app-1","error":"a field of a newer version"}', stderr: '', timedOut: false })).toBeUndefined();
    expect(failureOf({ stdout: '', stderr: 'no issue found', timedOut: false })?.cause).toBe('unavailable');
    expect(failureOf({ stdout: '', stderr: '', timedOut: true })?.cause).toBe('unavailable');
    // Its time was over when it had just ended.
    expect(failureOf({ exitCode: 0, stdout: '', stderr: '', timedOut: true })).toBeUndefined();
  });

  it('is not misread because of the names that people gave', () => {
    for (const name of ['lock-12', 'access-denied', 'timeout', 'authentication-7']) {
      expect(failureOf(said(`Error: no issue found matching "${name}"`), [name])?.cause).toBe('no-issue');
    }
    expect(failureOf(said('open /home/locked/.beads: no issue found'), ['/home/locked/.beads'])?.cause).toBe('no-issue');
  });
});

describe('errors', () => {
  it('never have arguments, texts or what bd said in them', async () => {
    const at = scene({ BEADS_DOLT_PASSWORD: 'secret-word' });
    const repo = await at.open();
    const { ticket, implement } = await at.withMailboxes(repo);
    const secrets = ['secret-word', 'words-of-a-person', 'somebody@example.com', 'label-word'];
    const calls = [
      () => repo.addComment({ key: implement, marker: 'v1:summary', body: 'words-of-a-person' }),
      () => repo.ensureMailboxes({ ticket, mailboxes: [...specs(ticket, 'words-of-a-person', 'somebody@example.com'), { node: 'third', title: `${ticket}:third`, description: 'words-of-a-person' }] }),
      () => repo.claim({ key: ticket, labels: ['label-word'] }),
      () => repo.transition({ ticket, mailbox: implement, transition: repo.lifecycleDefault('work'), assignee: 'somebody@example.com' }),
    ];
    for (const text of ['connection refused secret-word', 'access denied secret-word', 'permission denied secret-word', 'not found secret-word', 'already closed secret-word', 'unknown flag secret-word', 'secret-word']) {
      for (const call of calls) {
        at.failNext({ text, echo: true });
        const error = await call().then(() => expect.fail('it succeeded'), (reason: unknown) => reason as Error & { toJSON: () => unknown });
        const told = `${error.message} ${error.stack ?? ''} ${JSON.stringify(error.toJSON())} ${JSON.stringify(error.cause ?? '')}`;
        for (const secret of secrets) expect(told).not.toContain(secret);
        expect(error.message).toContain(ticket);
      }
    }
  });

  it('that speak of a list name the workspace', async () => {
    const at = scene();
    const repo = await at.open();
    at.failNext({ text: 'database is locked', verbs: ['list'] });
    await expect(repo.poll({ signal: AbortSignal.timeout(30_000) })).rejects.toMatchObject({ code: 'task_unavailable', text: expect.stringContaining(at.workspace) as string });
  });

  it('name the credential and never its value', async () => {
    const at = scene({ BEADS_DOLT_PASSWORD: 'secret-word' });
    at.failNext({ text: 'Access denied for user relay (using password: secret-word)', verbs: ['list'] });
    await expect(at.open()).rejects.toMatchObject({ code: 'task_auth', hint: expect.stringContaining('BEADS_DOLT_PASSWORD') as string });
  });
});

describe('what somebody removed', () => {
  it('is a conflict when it was a mailbox of the ticket, and missing when it was the ticket', async () => {
    const at = scene();
    const repo = await at.open();
    const { ticket, implement, review } = await at.withMailboxes(repo);
    at.change(({ issues }) => void delete issues[implement]);
    const transition = repo.lifecycleDefault('work');
    for (const call of [() => repo.transition({ ticket, mailbox: implement, transition }), () => repo.reopenMailboxes({ ticket, mailboxes: [review, implement] }), () => repo.resetForRecovery({ ticket, mailboxes: [implement] })]) {
      await expect(call()).rejects.toMatchObject({ code: 'task_conflict', text: `The mailbox ${implement} of ${ticket} does not exist any more.`, hint: expect.stringContaining('restart') as string });
    }
    // What the hint promises.
    const made = await repo.ensureMailboxes({ ticket, mailboxes: specs(ticket) });
    expect(made['implement']).not.toBe(implement);
    await repo.transition({ ticket, mailbox: made['implement'] ?? '', transition });
    at.change(({ issues }) => void delete issues[ticket]);
    await expect(repo.transition({ ticket, transition })).rejects.toMatchObject({ code: 'task_missing' });
  });

  it('is said of a mailbox that was given to another ticket', async () => {
    const at = scene();
    const repo = await at.open();
    const { ticket, implement } = await at.withMailboxes(repo);
    const another = await at.makeTicket({ title: 'Another' });
    at.set(implement, { parent: another });
    await expect(repo.transition({ ticket, mailbox: implement, transition: repo.lifecycleDefault('work') })).rejects.toMatchObject({ code: 'task_conflict', text: `The mailbox ${implement} of ${ticket} is a child of ${another} now.`, hint: `Make ${ticket} its parent again.` });
  });
});
