import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { findForge } from '../../src/forge/find-forge.js';
import type { Forge } from '../../src/forge/port.js';
import { GIT_ENV, makeClone, type Clone } from './clone.js';
import { FakeGitHub, GITHUB_TOKEN } from './fakes/github.js';
import { FakeGitLab, GITLAB_TOKEN } from './fakes/gitlab.js';
import { quickPace } from './pace.js';

type Variables = Readonly<Record<string, string>>;

export interface ForgeStage<Fake> {
  readonly fake: Fake;
  readonly clone: Clone;
  readonly env: Variables;
  readonly waits: readonly number[];
  forge(env?: Variables): Promise<Forge>;
}

/** A clone whose remote is a local GitHub Enterprise Server, with a token for it. */
export async function gitHubStage(): Promise<ForgeStage<FakeGitHub>> {
  const fake = await FakeGitHub.start();
  fake.branches.add('feature');
  return onStage(fake, `http://127.0.0.1:${fake.http.port}/octo/tower.git`, 'github', { GH_ENTERPRISE_TOKEN: GITHUB_TOKEN });
}

/** A clone whose remote is a local GitLab, with a token for it. */
export async function gitLabStage(): Promise<ForgeStage<FakeGitLab>> {
  const fake = await FakeGitLab.start();
  fake.branches.add('feature');
  return onStage(fake, `http://127.0.0.1:${fake.http.port}/${encodeURI(fake.project)}.git`, 'gitlab', { GITLAB_TOKEN });
}

function onStage<Fake extends FakeGitHub | FakeGitLab>(fake: Fake, remote: string, kind: string, credentials: Variables): ForgeStage<Fake> {
  const clone = makeClone();
  clone.git('remote', 'set-url', 'origin', remote);
  clone.git('config', 'relayflow.forge', kind);
  onTestFinished(async () => {
    clone.remove();
    await fake.http.stop();
  });
  // Only what is put here is found: no gh of whoever runs the tests.
  const tools = join(clone.folder, 'tools');
  mkdirSync(tools);
  const env = { ...GIT_ENV, ...credentials };
  const pace = quickPace();
  return { fake, clone, env, waits: pace.waits, forge: async (more = env) => await findForge({ cwd: clone.cwd, env: more, pace }) };
}

/** Puts a gh in front of PATH that speaks to the fake. */
export function withGh({ clone, fake }: ForgeStage<FakeGitHub>, { token = GITHUB_TOKEN, gives = false } = {}): Variables {
  const tools = join(clone.folder, 'tools');
  copyFileSync(fileURLToPath(new URL('fakes/gh.mjs', import.meta.url)), join(tools, 'gh.mjs'));
  // A name without an ending would be no module everywhere.
  writeFileSync(join(tools, 'gh'), `#!/bin/sh\nexec '${process.execPath}' '${join(tools, 'gh.mjs')}' "$@"\n`);
  chmodSync(join(tools, 'gh'), 0o755);
  return { ...GIT_ENV, PATH: `${tools}:${GIT_ENV.PATH}`, FAKE_GH_SERVER: `http://127.0.0.1:${fake.http.port}`, FAKE_GH_TOKEN: token, ...(gives ? { FAKE_GH_GIVES: '1' } : {}) };
}

/** A port of this machine on which nobody listens. */
export async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
