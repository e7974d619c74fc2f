import { deepEqual, equal, match, ok, rejects, throws } from 'node:assert/strict';
import { isRelayError } from '../../errors/relay-error.js';
import type { Scenario } from './scenario.js';

const withCode = (code: string) => (error: unknown): boolean => {
  ok(isRelayError(error), `a RelayError is thrown, not ${String(error)}`);
  equal(error.code, code);
  match(error.text, /^[A-Z].*\.$/s, 'its text is a sentence');
  return true;
};

export const basicScenarios: readonly Scenario[] = [
  {
    name: 'says which program is missing, and is content where it is there',
    async play({ harness, make }) {
      const signal = AbortSignal.timeout(5_000);
      await harness.probe({ signal });
      await rejects(make({ env: { PATH: '/nonexistent' } }).probe({ signal }), withCode('harness_missing'));
    },
  },
  {
    name: 'refuses settings that it does not know',
    async play({ make }) {
      throws(() => make({ config: { colour: 'blue' } }), withCode('config_invalid'));
      throws(() => make({ config: { Initial: 'Go.' } }), withCode('config_invalid'));
    },
  },
  {
    name: 'refuses variables that no prompt has, when its settings are read',
    async play({ make }) {
      throws(() => make({ config: { initial: 'Work on {{ ticket }}.' } }), withCode('config_invalid'));
      throws(() => make({ config: { feedback: 'Work on {{visit}}.' } }), withCode('config_invalid'));
      equal(make({ config: { initial: 'Work on {{ticket}}.', hitl: '' } }).templates.initial, 'Work on {{ticket}}.');
    },
  },
  {
    name: 'prepares a repository once, however often it is asked',
    async play({ harness, repo, files }) {
      const before = await files();
      await harness.setupRepo({ path: repo });
      const after = await files();
      await harness.setupRepo({ path: repo });
      deepEqual(await files(), after);
      for (const path of Object.keys(before)) ok(path in after, `${path} is still there`);
    },
  },
  {
    name: 'knows the agent',
    async play({ harness, repo, agent }) {
      await harness.validateAgent({ path: repo, agent });
    },
  },
  {
    name: 'refuses names that are no name of an agent',
    async play({ harness, repo }) {
      for (const agent of ['', ' ', '../escape', 'a/b', '..', '--help']) {
        // Where there is a list to look into, a name is refused because it is not there.
        if (agent === '--help' && harness.name === 'pi') continue;
        await rejects(async () => await harness.validateAgent({ path: repo, agent }), withCode('harness_rejected'));
      }
    },
  },
  {
    name: 'refuses an agent that does not exist',
    needs: ['agent names'],
    async play({ harness, repo }) {
      await rejects(harness.validateAgent({ path: repo, agent: 'nobody' }), withCode('harness_rejected'));
    },
  },
];
