import { createServer } from 'node:http';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect as connectTo, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FlowsError } from '../../src/errors/flows-error.js';
import { findForge } from '../../src/forge/find-forge.js';
import { currentBranch, readRepository } from '../../src/forge/remote/repository.js';
import { GIT_ENV, makeClone, type Clone } from './clone.js';
import { gitHubStage } from './stage.js';

const error = (code: string, text: RegExp, hint: RegExp) => expect.objectContaining({ code, text: expect.stringMatching(text) as string, hint: expect.stringMatching(hint) as string }) as FlowsError;

function clone(): Clone {
  const made = makeClone();
  onTestFinished(() => made.remove());
  return made;
}

describe('the repository around a folder', () => {
  it('is read with what git makes of its address', async () => {
    const { cwd, git } = clone();
    git('remote', 'set-url', 'origin', 'gh:octo/tower');
    git('config', 'url.https://github.com/.insteadOf', 'gh:');
    git('config', 'relayflow.forge', 'github');
    mkdirSync(join(cwd, 'below'));
    expect(await readRepository({ cwd: join(cwd, 'below'), env: GIT_ENV })).toEqual({ address: 'https://github.com/octo/tower', configured: 'github' });
  });

  it('is read through an alias of ssh', async () => {
    const { cwd, folder, git } = clone();
    git('remote', 'set-url', 'origin', 'git@work:octo/tower.git');
    const tools = join(folder, 'tools');
    mkdirSync(tools);
    writeFileSync(join(tools, 'ssh'), `#!/bin/sh\n[ "$*" = '-G -- work' ] || exit 9\nprintf 'user git\\nhostname github.example.com\\nport 22\\n'\n`);
    chmodSync(join(tools, 'ssh'), 0o755);
    expect(await readRepository({ cwd, env: { ...GIT_ENV, PATH: `${tools}:${GIT_ENV.PATH}` } })).toEqual({ address: 'ssh://github.example.com/octo/tower' });
  });

  it('without a remote, without a repository, and without git', async () => {
    const { cwd, folder, git } = clone();
    git('remote', 'remove', 'origin');
    await expect(readRepository({ cwd, env: GIT_ENV })).rejects.toEqual(error('forge_unknown', /no remote named origin/, /git remote add origin/));
    await expect(readRepository({ cwd: folder, env: { ...GIT_ENV, GIT_CEILING_DIRECTORIES: folder } })).rejects.toEqual(error('forge_unknown', /not a git repository/, /clone/));
    await expect(readRepository({ cwd, env: { PATH: join(folder, 'nothing') } })).rejects.toEqual(error('forge_unknown', /could not be started \(ENOENT\)/, /Install git/));
  });

  it('has a branch, unless its HEAD is detached', async () => {
    const { cwd, git } = clone();
    git('switch', '-q', '-c', 'ä/🦊');
    expect(await currentBranch({ cwd, env: GIT_ENV })).toBe('ä/🦊');
    git('switch', '-q', '--orphan', 'unborn');
    expect(await currentBranch({ cwd, env: GIT_ENV })).toBe('unborn');
    git('checkout', '-q', '--detach', 'main');
    await expect(currentBranch({ cwd, env: GIT_ENV })).rejects.toEqual(error('invalid_invocation', /No branch is checked out/, /git switch/));
  });
});

describe('a forge', () => {
  it('of a host that nobody knows', async () => {
    const { cwd, git } = clone();
    git('remote', 'set-url', 'origin', 'https://code.example.com/octo/tower');
    await expect(findForge({ cwd, env: GIT_ENV })).rejects.toEqual(error('forge_unknown', /code\.example\.com/, /relayflow\.forge/));
  });

  it('has a name by its host', async () => {
    const { cwd, git } = clone();
    for (const [address, name] of [['https://github.com/o/r', 'GitHub'], ['git@github.example.com:o/r', 'GitHub at github.example.com'], ['git@gitlab.com:o/r', 'GitLab'], ['git@gitlab.example.com:o/r', 'GitLab at gitlab.example.com']] as const) {
      git('remote', 'set-url', 'origin', address);
      expect((await findForge({ cwd, env: { ...GIT_ENV, GH_TOKEN: 'a', GH_ENTERPRISE_TOKEN: 'b', GITLAB_TOKEN: 'c' } })).name).toBe(name);
    }
  });
});

describe('behind a proxy', () => {
  /** A proxy that lets everything through to whatever it is asked for. */
  async function proxy(allow: boolean): Promise<{ readonly port: number; readonly asked: string[] }> {
    const asked: string[] = [];
    const server = createServer((_request, response) => response.writeHead(400).end());
    server.on('connect', ({ url = '' }, socket) => {
      asked.push(url);
      if (!allow) {
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
        return;
      }
      const [host, port] = url.split(':');
      const through = connectTo(Number(port), host, () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        through.pipe(socket).pipe(through);
      });
      for (const end of [through, socket]) end.on('error', () => end.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { port: (server.address() as AddressInfo).port, asked };
  }

  it('requests go through it', async () => {
    const { fake, env, forge } = await gitHubStage();
    const { port, asked } = await proxy(true);
    await expect((await forge({ ...env, http_proxy: `http://127.0.0.1:${port}` })).open({ branch: 'feature', title: 'Fix it', body: '' })).resolves.toMatchObject({ created: true });
    expect(asked).toContain(`127.0.0.1:${fake.http.port}`);
  });

  it('a host that needs none is asked directly', async () => {
    const { env, forge } = await gitHubStage();
    const { port, asked } = await proxy(false);
    await expect((await forge({ ...env, HTTP_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: '127.0.0.1' })).find({ branch: 'feature' })).resolves.toBeUndefined();
    expect(asked).toEqual([]);
  });

  it('that refuses, the message names the variable and no password', async () => {
    const { env, forge } = await gitHubStage();
    const { port } = await proxy(false);
    const failure = await (await forge({ ...env, HTTP_PROXY: `http://ada:hunter2secret@127.0.0.1:${port}` })).find({ branch: 'feature' }).catch((reason: unknown) => reason as FlowsError);
    expect(failure).toEqual(error('forge_unreachable', /cannot be reached: .*407/, new RegExp(`the proxy that HTTP_PROXY names \\(127\\.0\\.0\\.1:${port}\\)`)));
    expect(JSON.stringify(failure)).not.toContain('hunter2');
  });
});
