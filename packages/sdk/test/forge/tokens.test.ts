import { describe, expect, it } from 'vitest';
import { interfacesOf } from '../../src/forge/github/octokit.js';
import { tokenFor } from '../../src/forge/github/tokens.js';
import { gitLabToken } from '../../src/forge/gitlab/tokens.js';

const server = (host: string, port?: number) => ({ scheme: 'https', host, root: '', ...(port === undefined ? {} : { port }) }) as const;

describe('the token for a GitHub', () => {
  it.each([
    ['github.com', { GH_TOKEN: 'a', GITHUB_TOKEN: 'b' }, 'GH_TOKEN'],
    ['github.com', { GH_TOKEN: ' ', GITHUB_TOKEN: 'b' }, 'GITHUB_TOKEN'],
    ['acme.ghe.com', { GITHUB_TOKEN: 'b' }, 'GITHUB_TOKEN'],
    ['github.com', { GH_ENTERPRISE_TOKEN: 'a' }, undefined],
    ['github.example.com', { GH_TOKEN: 'a', GITHUB_TOKEN: 'b' }, undefined],
    ['github.example.com', { GH_TOKEN: 'a', GH_ENTERPRISE_TOKEN: 'e' }, 'GH_ENTERPRISE_TOKEN'],
    ['github.example.com', { GITHUB_ENTERPRISE_TOKEN: 'e' }, 'GITHUB_ENTERPRISE_TOKEN'],
    ['github.example.com', { GH_TOKEN: 'a', GH_HOST: 'github.example.com' }, 'GH_TOKEN'],
    ['github.example.com', { GITHUB_TOKEN: 'a', GITHUB_SERVER_URL: 'https://github.example.com' }, 'GITHUB_TOKEN'],
    ['github.example.com', { GITHUB_TOKEN: 'a', GITHUB_SERVER_URL: 'https://github.com' }, undefined],
    ['github.com', {}, undefined],
  ])('%s with %o', (host, env, from) => {
    expect(tokenFor(server(host), env)?.from).toBe(from);
  });

  it('is not that of another server of the same host', () => {
    expect(tokenFor(server('git.example.com', 9443), { GH_TOKEN: 'a', GH_HOST: 'git.example.com:8443' })).toBeUndefined();
  });
});

describe('the token for a GitLab', () => {
  it.each([
    ['gitlab.com', { GITLAB_TOKEN: 'a', CI_JOB_TOKEN: 'j', CI_SERVER_HOST: 'gitlab.com' }, { from: 'GITLAB_TOKEN', kind: 'access' }],
    ['gitlab.com', { CI_JOB_TOKEN: 'j', CI_SERVER_URL: 'https://gitlab.com' }, { from: 'CI_JOB_TOKEN', kind: 'job' }],
    ['gitlab.example.com', { CI_JOB_TOKEN: 'j', CI_SERVER_HOST: 'gitlab.com' }, undefined],
    ['gitlab.com', { CI_JOB_TOKEN: 'j' }, undefined],
    ['gitlab.com', {}, undefined],
  ])('%s with %o', (host, env, found) => {
    const token = gitLabToken(server(host), env);
    expect(token && { from: token.from, kind: token.kind }).toEqual(found);
  });
});

it.each([
  ['github.com', 'https://api.github.com', 'https://api.github.com/graphql'],
  ['acme.ghe.com', 'https://api.acme.ghe.com', 'https://api.acme.ghe.com/graphql'],
  ['github.example.com', 'https://github.example.com/api/v3', 'https://github.example.com/api/graphql'],
])('the interfaces of %s', (host, rest, graphql) => {
  expect(interfacesOf(server(host))).toEqual({ rest, graphql });
});
