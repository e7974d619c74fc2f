import { describe, expect, it } from 'vitest';
import type { FlowsError } from '../../src/errors/flows-error.js';
import { readAnswer } from '../../src/forge/github/gh.js';
import { sayingOf } from '../../src/forge/github/refusal.js';
import { GITHUB_TOKEN } from './fakes/github.js';
import { closedPort, gitHubStage, withGh } from './stage.js';

const OPENING = { branch: 'feature', title: 'Fix it', body: 'Fixes #4' };
const error = (code: string, text: RegExp, hint: RegExp) => expect.objectContaining({ code, text: expect.stringMatching(text) as string, hint: expect.stringMatching(hint) as string }) as FlowsError;
const refusal = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) => ({ kind: 'answer', answer: { status, body, headers } }) as const;

describe('what GitHub refuses', () => {
  it.each([
    ['a bad token', refusal(401, { message: 'Bad credentials' }), 'forge_unauthenticated', /refuses the credentials from GH_ENTERPRISE_TOKEN: Bad credentials\./, /valid into GH_ENTERPRISE_TOKEN/],
    ['a missing permission', refusal(403, { message: 'Resource not accessible by personal access token' }), 'forge_refused', /Resource not accessible/, /permissions to write contents and pull requests/],
    ['a workflow', refusal(403, { message: 'GitHub Actions is not permitted to create or approve pull requests.' }), 'forge_refused', /not permitted/, /settings of the repository/],
    ['single sign-on', refusal(403, { message: 'Resource protected by organization SAML enforcement.' }, { 'x-github-sso': 'required; url=https://github.example/orgs/octo/sso' }), 'forge_refused', /SAML/, /https:\/\/github\.example\/orgs\/octo\/sso/],
    ['an unknown repository', refusal(404, { message: 'Not Found' }), 'forge_refused', /no repository octo\/tower, or does not show it/, /remote origin/],
    ['a page of something in between', refusal(403, '<html><body>Blocked by policy</body></html>'), 'forge_refused', /refuses \(status 403\)/, /permissions/],
  ])('%s', async (_what, mischief, code, text, hint) => {
    const { fake, forge } = await gitHubStage();
    fake.http.next(mischief);
    await expect((await forge()).find({ branch: 'feature' })).rejects.toEqual(error(code, text, hint));
  });

  it.each([
    ['a branch that is not there', { branch: 'gone' }, /Validation Failed: PullRequest head invalid\./, /git push/],
    ['a base that is not there', { base: 'gone' }, /PullRequest base invalid/, /base that exists/],
    ['nothing to merge', { branch: 'main' }, /No commits between main and main/, /base lacks/],
    ['a title that is too long', { title: 'x'.repeat(257) }, /title is too long/, /its message asks for/],
  ])('%s', async (_what, members, text, hint) => {
    const { forge } = await gitHubStage();
    await expect((await forge()).open({ ...OPENING, ...members })).rejects.toEqual(error('forge_refused', text, hint));
  });

  it('a review by the author', async () => {
    const { fake, forge } = await gitHubStage();
    const { open, requestReview } = await forge();
    await open(OPENING);
    await expect(requestReview({ branch: 'feature', reviewer: fake.author })).rejects.toEqual(error('forge_refused', /cannot be requested from pull request author/, /./));
  });

  it('an answer that holds the token is not repeated with it', async () => {
    const { fake, forge } = await gitHubStage();
    fake.http.next(refusal(403, { message: `The token ${GITHUB_TOKEN} may not do this` }));
    const failure = await (await forge()).find({ branch: 'feature' }).catch((reason: unknown) => reason as FlowsError);
    expect(failure).toEqual(error('forge_refused', /may not do this/, /./));
    expect(JSON.stringify(failure)).not.toContain(GITHUB_TOKEN);
  });

  it.each([
    [{ message: 'Validation Failed', errors: [{ resource: 'PullRequest', code: 'custom', message: 'A pull request already exists for a:b.' }] }, 'Validation Failed: A pull request already exists for a:b.'],
    [{ message: 'Validation Failed', errors: ['Something\n odd'] }, 'Validation Failed: Something odd'],
    [{ errors: [{ type: 'FORBIDDEN', message: 'No' }] }, 'No'],
    ['plain text', 'plain text'],
    ['<!DOCTYPE html><html></html>', ''],
    [undefined, ''],
  ])('%j says %s', (body, said) => {
    expect(sayingOf(body)).toBe(said);
  });
});

