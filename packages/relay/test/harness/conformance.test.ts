import { describe, expect, it } from 'vitest';
import { createClaudeHarness } from '../../src/harness/claude/harness.js';
import { createCommandHarness } from '../../src/harness/command/harness.js';
import { harnessConformance } from '../../src/harness/conformance.js';
import { createOpencodeHarness } from '../../src/harness/opencode/harness.js';
import { createPiHarness } from '../../src/harness/pi/harness.js';
import { setUp } from './set-up.js';

const without = new Map<string, number>();
const leftOut = (_name: string, reason: string): void => void without.set(reason, (without.get(reason) ?? 0) + 1);
const IN_A_TERMINAL = 'it works in a terminal';

describe('the suite that every harness passes', () => {
  harnessConformance({
    name: 'command', test: it, leftOut,
    setUp: async () => await setUp({ name: 'command', program: 'my-agent', agent: 'coder', config: { agents: { coder: ['my-agent', '--agent', '{{agent}}'] } }, create: createCommandHarness }),
    lacks: { terminal: 'it has no terminal', sessions: 'it begins anew each time' },
  });

  harnessConformance({
    name: 'claude', test: it, leftOut,
    setUp: async () => await setUp({ name: 'claude', program: 'claude', agent: 'coder', create: createClaudeHarness, repoFiles: { '.claude/agents/coder.md': '---\nname: coder\ndescription: Codes.\n---\nCode.\n' } }),
    lacks: { terminal: 'it has no terminal', 'no sessions': 'it has sessions' },
  });

  harnessConformance({
    name: 'opencode', test: it, leftOut,
    setUp: async () => await setUp({
      name: 'opencode', program: 'opencode', agent: 'coder', create: createOpencodeHarness, repoFiles: { 'opencode.json': '{\n  // mine\n  "model": "a/b",\n}\n' },
      script: '#!/bin/sh\n[ "$*" = "agent list" ] || exit 9\nprintf \'build (primary)\\n  [\\n  {\\n    "permission": "*"\\n  }\\n  ]\\ncoder (primary)\\n[]\\nexplore (subagent)\\n\'\n',
    }),
    lacks: { headless: IN_A_TERMINAL },
  });

  harnessConformance({
    name: 'pi', test: it, leftOut,
    setUp: async () => await setUp({ name: 'pi', program: 'pi', agent: 'coder', create: createPiHarness }),
    lacks: { headless: IN_A_TERMINAL, 'agent names': 'an agent is the name of a template, which the workspace may have and the repository not' },
  });

  it('is left out only where a harness is not of that kind', () => {
    expect([...without.keys()].toSorted()).toEqual(['an agent is the name of a template, which the workspace may have and the repository not', 'it begins anew each time', 'it has no terminal', 'it has sessions', IN_A_TERMINAL]);
  });
});
