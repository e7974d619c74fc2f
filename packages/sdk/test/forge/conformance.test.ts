import { chmodSync, copyFileSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'vitest';
import { forgeConformance, type ForgeSetUp } from '../../src/forge/conformance.js';
import { folderForge } from '../../src/forge/folder/forge.js';
import { branchesOfOrigin } from '../../src/forge/folder/remote-branches.js';
import { layoutOf, type ChangeLayout } from '../../src/forge/folder/layout.js';
import { ghTransport } from '../../src/forge/github/gh.js';
import { gitHubForge } from '../../src/forge/github/forge.js';
import { octokitTransport } from '../../src/forge/github/octokit.js';
import { gitHubRefusal } from '../../src/forge/github/refusal.js';
import { gitLabForge } from '../../src/forge/gitlab/forge.js';
import { gitLabRefusal } from '../../src/forge/gitlab/refusal.js';
import { gitLabTransport } from '../../src/forge/gitlab/transport.js';
import { connect } from '../../src/forge/http/connect.js';
import type { Transport } from '../../src/forge/http/exchange.js';
import { GIT_ENV, makeClone } from './clone.js';
import { FakeGitHub, GITHUB_TOKEN } from './fakes/github.js';
import { FakeGitLab, GITLAB_TOKEN } from './fakes/gitlab.js';
import { quickPace } from './pace.js';

const test = (name: string, body: () => Promise<void>): void => {
  it(name, body);
};
const redact = (text: string): string => text;
const SHARED = { bases: ['main', 'develop'], reviewers: ['ada', 'grace'] } as const;
const unreachableHint = 'Check the network.';

async function onGitHub(transportTo: (github: FakeGitHub) => Transport, tearDown = (): void => undefined): Promise<ForgeSetUp> {
  const github = await FakeGitHub.start();
  const facts = { name: 'GitHub', repository: 'octo/tower', tokenFrom: 'GH_TOKEN', redact };
  const another = () => gitHubForge({ name: 'GitHub', owner: 'octo', repository: 'tower', transport: transportTo(github), pace: quickPace(), redact, unreachableHint, refusal: (answer) => gitHubRefusal(answer, facts) });
  const open = (branch: string) => github.pulls.filter((pull) => pull.head === branch && pull.state === 'open');
  return {
    ...SHARED, another, forge: another(),
    push: async (branch) => void github.branches.add(branch),
    look: async (branch) => open(branch).map(({ number, title, draft, base, body, comments, reviewers }) => ({ number, title, draft, base, description: body, comments: [...comments], reviewers: [...reviewers] })),
    close: async (branch) => open(branch).forEach((pull) => (pull.state = 'closed')),
    loseNextAnswer: () => github.http.next({ kind: 'lose answer' }, { creating: true }),
    async tearDown() {
      tearDown();
      await github.http.stop();
    },
  };
}

describe('GitHub, by Octokit', () => {
  forgeConformance({
    test,
    setUp: async () => await onGitHub(({ http: { port } }) => octokitTransport({ server: { scheme: 'http', host: '127.0.0.1', port, root: '' }, token: GITHUB_TOKEN, connection: connect({}), userAgent: 'test' })),
  });
});

describe('GitHub, by gh', () => {
  forgeConformance({
    test,
    async setUp() {
      const folder = mkdtempSync(join(tmpdir(), 'relayflows-gh-'));
      copyFileSync(fileURLToPath(new URL('fakes/gh.mjs', import.meta.url)), join(folder, 'gh.mjs'));
      renameSync(join(folder, 'gh.mjs'), join(folder, 'gh'));
      chmodSync(join(folder, 'gh'), 0o755);
      return await onGitHub(
        ({ http: { port } }) => ghTransport({ host: 'github.com', cwd: folder, env: { PATH: `${folder}:${process.env['PATH']}`, FAKE_GH_SERVER: `http://127.0.0.1:${port}`, FAKE_GH_TOKEN: GITHUB_TOKEN } }),
        () => rmSync(folder, { recursive: true, force: true }),
      );
    },
  });
});

describe('GitLab', () => {
  forgeConformance({
    test,
    async setUp() {
      const gitlab = await FakeGitLab.start();
      const token = { value: GITLAB_TOKEN, from: 'GITLAB_TOKEN', kind: 'access' } as const;
      const facts = { name: 'GitLab', project: gitlab.project, token, redact };
      const another = () => gitLabForge({
        name: 'GitLab', project: gitlab.project, pace: quickPace(), redact, unreachableHint, refusal: (answer) => gitLabRefusal(answer, facts),
        transport: gitLabTransport({ server: { scheme: 'http', host: '127.0.0.1', port: gitlab.http.port, root: '' }, token, connection: connect({}), userAgent: 'test' }),
      });
      const open = (branch: string) => gitlab.requests.filter(({ source, state }) => source === branch && state === 'opened');
      const nameOf = (id: number): string => [...gitlab.users].find(([, known]) => known === id)?.[0] ?? '';
      return {
        ...SHARED, another, forge: another(),
        push: async (branch) => void gitlab.branches.add(branch),
        look: async (branch) => open(branch).map(({ iid, title, target, description, notes, reviewers }) => ({
          number: iid, title: title.replace(/^Draft: /, ''), draft: title.startsWith('Draft: '), base: target, description, comments: [...notes], reviewers: reviewers.map(nameOf),
        })),
        close: async (branch) => open(branch).forEach((found) => (found.state = 'closed')),
        loseNextAnswer: () => gitlab.http.next({ kind: 'lose answer' }, { creating: true }),
        tearDown: async () => await gitlab.http.stop(),
      };
    },
  });
});

describe('a folder', () => {
  forgeConformance({
    test,
    lacks: { 'lost answers': 'no connection can break', 'known reviewers': 'it knows nobody' },
    async setUp() {
      const clone = makeClone();
      const directory = join(clone.folder, 'forge');
      const another = () => folderForge({ directory, branches: branchesOfOrigin({ cwd: clone.cwd, env: GIT_ENV }) });
      const comments = ({ comments: folder }: ChangeLayout): readonly string[] => readdirSync(folder).sort().map((name) => readFileSync(join(folder, name), 'utf8'));
      return {
        ...SHARED, another, forge: another(),
        push: async (branch) => clone.push(branch),
        async look(branch) {
          const place = layoutOf(directory).change(branch);
          try {
            const facts = JSON.parse(readFileSync(place.facts, 'utf8')) as { number: number; title: string; draft: boolean; base: string; reviewers: string[] };
            return [{ ...facts, description: readFileSync(place.description, 'utf8'), comments: comments(place) }];
          } catch {
            return [];
          }
        },
        close: async (branch) => renameSync(layoutOf(directory).change(branch).folder, join(directory, 'closed')),
        loseNextAnswer: () => undefined,
        tearDown: async () => clone.remove(),
      };
    },
  });
});
