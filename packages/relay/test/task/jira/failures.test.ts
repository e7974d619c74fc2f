import { inspect } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { JiraCredentials } from '../../../src/host/credentials.js';
import { RETRIES, retryAfterMs, waitMs } from '../../../src/task/jira/client/retry.js';
import { createJiraTaskSystem } from '../../../src/task/jira/index.js';
import type { RelayError } from '../../../src/errors/relay-error.js';
import { TOKEN, type FakeJira, type Trouble } from './fake/server.js';
import { ME } from './fake/site.js';
import { bindingOf, newTaskSystem, refusal, SETTINGS, soon, specs, type JiraStage } from './stage.js';
import { staged } from './staged.js';

const on = staged();
/** Requests arrive when the machine has time for them. */
const PATIENCE = { timeout: 60_000 };
afterEach(() => vi.restoreAllMocks());

const answer = (status: number, message = 'Something.', headers: Readonly<Record<string, string>> = {}): Trouble => ({ kind: 'answer', answer: { status, headers, body: { errorMessages: [message], errors: {} } } });
const LOGIN = '<!DOCTYPE html><html><body>Log in</body></html>';
const loginPage: Trouble = { kind: 'raw', status: 200, headers: { 'content-type': 'text/html' }, body: LOGIN };

describe('an answer', () => {
  it.each([
    [400, 'Something.', 'task_rejected', 'terminal'],
    [400, 'It seems that you have tried to perform an illegal workflow operation.', 'task_conflict', 'conflict'],
    [401, 'Something.', 'task_auth', 'auth'],
    [403, 'Something.', 'task_permission', 'permission'],
    [404, 'Something.', 'task_missing', 'missing'],
    [409, 'Something.', 'task_conflict', 'conflict'],
    [412, 'Something.', 'task_conflict', 'conflict'],
    [413, 'Something.', 'task_rejected', 'terminal'],
    [410, 'Something.', 'task_rejected', 'terminal'],
    [429, 'Something.', 'task_unavailable', 'transient'],
    [500, 'Something.', 'task_unavailable', 'transient'],
    [503, 'Something.', 'task_unavailable', 'transient'],
  ])('%i (%s) is %s', async (status, message, code, kind) => {
    const { jira, repo } = await on();
    const { key } = jira.site.add({ summary: 'Fix it' });
    jira.trouble(`GET issue/${key}/comment`, answer(status, message), 9);
    const error = await refusal(repo.markers({ key }));
    expect([error.code, error.kind]).toEqual([code, kind]);
    expect(error.text).toContain(key);
    expect(error.text).toContain(message);
    expect(error.hint).toMatch(/^[A-Z].*\.$|`$/);
    if (status === 404) expect(error.text).toMatch(/no such thing, or does not show it/);
    if (status === 401) expect(error.hint).toContain('relay-flow task auth');
  });

  it.each<[string, Trouble, string?]>([
    ['a login page with 200', loginPage, 'a web page instead of JSON'],
    ['a login page with 302', { kind: 'raw', status: 302, headers: { location: 'https://id.example.com/login?token=abc' }, body: '' }, 'a redirect (302)'],
    ['text that is no JSON', { kind: 'raw', status: 200, headers: { 'content-type': 'application/json' }, body: '{"issues": [' }],
    ['something else', { kind: 'answer', answer: { status: 200, body: { nothing: 'of it' } } }],
    ['nothing', { kind: 'answer', answer: { status: 200 } }],
    ['more than 16 MiB', { kind: 'raw', status: 200, headers: { 'content-type': 'application/json' }, body: function* huge() { for (let index = 0; index < 17; index += 1) yield ' '.repeat(1024 * 1024); } }, 'more than 16 MiB'],
  ])('of %s is malformed, and asked for once', async (_, trouble, says = 'with') => {
    const { jira, repo } = await on();
    jira.trouble('POST search/jql', trouble, 9);
    const from = jira.seen.length;
    const error = await refusal(repo.poll({ signal: soon() }));
    expect(error.code).toBe('task_malformed');
    expect(error.text).toMatch(/^Jira answered with .* when asked for the tickets of APP in component app\.$/);
    expect(error.text).toContain(says);
    expect(error.text).not.toContain('token=');
    expect(jira.seen.length - from).toBe(1);
  });

  it('with a login page is no success of a write', async () => {
    const { jira, repo } = await on();
    const { key } = jira.site.add({ summary: 'Fix it' });
    jira.trouble(`PUT issue/${key}`, loginPage);
    expect((await refusal(repo.claim({ key, labels: ['wf:ship'] }))).code).toBe('task_malformed');
  });

  it('with long words is cut to 2048 characters, and everything secret is taken out before', async () => {
    const { jira, repo } = await on();
    const { key } = jira.site.add({ summary: 'Fix it' });
    const basic = Buffer.from(`${ME.email}:${TOKEN}`).toString('base64');
    const said = `${ME.email.toUpperCase()} ${encodeURIComponent(TOKEN)} Basic ${basic} ${'x'.repeat(1_950)} ${TOKEN} ${'y'.repeat(9_000)}`;
    jira.trouble(`GET issue/${key}/comment`, { kind: 'answer', answer: { status: 400, body: { errorMessages: [said], errors: { summary: `not ${TOKEN}` } } } });
    const error = await refusal(repo.markers({ key }));
    expect(error.text.length).toBeLessThan(2_048 + 200);
    expect(error.text).toContain('[hidden] [hidden] Basic [hidden] xxx');
    expectNoSecrets(error);
  });
});

/** Nothing of the credentials in anything that can be shown or logged. */
function expectNoSecrets(error: RelayError): void {
  const shown = [error.message, error.stack, JSON.stringify(error), JSON.stringify(error.toJSON()), inspect(error, { depth: 9, showHidden: true }), inspect(error.cause, { depth: 9 })].join('\n').toLowerCase();
  for (const secret of [TOKEN, TOKEN.slice(0, 14), encodeURIComponent(TOKEN), ME.email, Buffer.from(`${ME.email}:${TOKEN}`).toString('base64')]) expect(shown.includes(secret.toLowerCase()), `it gives away ${secret}`).toBe(false);
}

describe('trying again', () => {
  const reads: readonly [string, string, (stage: JiraStage, key: string) => Promise<unknown>][] = [
    ['a read', 'GET issue/', ({ repo }, key) => repo.view({ key })],
    ['a search', 'POST search/jql', ({ repo }) => repo.poll({ signal: soon() })],
    ['an edit', 'PUT issue/', ({ repo }, key) => repo.claim({ key, labels: ['wf:ship'] })],
    ['comments', 'GET issue/', ({ repo }, key) => repo.markers({ key })],
  ];
  it.each(reads)('%s is made up to five times after 5xx and lost connections', async (_, start, act) => {
    const stage = await on();
    const { jira, waits } = stage;
    const { key } = jira.site.add({ summary: 'Fix it' });
    for (const trouble of [answer(503), { kind: 'cut' } satisfies Trouble, answer(500), { kind: 'lost' } satisfies Trouble]) jira.trouble(start, trouble);
    const from = jira.seen.length;
    await act(stage, key);
    expect(jira.count(start, from)).toBeGreaterThanOrEqual(1 + RETRIES);
    expect(waits).toEqual([400, 800, 1_600, 3_200]);
    jira.trouble(start, answer(503), 99);
    expect((await refusal(act(stage, key.replace(key, jira.site.add({ summary: 'x' }).key)))).code).toBe('task_unavailable');
  });

  it('a create is sent once after 5xx and lost connections', async () => {
    for (const trouble of [answer(503), { kind: 'cut' }, { kind: 'lost' }] satisfies Trouble[]) {
      const { jira, repo, waits } = await on();
      const { key } = jira.site.add({ summary: 'Fix it' });
      jira.trouble(`POST issue/${key}/comment`, trouble, 9);
      expect((await refusal(repo.addComment({ key, marker: 'v', body: 'x' }))).code).toBe('task_unavailable');
      expect(jira.count(`POST issue/${key}/comment`)).toBe(1);
      jira.trouble('POST issue/bulk', trouble, 9);
      await repo.ensureMailboxes({ ticket: key, mailboxes: specs(key) }).catch(() => undefined);
      expect(jira.count('POST issue/bulk')).toBe(1);
      jira.trouble(`POST issue/${key}/transitions`, trouble, 9);
      expect((await refusal(repo.transition({ ticket: key, transition: { parentStatus: 'Building' } }))).code).toBe('task_unavailable');
      expect(jira.count(`POST issue/${key}/transitions`)).toBe(1);
      expect(waits).toEqual([]);
    }
  });

  it('a create that came too often is sent again, when Jira says', async () => {
    const { jira, repo, waits } = await on();
    const { key } = jira.site.add({ summary: 'Fix it' });
    jira.trouble(`POST issue/${key}/comment`, answer(429, 'Too many', { 'retry-after': '3', 'ratelimit-reason': 'jira-per-issue-on-write' }), 2);
    await repo.addComment({ key, marker: 'v', body: 'x' });
    expect(waits).toEqual([3_000, 3_000]);
    expect(jira.site.get(key).comments).toHaveLength(1);
  });

  it('a 5xx may say when, too, and may say it as a date', async () => {
    const { jira, repo, waits, clock } = await on();
    const { key } = jira.site.add({ summary: 'Fix it' });
    jira.trouble(`GET issue/${key}`, answer(503, 'Later', { 'retry-after': new Date(clock.at + 7_000).toUTCString() }));
    await repo.view({ key });
    expect(waits).toEqual([7_000]);
  });

  it('a long wait is left to the engine, with the time that Jira asked for', async () => {
    const { jira, repo, waits } = await on();
    const { key } = jira.site.add({ summary: 'Fix it' });
    jira.trouble(`GET issue/${key}`, answer(429, 'Too many', { 'retry-after': '120', 'ratelimit-reason': 'jira-quota-based' }));
    const error = await refusal(repo.view({ key }));
    expect([error.kind, error.retryAfterMs, error.evidence['reason']]).toEqual(['transient', 120_000, 'jira-quota-based']);
    expect(waits).toEqual([]);
  });

  it('ends when the call is given up', async () => {
    const { jira, repo } = await on();
    jira.trouble('POST search/jql', { kind: 'silence' });
    const call = new AbortController();
    const polled = refusal(repo.poll({ signal: call.signal }));
    const seen = jira.seen.length;
    await vi.waitUntil(() => jira.seen.length > seen, PATIENCE);
    call.abort();
    expect((await polled).code).toBe('task_unavailable');
  });

  it('reads what Retry-After says, and waits as long at least', () => {
    const now = Date.parse('2026-11-30T12:00:00Z');
    expect([retryAfterMs(null, now), retryAfterMs('5', now), retryAfterMs('0.5', now), retryAfterMs('Mon, 30 Nov 2026 12:00:09 GMT', now), retryAfterMs('Mon, 30 Nov 2026 11:00:00 GMT', now), retryAfterMs('soon', now), retryAfterMs('-4', now)])
      .toEqual([undefined, 5_000, 500, 9_000, 0, undefined, undefined]);
    expect([waitMs(1, 5_000, 0), waitMs(1, 5_000, 0.999), waitMs(3, undefined, 0), waitMs(3, undefined, 0.999)]).toEqual([5_000, 5_499, 1_600, 2_399]);
  });
});

describe('the connection', () => {
  it('needs credentials, and an address that begins with https unless it is this machine', () => {
    const make = (site: string) => () => createJiraTaskSystem({ credentials: new JiraCredentials({ site, email: 'a@b.c', token: 't' }) });
    expect(() => createJiraTaskSystem({ credentials: undefined })).toThrow('There are no credentials for Jira.');
    for (const site of ['http://acme.atlassian.net', 'http://127.0.0.1.example.com', 'ftp://localhost', 'acme', 'http://[::2]']) expect(make(site), site).toThrow('begins with https://');
    for (const site of ['https://acme.atlassian.net', 'http://127.0.0.1:8080', 'http://localhost:8080']) expect(make(site), site).not.toThrow();
  });

  it('carries the headers of every request', async () => {
    const { jira, repo } = await on();
    await repo.claim({ key: jira.site.add({ summary: 'Fix it' }).key, labels: ['wf:ship'] });
    const basic = `Basic ${Buffer.from(`${ME.email}:${TOKEN}`).toString('base64')}`;
    expect(jira.seen.every(({ headers }) => headers.authorization === basic && headers.accept === 'application/json')).toBe(true);
    expect(jira.seen.filter(({ body }) => body !== undefined).every(({ headers }) => headers['content-type'] === 'application/json')).toBe(true);
  });

  it('has at most 20 requests under way', async () => {
    const { jira, repo } = await on();
    const keys = Array.from({ length: 60 }, () => jira.site.add({ summary: 'x' }).key);
    let release!: () => void;
    jira.hold = new Promise((resolve) => {
      release = resolve;
    });
    const views = Promise.all(keys.map((key) => repo.view({ key })));
    await vi.waitUntil(() => jira.atOnce.now === 20, PATIENCE);
    release();
    await views;
    expect(jira.atOnce.most).toBe(20);
  });

  it('writes to one issue come one after another', async () => {
    const { jira, repo } = await on();
    const { key } = jira.site.add({ summary: 'Fix it' });
    let release!: () => void;
    jira.hold = new Promise((resolve) => {
      release = resolve;
    });
    const added = Promise.all(Array.from({ length: 8 }, (_, index) => repo.addComment({ key, marker: `v${index % 4}`, body: 'x' })));
    await vi.waitUntil(() => jira.atOnce.now > 0, PATIENCE);
    // Time for the others to arrive, if they did not wait.
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
    expect(jira.atOnce.now).toBe(1);
    release();
    expect((await added).filter((one) => one.added)).toHaveLength(4);
    expect(jira.site.get(key).comments).toHaveLength(4);
  });

  it('that is closed gives up what is under way', async () => {
    const { jira, tasks, repo } = await on();
    const { key } = jira.site.add({ summary: 'Fix it' });
    jira.trouble(`GET issue/${key}`, { kind: 'silence' });
    const seen = jira.seen.length;
    const viewed = refusal(repo.view({ key }));
    await vi.waitUntil(() => jira.seen.length > seen, PATIENCE);
    await tasks.close();
    expect((await viewed).text).toContain('it was given up');
  });

  it('that is refused says so without secrets', async () => {
    const { jira } = await on();
    const tasks = newTaskSystem(jira);
    await jira.close();
    const error = await refusal(tasks.openRepo(bindingOf(SETTINGS)));
    expect(error.code).toBe('task_unavailable');
    expect(error.text).toMatch(/^Jira could not be asked for the account of the credentials: (ECONNREFUSED|ECONNRESET)\.$/);
    expectNoSecrets(error);
  });
});

describe('the probe', () => {
  const cases: readonly [string, (jira: FakeJira) => void, string][] = [
    ['a wrong token', (jira) => jira.trouble('GET myself', answer(401, `no ${TOKEN}`), 9), 'task_auth'],
    ['no permission', (jira) => jira.trouble('GET myself', answer(403, 'captcha', { 'x-seraph-loginreason': 'AUTHENTICATION_DENIED' }), 9), 'task_permission'],
    ['a login page', (jira) => jira.trouble('GET myself', loginPage, 9), 'task_malformed'],
    ['a redirect', (jira) => jira.trouble('GET myself', { kind: 'raw', status: 302, headers: { location: jira.url }, body: '' }, 9), 'task_malformed'],
    ['a failure', (jira) => jira.trouble('GET myself', answer(503), 9), 'task_unavailable'],
    ['too many requests', (jira) => jira.trouble('GET myself', answer(429, 'x', { 'retry-after': '1' }), 9), 'task_unavailable'],
  ];
  it.each(cases)('finds %s with one request', async (_, arrange, code) => {
    const { jira, waits } = await on();
    const tasks = newTaskSystem(jira);
    arrange(jira);
    const from = jira.seen.length;
    const error = await refusal(tasks.probe({ repos: [], signal: soon() }));
    expect(error.code).toBe(code);
    expect([jira.seen.length - from, waits]).toEqual([1, []]);
    expectNoSecrets(error);
  });

  it('gives up after five seconds', async () => {
    const { jira, tasks } = await on();
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    await tasks.probe({ repos: [], signal: new AbortController().signal });
    expect(timeout.mock.calls).toEqual([[5_000]]);
    timeout.mockReturnValue(AbortSignal.abort(new DOMException('x', 'TimeoutError')));
    expect((await refusal(tasks.probe({ repos: [], signal: new AbortController().signal }))).text).toContain('there was no answer within 5 s');
    expect(jira.complaints).toEqual([]);
  });
});
