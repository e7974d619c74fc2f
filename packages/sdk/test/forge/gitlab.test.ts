import { describe, expect, it } from 'vitest';
import type { FlowsError } from '../../src/errors/flows-error.js';
import { sayingOf } from '../../src/forge/gitlab/refusal.js';
import { gitLabStage } from './stage.js';

const OPENING = { branch: 'feature', title: 'Fix it', body: 'Closes #4' };
const error = (code: string, text: RegExp, hint: RegExp) => expect.objectContaining({ code, text: expect.stringMatching(text) as string, hint: expect.stringMatching(hint) as string }) as FlowsError;
const refusal = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) => ({ kind: 'answer', answer: { status, body, headers } }) as const;

describe('what GitLab refuses', () => {
  it.each([
    ['a bad token', refusal(401, { message: '401 Unauthorized' }), 'forge_unauthenticated', /token from GITLAB_TOKEN: 401 Unauthorized/, /valid into GITLAB_TOKEN/],
    ['a scope', refusal(403, { error: 'insufficient_scope', error_description: 'The request requires higher privileges than provided by the access token.', scope: 'api' }), 'forge_refused', /higher privileges/, /scope api/],
    ['an unknown project', refusal(404, { message: '404 Project Not Found' }), 'forge_refused', /no project group\/sub group\/tower/, /remote origin/],
    ['a project that moved', refusal(301, undefined, { location: 'https://gitlab.example/api/v4/projects/1' }), 'forge_refused', /in another place: https:/, /set-url/],
  ])('%s', async (_what, mischief, code, text, hint) => {
    const { fake, forge } = await gitLabStage();
    fake.http.next(mischief);
    await expect((await forge()).find({ branch: 'feature' })).rejects.toEqual(error(code, text, hint));
  });

  it.each([
    ['a branch that is not there', { branch: 'gone' }, /source_branch does not exist/],
    ['a base that is not there', { base: 'gone' }, /refuses: Target branch "gone" does not exist/],
    ['a title that is too long', { title: 'x'.repeat(256) }, /title is too long/],
  ])('%s', async (_what, members, text) => {
    const { forge } = await gitLabStage();
    await expect((await forge()).open({ ...OPENING, ...members })).rejects.toEqual(error('forge_refused', text, /./));
  });

  it('the token of a job', async () => {
    const { fake, env, forge } = await gitLabStage();
    const { GITLAB_TOKEN: _none, ...rest } = env;
    const job = { ...rest, CI_JOB_TOKEN: fake.jobToken, CI_SERVER_URL: `http://127.0.0.1:${fake.http.port}` };
    await expect((await forge(job)).open(OPENING)).rejects.toEqual(error('forge_unauthenticated', /token of the CI job: 404/, /access token with the scope api into GITLAB_TOKEN/));
    await expect(forge(rest)).rejects.toEqual(error('forge_unauthenticated', /no credentials for GitLab at 127\.0\.0\.1/, /GITLAB_TOKEN/));
  });

  it('a reviewer who may not see the project, whom it leaves out without a word', async () => {
    const { forge } = await gitLabStage();
    const gitLab = await forge();
    await gitLab.open(OPENING);
    await expect(gitLab.requestReview({ branch: 'feature', reviewer: 'outsider' })).rejects.toEqual(error('forge_refused', /did not take outsider/, /member/));
  });

  it.each([
    [{ message: '403 Forbidden' }, '403 Forbidden'],
    [{ message: ['Another open merge request already exists for this source branch: !5'] }, 'Another open merge request already exists for this source branch: !5'],
    [{ message: { base: ['Target branch "x" does not exist'], title: ["can't be blank", 'is too short'] } }, `Target branch "x" does not exist: title can't be blank: title is too short`],
    [{ error: 'title is missing' }, 'title is missing'],
    [{ error: 'invalid_token', error_description: 'Token was revoked.' }, 'Token was revoked.'],
    ['<html></html>', ''],
    [undefined, ''],
  ])('%j says %s', (body, said) => {
    expect(sayingOf(body)).toBe(said);
  });
});

describe('texts on GitLab', () => {
  it('execute nothing', async () => {
    const { fake, forge } = await gitLabStage();
    const gitLab = await forge();
    await gitLab.open({ ...OPENING, body: '/merge\n\nCloses #4\n```\n/usr/bin/node\n```' });
    await gitLab.comment({ branch: 'feature', body: 'Done.\n/approve' });
    await gitLab.comment({ branch: 'feature', body: 'Done.\n/approve' });
    expect(fake.requests[0]).toMatchObject({ description: '\\/merge\n\nCloses #4\n```\n/usr/bin/node\n```', notes: ['Done.\n\\/approve'] });
  });

  it('a draft is a mark in front of the title', async () => {
    const { fake, forge } = await gitLabStage();
    const gitLab = await forge();
    await expect(gitLab.open({ ...OPENING, draft: true })).resolves.toMatchObject({ title: 'Fix it', draft: true });
    expect(fake.requests[0]?.title).toBe('Draft: Fix it');
    await gitLab.ready({ branch: 'feature' });
    expect(fake.requests[0]?.title).toBe('Fix it');
  });
});

describe('a GitLab that fails', () => {
  it('is asked again, and opens nothing twice', async () => {
    const { fake, forge, waits } = await gitLabStage();
    fake.http.next(refusal(429, 'Retry later', { 'retry-after': '3' }), { creating: true });
    fake.http.next({ kind: 'lose answer' }, { creating: true });
    await expect((await forge()).open(OPENING)).resolves.toMatchObject({ created: true, number: 1 });
    expect(fake.requests.length).toBe(1);
    expect(waits[0]).toBe(3_000);
  });
});
