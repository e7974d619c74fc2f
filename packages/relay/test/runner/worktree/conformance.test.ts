import { test } from 'vitest';
import { runnerConformance } from '../../../src/runner/conformance.js';
import { createGit, type Git } from '../../../src/runner/git/git.js';
import { createWorktreeRunner } from '../../../src/runner/worktree/worktree-runner.js';
import { GitScene } from '../git-scene.js';

runnerConformance({
  name: 'worktree',
  test,
  async setUp() {
    const scene = new GitScene();
    const real = createGit({ env: scene.env });
    let made = 0;
    let lose = false;
    const git: Git = async (call) => {
      const answer = await real(call);
      const [command, act] = call.args;
      if (command !== 'worktree' || (act !== 'add' && act !== 'remove')) return answer;
      if (act === 'add' && answer.exitCode === 0) made += 1;
      if (!lose) return answer;
      lose = false;
      return { exitCode: 128, stdout: '', stderr: '', failure: 'timeout' };
    };
    const another = () => createWorktreeRunner({ home: scene.home, config: {}, git });
    return {
      runner: another(),
      another,
      repo: { name: 'shop', path: scene.repository('shop') },
      unusable: { name: 'nothing', path: scene.path('nothing') },
      git: async (at, ...args) => scene.git(at, ...args),
      workspacesMade: async () => made,
      loseAnswer: async () => void (lose = true),
      tearDown: async () => scene.clear(),
    };
  },
  lacks: { terminals: 'Agents work headless in git worktrees.', 'an unreachable runner': 'git needs no server.' },
});
