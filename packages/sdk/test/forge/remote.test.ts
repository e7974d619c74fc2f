import { describe, expect, it } from 'vitest';
import { chooseForge, type ForgeQuestion } from '../../src/forge/remote/choose-forge.js';
import { parseRemote } from '../../src/forge/remote/parse-remote.js';

const hosted = (scheme: string, host: string, path: string, port?: number) => ({ kind: 'hosted', scheme, host, path, ...(port === undefined ? {} : { port }) });
const local = (path: string) => ({ kind: 'local', path });

describe('the address of a remote', () => {
  it.each([
    ['https://github.com/octo/tower.git', hosted('https', 'github.com', 'octo/tower')],
    ['https://github.com/octo/tower', hosted('https', 'github.com', 'octo/tower')],
    ['https://github.com/octo/tower/', hosted('https', 'github.com', 'octo/tower')],
    ['https://github.com//octo//tower.git/', hosted('https', 'github.com', 'octo/tower')],
    ['HTTPS://GitHub.COM/Octo/Tower.GIT', hosted('https', 'github.com', 'Octo/Tower')],
    ['https://x-access-token:ghs_abc@github.com/octo/tower.git', hosted('https', 'github.com', 'octo/tower')],
    ['https://ada@example.com:secret@git.example.com/octo/tower', hosted('https', 'git.example.com', 'octo/tower')],
    ['https://git.example.com:8443/octo/tower.git', hosted('https', 'git.example.com', 'octo/tower', 8443)],
    ['https://git.example.com:443/octo/tower.git', hosted('https', 'git.example.com', 'octo/tower')],
    ['http://git.example.com:80/octo/tower', hosted('http', 'git.example.com', 'octo/tower')],
    ['https://git.example.com:/octo/tower', hosted('https', 'git.example.com', 'octo/tower')],
    ['https://git.example.com./octo/tower', hosted('https', 'git.example.com', 'octo/tower')],
    ['https://[2001:DB8::1]:8443/octo/tower', hosted('https', '2001:db8::1', 'octo/tower', 8443)],
    ['https://gitlab.com/a/b/c/d.git', hosted('https', 'gitlab.com', 'a/b/c/d')],
    ['https://gitlab.com/my%20group/tower.git', hosted('https', 'gitlab.com', 'my group/tower')],
    ['https://gitlab.com/my group/tower.git', hosted('https', 'gitlab.com', 'my group/tower')],
    ['https://gitlab.com/100%/tower', hosted('https', 'gitlab.com', '100%/tower')],
    ['https://github.com/octo/tower.git?x=1#y', hosted('https', 'github.com', 'octo/tower')],
    ['https://github.com/octo/tower.github.io.git', hosted('https', 'github.com', 'octo/tower.github.io')],
    ['  https://github.com/octo/tower.git\n', hosted('https', 'github.com', 'octo/tower')],
    ['ssh://git@github.com/octo/tower.git', hosted('ssh', 'github.com', 'octo/tower')],
    ['ssh://git@github.com:22/octo/tower.git', hosted('ssh', 'github.com', 'octo/tower')],
    ['ssh://git@ssh.github.com:443/octo/tower.git', hosted('ssh', 'ssh.github.com', 'octo/tower', 443)],
    ['git+ssh://git@github.com/octo/tower', hosted('ssh', 'github.com', 'octo/tower')],
    ['ssh+git://github.com/octo/tower', hosted('ssh', 'github.com', 'octo/tower')],
    ['git://github.com/octo/tower.git', hosted('git', 'github.com', 'octo/tower')],
    ['git@github.com:octo/tower.git', hosted('ssh', 'github.com', 'octo/tower')],
    ['github.com:octo/tower', hosted('ssh', 'github.com', 'octo/tower')],
    ['git@github.com:/octo/tower.git', hosted('ssh', 'github.com', 'octo/tower')],
    ['org-123@github.com:octo/tower.git', hosted('ssh', 'github.com', 'octo/tower')],
    ['[git@git.example.com:2222]:octo/tower.git', hosted('ssh', 'git.example.com', 'octo/tower', 2222)],
    ['git@[git.example.com:2222]:octo/tower.git', hosted('ssh', 'git.example.com', 'octo/tower', 2222)],
    ['git@[2001:db8::1]:octo/tower.git', hosted('ssh', '2001:db8::1', 'octo/tower')],
    ['work:octo/tower.git', hosted('ssh', 'work', 'octo/tower')],
    ['git@gitlab.com:a group/tower.git', hosted('ssh', 'gitlab.com', 'a group/tower')],
    ['/srv/git/tower.git', local('/srv/git/tower.git')],
    ['../tower', local('../tower')],
    ['tower.git', local('tower.git')],
    ['./a:b/tower', local('./a:b/tower')],
    ['/srv/with blank/a:b.git', local('/srv/with blank/a:b.git')],
    ['file:///srv/git/a%20b.git', local('/srv/git/a b.git')],
    ['C:\\git\\tower', local('C:\\git\\tower')],
    ['', undefined],
    ['   ', undefined],
    ['ext::sh -c foo', undefined],
    ['codecommit::eu-west-1://tower', undefined],
    ['ftp://example.com/tower.git', undefined],
    ['https://github.com', undefined],
    ['https:///octo/tower', undefined],
    ['git@github.com:', undefined],
  ])('%j', (address, remote) => {
    expect(parseRemote(address)).toEqual(remote);
  });
});

