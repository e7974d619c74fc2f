import { fileURLToPath } from 'node:url';
import { reportContract } from 'relay-flow-plugin/report';
import { describe, expect, it, onTestFinished } from 'vitest';
import { harnessConformance } from '../../src/harness/conformance.js';
import { createHeadlessRunner } from '../../src/harness/headless/runner.js';
import type { HeadlessEvent } from '../../src/harness/headless/visit.js';
import { reportText, ROUTES } from '../harness/reports.js';
import { setUpClaude } from './claude-agent.js';

const HOST = fileURLToPath(new URL('../harness/scripted-agent/host.mjs', import.meta.url));

describe('the real Claude Code', () => {
  harnessConformance({
    name: 'claude', test: it, setUp: async () => await setUpClaude(HOST),
    lacks: { terminal: 'it has no terminal', 'no sessions': 'it has sessions' },
  });

  it.each([
    ['coder', true],
    ['default', false],
  ])('works as the agent %s', async (agent, isCoder) => {
    const claude = await setUpClaude(HOST);
    onTestFinished(claude.tearDown);
    if (claude.harness.kind !== 'headless') throw new TypeError('It has no terminal.');
    const { harness } = claude;
    await claude.play?.([{ says: reportText() }]);
    const runner = createHeadlessRunner({ home: claude.home, env: claude.env });
    onTestFinished(async () => await runner.close());
    const last = await new Promise<HeadlessEvent>((resolve) => {
      runner.start({
        key: agent, runId: 'repo/flow/T-1', visitId: 'a'.repeat(32), harness, contract: reportContract(ROUTES), routes: ROUTES,
        launch: { cwd: claude.repo, title: 'T-1:build', agent, nodeType: 'agent', prompt: 'Build it.', purpose: 'initial', env: {} },
        onEvent(event) {
          if (event.type === 'report' || event.type === 'exhausted') resolve(event);
        },
      });
    });
    expect(last.type).toBe('report');
    expect(claude.systems().some((system) => system.includes('You are the coder of this repository.'))).toBe(isCoder);
  });
});
