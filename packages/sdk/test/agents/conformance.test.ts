import { describe, expect, test } from 'vitest';
import { agentConformance } from '../../src/agents/conformance.js';
import { wrapperAdapter } from '../../src/agents/wrapper/adapter.js';
import { actsOf } from './acts.js';
import { scriptedAgent } from './fixture.js';

describe('the wrapper protocol', () => {
  const leftOut: Record<string, string[]> = {};
  agentConformance({
    test,
    adapter: wrapperAdapter,
    startMs: 6_000,
    lacks: {
      provider: 'a wrapper speaks to its provider itself, and only says in words why it failed',
      record: 'the protocol has one answer and no records, and its exit status is part of it',
    },
    leftOut: (name, reason) => void (leftOut[reason] ??= []).push(name),
    setUp: async ({ signedIn, turns }) => {
      const agent = scriptedAgent({ signedIn, turns: turns.map(actsOf) });
      return {
        adapter: wrapperAdapter,
        executable: agent.path,
        hostEnv: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
        received: async () => agent.log().flatMap(({ task }) => (task === undefined ? [] : [task])),
        tearDown: async () => undefined,
      };
    },
  });

  test('is asked everything but what a wrapper cannot do', () => {
    expect(leftOut).toMatchSnapshot();
  });
});

test('an exclusion that names no scenario is an error', () => {
  expect(() => agentConformance({ test: () => undefined, adapter: wrapperAdapter, setUp: () => Promise.reject(new Error('unused')), exclusions: { typo: 'x' } })).toThrow(TypeError);
});

test('what is left out is told with its reason', () => {
  const told: [string, string][] = [];
  const run: string[] = [];
  agentConformance({
    test: (name) => void run.push(name), adapter: wrapperAdapter, setUp: () => Promise.reject(new Error('unused')),
    lacks: { provider: 'none' }, exclusions: { 'a model call answers': 'known' }, leftOut: (name, reason) => void told.push([name, reason]),
  });
  expect(told).toContainEqual(['a model call answers', 'known']);
  expect(told).toContainEqual(['refused credentials are told apart', 'none']);
  expect(told).toContainEqual(['a session that nobody knows is refused at once', 'wrapper keeps no sessions']);
  expect(run).toContain('a message that is JSON stays as it is');
  expect(told.filter(([name]) => run.includes(name))).toEqual([]);
});