const choose = (address: string, env: ForgeQuestion['env'] = {}, configured?: string) => chooseForge({ address, cwd: '/clone', env, configured });
const gitHub = (host: string, more: object = {}) => ({ kind: 'github', server: { scheme: 'https', host, root: '', ...more }, owner: 'octo', repository: 'tower' });
const gitLab = (host: string, project = 'octo/tower', more: object = {}) => ({ kind: 'gitlab', server: { scheme: 'https', host, root: '', ...more }, project });

describe('the forge of a remote', () => {
  it.each([
    ['https://github.com/octo/tower.git', {}, undefined, gitHub('github.com')],
    ['git@github.com:octo/tower.git', {}, undefined, gitHub('github.com')],
    ['ssh://git@ssh.github.com:443/octo/tower.git', {}, undefined, gitHub('github.com')],
    ['https://acme.ghe.com/octo/tower', {}, undefined, gitHub('acme.ghe.com')],
    ['git@github.example.com:octo/tower.git', {}, undefined, gitHub('github.example.com')],
    ['https://git.example.com:8443/octo/tower', { GH_HOST: 'git.example.com:8443' }, undefined, gitHub('git.example.com', { port: 8443 })],
    ['ssh://git@git.example.com:2222/octo/tower', { GH_HOST: 'git.example.com' }, undefined, gitHub('git.example.com')],
    ['https://git.example.com/octo/tower', { GITHUB_SERVER_URL: 'https://git.example.com' }, undefined, gitHub('git.example.com')],
    ['http://127.0.0.1:3000/octo/tower', {}, 'github', { ...gitHub('127.0.0.1', { port: 3000 }), server: { scheme: 'http', host: '127.0.0.1', port: 3000, root: '' } }],
    ['https://gitlab.com/a/b/tower.git', {}, undefined, gitLab('gitlab.com', 'a/b/tower')],
    ['ssh://git@altssh.gitlab.com:443/octo/tower.git', {}, undefined, gitLab('gitlab.com')],
    ['git@gitlab.example.com:octo/tower.git', {}, undefined, gitLab('gitlab.example.com')],
    ['git@git-gitlab.example.com:octo/tower.git', {}, undefined, gitLab('git-gitlab.example.com')],
    ['https://git.example.com/octo/tower', { GITLAB_HOST: 'https://git.example.com' }, undefined, gitLab('git.example.com')],
    ['https://example.com/gitlab/octo/tower', { CI_SERVER_URL: 'https://example.com/gitlab' }, undefined, gitLab('example.com', 'octo/tower', { root: '/gitlab' })],
    ['git@example.com:octo/tower', { CI_SERVER_URL: 'https://example.com:8443/gitlab/' }, undefined, gitLab('example.com', 'octo/tower', { root: '/gitlab', port: 8443 })],
    ['https://git.example.com/octo/tower', { CI_SERVER_HOST: 'git.example.com' }, undefined, gitLab('git.example.com')],
    // What is configured for this clone is more precise than what the machine says.
    ['https://git.example.com/octo/tower', { GH_HOST: 'git.example.com' }, 'gitlab', gitLab('git.example.com')],
    ['/srv/git/tower.git', { RELAYFLOW_FORGE_DIR: '/forge' }, undefined, { kind: 'folder', directory: '/forge' }],
    ['../tower.git', { RELAYFLOW_FORGE_DIR: 'the forge' }, undefined, { kind: 'folder', directory: '/clone/the forge' }],
    // A demo opens nothing anywhere else.
    ['https://github.com/octo/tower.git', { RELAYFLOW_FORGE_DIR: '/forge', GH_TOKEN: 'x' }, undefined, { kind: 'folder', directory: '/forge' }],
  ])('%s with %o and the setting %s', (address, env, configured, choice) => {
    expect(choose(address, env, configured)).toEqual(choice);
  });

  it.each([
    ['https://git.example.com/octo/tower', {}, undefined, /what kind of forge git\.example\.com is/, /git config relayflow\.forge github/],
    ['https://notgithub.com/octo/tower', {}, undefined, /notgithub\.com/, /relayflow\.forge/],
    ['https://github.com.evil.example/octo/tower.git', { GH_HOST: 'github.com' }, 'bitbucket', /"bitbucket"/, /github or gitlab/],
    ['https://git.example.com:8443/octo/tower', { GH_HOST: 'git.example.com:9443' }, undefined, /what kind/, /relayflow/],
    ['https://github.com/octo', {}, undefined, /"octo" on github\.com, which is not an owner and a name/, /set-url/],
    ['https://github.com/octo/tower/tree/main', {}, undefined, /not an owner and a name/, /set-url/],
    ['https://gitlab.com/tower', {}, undefined, /not a group and a project/, /set-url/],
    ['/srv/git/tower.git', {}, undefined, /folder of this machine/, /RELAYFLOW_FORGE_DIR/],
    ['/srv/git/tower.git', { RELAYFLOW_FORGE_DIR: '' }, undefined, /folder of this machine/, /RELAYFLOW_FORGE_DIR/],
    ['ext::sh -c foo', {}, undefined, /cannot be read/, /set-url/],
  ])('%s with %o and the setting %s is not known', (address, env, configured, text, hint) => {
    const refusal = { code: 'forge_unknown', text: expect.stringMatching(text) as string, hint: expect.stringMatching(hint) as string };
    expect(() => choose(address, env, configured)).toThrow(expect.objectContaining(refusal));
  });

  it('quotes no password', () => {
    expect(() => choose('https://ada:hunter2secret@git.example.com/octo/tower')).toThrow(expect.not.objectContaining({ message: expect.stringContaining('hunter2') as string }));
  });
});
