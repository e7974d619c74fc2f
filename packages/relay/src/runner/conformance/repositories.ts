import assert from 'node:assert/strict';
import { refuses, type Scenario } from './scenario.js';

export const repositoryScenarios: readonly Scenario[] = [
  {
    name: 'a probe succeeds, and ends when it is told to',
    async play({ runner }) {
      await runner.probe({ signal: new AbortController().signal });
      await refuses('runner_unavailable', runner.probe({ signal: AbortSignal.abort() }));
    },
  },
  {
    name: 'a repository is made known, twice too, and stays usable',
    async play({ runner, another, repo }) {
      await runner.ensureRepo(repo);
      await runner.ensureRepo(repo);
      await runner.validateRepo(repo);
      await another().validateRepo(repo);
      // Runners that keep no list of their own know of none.
      const discovered = (await runner.discoverRepos()).filter(({ path }) => path === repo.path);
      assert.ok(discovered.length <= 1, 'it is known once');
    },
  },
  {
    name: 'what cannot be used is refused',
    async play({ runner, unusable }) {
      await assert.rejects(runner.ensureRepo(unusable), { name: 'RelayError' });
      await assert.rejects(runner.validateRepo(unusable), { name: 'RelayError' });
    },
  },
  {
    name: 'a runner that does not answer says so',
    needs: ['an unreachable runner'],
    async play({ runner, unplug, repo, at }) {
      await unplug?.();
      await refuses('runner_unavailable', runner.probe({ signal: new AbortController().signal }));
      await refuses('runner_unavailable', runner.ensureRepo(repo));
      await refuses('runner_unavailable', runner.ensureWorkspace(at('RUN-1')));
    },
  },
];
