import assert from 'node:assert/strict';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Workspace } from '../port.js';
import { refuses, type Scenario, type Stage } from './scenario.js';

/** Leaves something in a new workspace, expects that it is kept, takes it away, and expects that the workspace can be removed. */
function kept(what: string, leave: (stage: Stage, workspace: Workspace) => Promise<void>, save: (stage: Stage, workspace: Workspace) => Promise<void>): Scenario {
  return {
    name: `a workspace is not removed while it holds ${what}`,
    async play(stage) {
      const runner = await stage.known();
      const workspace = await runner.ensureWorkspace(stage.at('RUN-1'));
      await leave(stage, workspace);
      for (const asked of [runner, stage.another()]) {
        const refusal = await refuses('runner_unsaved_work', asked.removeWorkspace(stage.at('RUN-1')));
        assert.ok(refusal.text.includes(workspace.path), 'it says where the work is');
      }
      assert.ok(existsSync(workspace.path));
      await save(stage, workspace);
      await runner.removeWorkspace(stage.at('RUN-1'));
      assert.ok(!existsSync(workspace.path));
    },
  };
}

async function commit({ git }: Stage, { path: at }: Workspace): Promise<void> {
  writeFileSync(path.join(at, 'work'), 'x');
  await git(at, 'add', 'work');
  await git(at, 'commit', '--quiet', '-m', 'Work');
}

export const unsavedScenarios: readonly Scenario[] = [
  kept('a changed file', async (_, { path: at }) => writeFileSync(path.join(at, 'README.md'), 'changed'), async ({ git }, { path: at }) => void (await git(at, 'checkout', '--quiet', '--', '.'))),
  kept('a new file', async (_, { path: at }) => writeFileSync(path.join(at, 'new'), 'x'), async (_, { path: at }) => rmSync(path.join(at, 'new'))),
  kept('a commit that is merged nowhere', commit, async ({ git, repo }, { branch }) => void (await git(repo.path, 'merge', '--quiet', branch ?? ''))),
  kept('a stash', async ({ git }, { path: at }) => {
    writeFileSync(path.join(at, 'README.md'), 'changed');
    await git(at, 'stash', '--quiet');
  }, async ({ git }, { path: at }) => void (await git(at, 'stash', 'drop', '--quiet'))),
  {
    name: 'commits of a removed workspace can still be reached',
    async play(stage) {
      const runner = await stage.known();
      const workspace = await runner.ensureWorkspace(stage.at('RUN-1'));
      await commit(stage, workspace);
      const work = await stage.git(workspace.path, 'rev-parse', 'HEAD');
      await stage.git(stage.repo.path, 'merge', '--quiet', workspace.branch ?? '');
      await runner.removeWorkspace(stage.at('RUN-1'));
      assert.notEqual(await stage.git(stage.repo.path, 'branch', '--all', '--contains', work), '');
    },
  },
];