describe('whose pull request it is', () => {
  it('one of a fork with a branch of the same name is not ours', async () => {
    const { fake, forge } = await gitHubStage();
    fake.add({ head: 'feature', from: 99 });
    const gitHub = await forge();
    expect(await gitHub.find({ branch: 'feature' })).toBeUndefined();
    await expect(gitHub.open({ ...OPENING, base: 'develop' })).resolves.toMatchObject({ created: true, number: 2 });
  });

  it('of several, the one for the base that is named, else the newest', async () => {
    const { fake, forge } = await gitHubStage();
    fake.add({ head: 'feature', base: 'develop' });
    fake.add({ head: 'feature', base: 'main' });
    const gitHub = await forge();
    expect((await gitHub.find({ branch: 'feature' }))?.number).toBe(2);
    await expect(gitHub.open({ ...OPENING, base: 'develop' })).resolves.toMatchObject({ created: false, number: 1, base: 'develop' });
  });

  it('one that exists and never shows is what GitHub says, in the end', async () => {
    const { fake, forge } = await gitHubStage();
    fake.http.next(refusal(422, { message: 'Validation Failed', errors: [{ message: 'A pull request already exists for octo:feature.' }] }), { creating: true, times: 9 });
    await expect((await forge()).open(OPENING)).rejects.toEqual(error('forge_refused', /already exists/, /./));
  });
});

describe('a repository without drafts', () => {
  it('has its change opened ready', async () => {
    const { fake, forge } = await gitHubStage();
    fake.hasDrafts = false;
    const gitHub = await forge();
    await expect(gitHub.open({ ...OPENING, draft: true })).resolves.toMatchObject({ created: true, draft: false });
    await expect(gitHub.open({ ...OPENING, draft: true })).resolves.toMatchObject({ created: false, draft: false });
    await expect(gitHub.draft({ branch: 'feature' })).rejects.toEqual(error('forge_refused', /not supported/, /./));
  });
});

describe('a GitHub that fails', () => {
  it('is asked again until it answers', async () => {
    const { fake, forge, waits } = await gitHubStage();
    fake.http.next(refusal(502, '<html>Bad gateway</html>'), { times: 3 });
    await expect((await forge()).find({ branch: 'feature' })).resolves.toBeUndefined();
    expect(waits).toEqual([500, 1_000, 2_000]);
  });

  it('is given up after a while', async () => {
    const { fake, forge, waits } = await gitHubStage();
    fake.http.next(refusal(503, { message: 'Unavailable' }), { times: 20 });
    await expect((await forge()).find({ branch: 'feature' })).rejects.toEqual(error('forge_unreachable', /failing: it answers with status 503/, /later/));
    expect(waits.length).toBe(5);
  });

  it('creates nothing twice when it fails in the middle', async () => {
    const { fake, forge } = await gitHubStage();
    fake.http.next(refusal(500, undefined), { creating: true, times: 2 });
    fake.http.next({ kind: 'lose answer' }, { creating: true });
    await expect((await forge()).open(OPENING)).resolves.toMatchObject({ created: true, number: 1 });
    expect(fake.pulls.length).toBe(1);
  });

  it('is given up when each answer is lost', async () => {
    const { fake, forge } = await gitHubStage();
    fake.http.next({ kind: 'lose answer' }, { times: 20 });
    await expect((await forge()).find({ branch: 'feature' })).rejects.toEqual(error('forge_unreachable', /cannot be reached: other side closed/, /HTTPS_PROXY/));
  });

  it('is waited for when it asks for a pause, and the request was not carried out', async () => {
    const { fake, forge, waits } = await gitHubStage();
    fake.http.next(refusal(403, { message: 'You have exceeded a secondary rate limit.' }, { 'retry-after': '17' }), { creating: true });
    await expect((await forge()).open(OPENING)).resolves.toMatchObject({ created: true });
    expect(waits).toEqual([17_000]);
  });

  it('is not waited for as long as an hour', async () => {
    const { fake, forge, waits } = await gitHubStage();
    const date = new Date(Date.UTC(2026, 10, 30));
    fake.http.next(refusal(403, { message: 'API rate limit exceeded' }, { 'date': date.toUTCString(), 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(date.getTime() / 1_000 + 3_599) }));
    const limited = error('forge_limited', /no more requests of this user before 2026-11-30T01:00:00/, /Wait/);
    await expect((await forge()).find({ branch: 'feature' })).rejects.toEqual(limited);
    expect(waits).toEqual([]);
  });

  it('that is not there says how the network is reached', async () => {
    const { clone, forge } = await gitHubStage();
    clone.git('remote', 'set-url', 'origin', `http://127.0.0.1:${await closedPort()}/octo/tower.git`);
    await expect((await forge()).open(OPENING)).rejects.toEqual(error('forge_unreachable', /GitHub at 127\.0\.0\.1 cannot be reached: connect ECONNREFUSED/, /Behind a proxy, name it in HTTPS_PROXY/));
  });
});

