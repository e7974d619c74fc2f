import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Scenario } from './scenario.js';

export const workspaceScenarios: readonly Scenario[] = [
  {
    name: 'a workspace is a worktree of the repository outside of it, on a branch of its own',
    async play({ known, at, repo, git }) {
      const runner = await known();
      const workspace = await runner.ensureWorkspace(at('RUN-1'));
      assert.equal(workspace.ticket, 'RUN-1');
      assert.ok(path.isAbsolute(workspace.path));
      assert.ok(path.relative(repo.path, workspace.path).startsWith('..'));
      assert.equal(await git(workspace.path, 'rev-parse', 'HEAD'), await git(repo.path, 'rev-parse', 'main'));
      assert.equal(await git(workspace.path, 'rev-parse', '--abbrev-ref', 'HEAD'), workspace.branch);
      assert.match(workspace.branch ?? '', /RUN-1$/);
      assert.equal(await git(repo.path, 'status', '--porcelain'), '');
    },
  },
  {
    name: 'asked for again, a workspace is the same, with what was left in it',
    async play({ known, another, at, workspacesMade }) {
      const runner = await known();
      const first = await runner.ensureWorkspace(at('RUN-1'));
      writeFileSync(path.join(first.path, 'draft'), 'x');
      assert.deepEqual(await runner.ensureWorkspace(at('RUN-1')), first);
      assert.deepEqual(await another().ensureWorkspace(at('RUN-1')), first);
      assert.ok(existsSync(path.join(first.path, 'draft')));
      assert.equal(await workspacesMade(), 1);
    },
  },
  {
    name: 'asked for by several at once, there is one workspace',
    async play({ known, at, workspacesMade }) {
      const runner = await known();
      const all = await Promise.all([1, 2, 3].map(() => runner.ensureWorkspace(at('RUN-1'))));
      assert.equal(new Set(all.map((workspace) => workspace.path)).size, 1);
      assert.equal(await workspacesMade(), 1);
    },
  },
  {
    name: 'a lost answer does not make a second workspace',
    needs: ['lost answers'],
    async play({ known, at, loseAnswer, workspacesMade, repo }) {
      const runner = await known();
      await loseAnswer?.();
      const first = await runner.ensureWorkspace(at('RUN-1')).catch(() => runner.ensureWorkspace(at('RUN-1')));
      assert.deepEqual(await runner.listWorkspaces(repo), [first]);
      assert.equal(await workspacesMade(), 1);
    },
  },
  {
    name: 'tickets whose keys begin alike have workspaces of their own',
    async play({ known, at, repo, git }) {
      const runner = await known();
      const longer = await runner.ensureWorkspace(at('RUN-12'));
      writeFileSync(path.join(longer.path, 'work'), 'x');
      await git(longer.path, 'add', 'work');
      await git(longer.path, 'commit', '--quiet', '-m', 'Work');
      const shorter = await runner.ensureWorkspace(at('RUN-1'));
      assert.notEqual(shorter.path, longer.path);
      assert.equal(await git(shorter.path, 'rev-parse', 'HEAD'), await git(repo.path, 'rev-parse', 'main'));
      const listed = await runner.listWorkspaces(repo);
      assert.deepEqual(listed.map(({ ticket }) => ticket).sort(), ['RUN-1', 'RUN-12']);
    },
  },
  {
    name: 'the repository itself is no workspace',
    async play({ known, repo }) {
      assert.deepEqual(await (await known()).listWorkspaces(repo), []);
    },
  },
  {
    name: 'every status can be shown, before there is a workspace too',
    async play({ known, at }) {
      const runner = await known();
      await runner.setStatus({ ...at('RUN-1'), status: 'todo' });
      await runner.ensureWorkspace(at('RUN-1'));
      for (const status of ['todo', 'in-progress', 'in-review', 'completed'] as const) await runner.setStatus({ ...at('RUN-1'), status });
    },
  },
  {
    name: 'a removed workspace is gone, twice too, and can be made again',
    async play({ known, another, at, repo }) {
      const runner = await known();
      await runner.removeWorkspace(at('RUN-1'));
      const workspace = await runner.ensureWorkspace(at('RUN-1'));
      await runner.removeWorkspace(at('RUN-1'));
      assert.ok(!existsSync(workspace.path));
      assert.deepEqual(await runner.listWorkspaces(repo), []);
      await another().removeWorkspace(at('RUN-1'));
      assert.equal((await runner.ensureWorkspace(at('RUN-1'))).path, workspace.path);
    },
  },
  {
    name: 'a removal whose answer was lost is a removal',
    needs: ['lost answers'],
    async play({ known, at, loseAnswer, repo }) {
      const runner = await known();
      const workspace = await runner.ensureWorkspace(at('RUN-1'));
      await loseAnswer?.();
      await runner.removeWorkspace(at('RUN-1')).catch(() => runner.removeWorkspace(at('RUN-1')));
      assert.ok(!existsSync(workspace.path));
      assert.deepEqual(await runner.listWorkspaces(repo), []);
    },
  },
  {
    name: 'nothing is forgotten while its folder is there',
    async play({ known, at, repo }) {
      const runner = await known();
      const workspace = await runner.ensureWorkspace(at('RUN-1'));
      assert.deepEqual(await runner.prune(repo), []);
      assert.deepEqual(await runner.listWorkspaces(repo), [workspace]);
    },
  },
];
