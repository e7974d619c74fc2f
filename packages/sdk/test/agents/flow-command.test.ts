import { describe, test } from 'vitest';
import { flowScenarios } from '../real-agents/flow-scenarios.js';
import { actsOf } from './acts.js';
import { scriptedAgent } from './fixture.js';

describe('a wrapper in a flow', () => {
  flowScenarios({
    test,
    startMs: 3_000,
    sessions: false,
    record: false,
    dollars: false,
    start: async ({ signedIn, turns }) => {
      const agent = scriptedAgent({ signedIn, turns: turns.map(actsOf) });
      return {
        name: 'own-agent',
        executable: agent.path,
        hostEnv: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
        received: () => agent.log().flatMap(({ task }) => (task === undefined ? [] : [task])),
        stop: async () => undefined,
      };
    },
  });
});
