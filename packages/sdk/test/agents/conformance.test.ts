import { describe, expect, test } from 'vitest';
import { agentConformance, type AgentDeed } from '../../src/agents/conformance.js';
import { wrapperAdapter } from '../../src/agents/wrapper/adapter.js';
import { scriptedAgent, type Act } from './fixture.js';

function actOf(deed: AgentDeed): Act[] {
  switch (deed.do) {
    case 'say':
      return [{ say: deed.text }];
    case 'write':
      return [{ write: { path: deed.path, content: deed.content } }];
    case 'run':
      return [{ sh: deed.command }];
    case 'detach':
      return [{ detach: deed.command }];
    case 'hang':
      return [{ hang: true }];
    case 'die':
      return [{ kill: 'SIGKILL' }];
    case 'fail':
      return [{ stderr: `${deed.text}\n` }, { exit: 1 }];
  }
}

describe('the wrapper protocol', () => {
  agentConformance({
    test,
    adapter: wrapperAdapter,
    startMs: 6_000,
    setUp: async ({ signedIn, turns }) => {
      const agent = scriptedAgent({ signedIn, turns: turns.map((deeds) => deeds.flatMap(actOf)) });
      return {
        adapter: wrapperAdapter,
        executable: agent.path,
        hostEnv: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
        received: async () => agent.log().flatMap(({ task }) => (task === undefined ? [] : [task])),
        tearDown: async () => undefined,
      };
    },
  });
});

test('an exclusion that names no scenario is an error', () => {
  expect(() => agentConformance({ test: () => undefined, adapter: wrapperAdapter, setUp: () => Promise.reject(new Error('unused')), exclusions: { typo: 'x' } })).toThrow(TypeError);
});
