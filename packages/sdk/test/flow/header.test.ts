import type { FlowHeader } from '@relayflows/surface';
import { describe, expect, it } from 'vitest';
import { headerProblems } from '../../src/flow/header.js';
import type { LoadedFlow } from '../../src/flow/loaded.js';

function declared(name: string, header: FlowHeader, ...children: LoadedFlow[]): LoadedFlow {
  return { name, definition: { name, header, handlers: [] }, children: new Map(children.map((child) => [child.name, child])) };
}

const codes = (flow: LoadedFlow) => headerProblems(flow).map(({ code, text }) => `${code}: ${text}`);

describe('a header', () => {
  it('that this runtime can run has no problems', () => {
    expect(codes(declared('main', { version: '1.0.0', hooks: ['a'], budget: '$5/run', memory: { script: true, agent: false }, tools: { github: true, mcp: ['docs'] } }))).toEqual([]);
  });

  it('names everything that is not supported', () => {
    expect(codes(declared('main', { identity: 'x', workspace: 'y', memory: { agent: true }, tools: { relayfile: ['z'] }, budget: 'a lot' }))).toEqual([
      'unsupported_header: The flow "main" declares identity, which this runtime does not support.',
      'unsupported_header: The flow "main" declares workspace, which this runtime does not support.',
      'unsupported_header: The flow "main" declares tools.relayfile, which this runtime does not support.',
      'unsupported_header: The flow "main" declares memory.agent, which this runtime does not support.',
      expect.stringMatching(/^budget_syntax_invalid: /),
    ]);
  });
});

describe('the header of a child', () => {
  it('may ask for what its parent has, or less', () => {
    const child = declared('child', { tools: { mcp: ['docs'], slack: false } });
    expect(codes(declared('main', { tools: { mcp: ['docs', 'web'], github: true } }, child))).toEqual([]);
  });

  it('may not have a budget', () => {
    expect(codes(declared('main', { budget: '$5/run' }, declared('child', { budget: '$1/run' })))).toEqual([
      'dispatch_invalid: The child flow "child" has a budget, but a child spends from its root\'s.',
    ]);
  });

  it('may not widen tools, at any depth', () => {
    const grandchild = declared('grandchild', { tools: { slack: true, mcp: ['docs', 'web'] } });
    const child = declared('child', { tools: { github: true, mcp: ['docs'] } }, grandchild);
    expect(codes(declared('main', {}, child))).toEqual([
      'dispatch_invalid: The child flow "child" uses tools.github, which its parent "main" does not have.',
      'dispatch_invalid: The child flow "child" uses tools.mcp "docs", which its parent "main" does not have.',
      'dispatch_invalid: The child flow "grandchild" uses tools.slack, which its parent "child" does not have.',
      'dispatch_invalid: The child flow "grandchild" uses tools.mcp "web", which its parent "child" does not have.',
    ]);
  });

  it('may not have what no flow may have', () => {
    expect(codes(declared('main', {}, declared('child', { identity: 'x' })))).toEqual([expect.stringMatching(/^unsupported_header: The flow "child" declares identity/)]);
  });
});
