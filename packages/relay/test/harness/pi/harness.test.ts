import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createPiHarness } from '../../../src/harness/pi/harness.js';
import type { Launch } from '../../../src/harness/port.js';
import { folder } from '../workbench.js';

const harness = createPiHarness({ config: {}, env: process.env });
const launch: Launch = { cwd: '/workspace', title: 'T-1:build', agent: 'default', nodeType: 'agent', prompt: 'Build it.', purpose: 'initial', env: {} };

describe('the command of a Pi session', () => {
  it('ends with the prompt', () => {
    expect(harness.buildCommand(launch)).toEqual({ file: 'pi', args: ['--name', 'T-1:build', 'Build it.'], env: {} });
  });

  it('asks for the template of an agent in a fresh session only (pitfall 23)', () => {
    expect(harness.buildCommand({ ...launch, agent: 'coder' }).args).toEqual(['--name', 'T-1:build', '--prompt-template', '.pi/prompts/coder.md', '/coder Build it.']);
    expect(harness.buildCommand({ ...launch, agent: 'coder', purpose: 'feedback' }).args.at(-1)).toBe('/coder Build it.');
    expect(harness.buildCommand({ ...launch, agent: 'coder', purpose: 'feedback', sessionId: 's-1' }).args).toEqual(['--name', 'T-1:build', '--session-id', 's-1', 'Build it.']);
  });

  it.each(['--help', '@file', '/other'])('never hands on %j as it is', (prompt) => {
    expect(harness.buildCommand({ ...launch, prompt }).args.at(-1)).toBe(`Task:\n\n${prompt}`);
    expect(harness.buildCommand({ ...launch, prompt, sessionId: 's-1' }).args.at(-1)).toBe(`Task:\n\n${prompt}`);
  });
});

it.each(['', ' ', ' coder', 'coder ', 'a/b', 'a\\b', '.', '..'])('refuses the agent %j', async (agent) => {
  await expect(harness.validateAgent({ path: '/repo', agent })).rejects.toThrow(expect.objectContaining({ code: 'harness_rejected' }));
  expect(() => harness.buildCommand({ ...launch, agent })).toThrow(expect.objectContaining({ code: 'harness_rejected' }));
});

it('refuses a template that would swallow the prompt', async () => {
  const repo = await folder();
  await mkdir(join(repo, '.pi', 'prompts'), { recursive: true });
  await writeFile(join(repo, 'pi'), '#!/bin/sh\n', { mode: 0o755 });
  const at = createPiHarness({ config: {}, env: { PATH: repo } });
  for (const [agent, text] of [['all', 'Do: $@'], ['named', '$ARGUMENTS'], ['some', '${@:1}'], ['first', 'Do $1']] as const) {
    await writeFile(join(repo, '.pi', 'prompts', `${agent}.md`), text);
    await at.validateAgent({ path: repo, agent });
  }
  await writeFile(join(repo, '.pi', 'prompts', 'deaf.md'), 'Costs $ and $x.');
  await expect(at.validateAgent({ path: repo, agent: 'deaf' })).rejects.toThrow(expect.objectContaining({ code: 'harness_rejected', text: expect.stringContaining('does not hold $@') }));
  await at.validateAgent({ path: repo, agent: 'elsewhere' });
});

it('says nothing about people, who are asked by its extension', () => {
  expect(harness.templates.hitl).toBe('');
  expect(createPiHarness({ config: { hitl: 'Ask {{ticket}}.' }, env: {} }).templates.hitl).toBe('Ask {{ticket}}.');
});