describe('gh', () => {
  it('lends its token', async () => {
    const stage = await gitHubStage();
    await expect((await stage.forge(withGh(stage, { gives: true }))).open(OPENING)).resolves.toMatchObject({ created: true });
    expect(stage.fake.http.requests.every(({ headers }) => headers['user-agent']?.startsWith('relayflows'))).toBe(true);
  });

  it('sends the requests where it lends none', async () => {
    const stage = await gitHubStage();
    const forge = await stage.forge(withGh(stage));
    await expect(forge.open({ ...OPENING, draft: true })).resolves.toMatchObject({ created: true, draft: true });
    await expect(forge.ready({ branch: 'feature' })).resolves.toMatchObject({ draft: false });
    expect(stage.fake.http.requests.every(({ headers }) => headers['user-agent']?.startsWith('GitHub CLI'))).toBe(true);
  });

  it('is not asked where a variable holds a token', async () => {
    const stage = await gitHubStage();
    await (await stage.forge({ ...withGh(stage, { token: 'wrong', gives: true }), GH_ENTERPRISE_TOKEN: GITHUB_TOKEN })).open(OPENING);
    expect(stage.fake.pulls.length).toBe(1);
  });

  it('that is not signed in is no credentials', async () => {
    const stage = await gitHubStage();
    await expect(stage.forge(withGh(stage, { token: '' }))).rejects.toEqual(error('forge_unauthenticated', /no credentials for GitHub at 127\.0\.0\.1/, /GH_ENTERPRISE_TOKEN, or sign in with `gh auth login --hostname 127\.0\.0\.1:\d+`/));
  });

  it('that is signed in with what GitHub refuses says so', async () => {
    const stage = await gitHubStage();
    await expect((await stage.forge(withGh(stage, { token: 'revoked' }))).find({ branch: 'feature' })).rejects.toEqual(error('forge_unauthenticated', /credentials from gh: Bad credentials/, /gh auth login/));
  });

  it('without a network says what it says', async () => {
    const stage = await gitHubStage();
    const env = { ...withGh(stage), FAKE_GH_STATUS: 'timeout', FAKE_GH_SERVER: `http://127.0.0.1:${await closedPort()}` };
    await expect((await stage.forge(env)).find({ branch: 'feature' })).rejects.toEqual(error('forge_unreachable', /gh says error connecting to 127\.0\.0\.1/, /network/));
  });

  it.each([
    ['HTTP/2.0 200 OK\nContent-Type: application/json\r\nX-A: b: c\r\n\r\n{"a":1}', { status: 200, headers: { 'content-type': 'application/json', 'x-a': 'b: c' }, body: { a: 1 } }],
    ['HTTP/1.1 204 No Content\nX-A: b\r\n\r\n', { status: 204, headers: { 'x-a': 'b' }, body: undefined }],
    ['HTTP/2.0 502 Bad Gateway\r\nA: b\r\n\r\n<html>\n\nx', { status: 502, headers: { a: 'b' }, body: '<html>\n\nx' }],
    ['gh: something else', undefined],
    ['', undefined],
  ])('prints %j', (printed, answer) => {
    expect(readAnswer(printed)).toEqual(answer && { kind: 'answer', ...answer });
  });
});
