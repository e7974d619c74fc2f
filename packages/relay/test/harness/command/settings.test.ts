import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCommandHarness } from '../../../src/harness/command/harness.js';
import type { Launch } from '../../../src/harness/port.js';
import { folder, script } from '../workbench.js';

const create = (config: unknown) => createCommandHarness({ config, env: process.env });
const refused = (text: string, code = 'config_invalid'): unknown => expect.objectContaining({ code, text: expect.stringContaining(text) as unknown });
const launch: Launch = { cwd: '/workspace', title: 'A:B-1:build', agent: 'coder', nodeType: 'agent', prompt: 'Build {{ticket}}.', purpose: 'initial', env: {} };

describe('the settings of the command harness', () => {
  it.each([
    [{}, 'needs harnessConfig.command'],
    [{ command: 'my-agent' }, 'harnessConfig.command: must be a list'],
    [{ command: [] }, 'must name a program'],
    [{ command: ['my-agent --flag'] }, 'is one text with blanks'],
    [{ command: [''] }, 'names no program'],
    [{ command: ['{{agent}}'] }, 'variable in the name of its program'],
    [{ command: ['my-agent', '{{ agent }}'] }, 'asks for {{ agent }}'],
    [{ command: ['my-agent', '{{session}}'] }, 'asks for {{session}}'],
    [{ command: ['sh', '-c', 'my-agent {{ticket}}'] }, 'program of a shell'],
    [{ command: ['/bin/bash', '-ec', 'my-agent {{ticket}}'] }, 'program of a shell'],
    [{ command: ['my-agent'], timeout: 5 }, 'Unrecognized key'],
    [{ command: ['my-agent'], maxProcesses: 0 }, 'maxProcesses'],
    [{ command: ['my-agent'], timeoutMinutes: -1 }, 'timeoutMinutes'],
    [{ agents: { '../x': ['a'] } }, 'agents'],
  ])('refuses %j', (config, text) => {
    expect(() => create(config)).toThrow(refused(text));
  });

  it('takes variables as arguments of a shell program', () => {
    expect(create({ command: ['sh', '-c', 'my-agent "$1"', 'sh', '{{ticket}}'] }).buildTurn(launch).args).toEqual(['-c', 'my-agent "$1"', 'sh', 'A:B-1']);
  });

  it('has defaults for its limits', () => {
    expect(create({ command: ['a'] }).limits).toEqual({ maxProcesses: 4, timeoutMinutes: 120 });
    expect(create({ command: ['a'], maxProcesses: 9, timeoutMinutes: 0 }).limits).toEqual({ maxProcesses: 9, timeoutMinutes: 0 });
  });
});

describe('a turn of a command', () => {
  it('puts values into arguments as they are, and the prompt into standard input', () => {
    const { file, args, stdin, env } = create({ command: ['my-agent', '--name={{title}}', '{{node}} {{ticket}} {{agent}}', '{{workspace}}', 'plain'] }).buildTurn(launch);
    expect([file, ...args]).toEqual(['my-agent', '--name=A:B-1:build', 'build A:B-1 coder', '/workspace', 'plain']);
    expect(stdin).toBe('Build {{ticket}}.');
    expect(env).toEqual({});
  });

  it('does not expand a value again', () => {
    const { args } = create({ command: ['a', '{{ticket}}'] }).buildTurn({ ...launch, title: '{{agent}}:build' });
    expect(args).toEqual(['{{agent}}']);
  });

  it('uses the command of an agent that has its own', () => {
    const harness = create({ command: ['any', '{{agent}}'], agents: { reviewer: ['special'] } });
    expect(harness.buildTurn({ ...launch, agent: 'reviewer' })).toMatchObject({ file: 'special', args: [] });
    expect(harness.buildTurn(launch)).toMatchObject({ file: 'any', args: ['coder'] });
  });

  it('looks for a program with a path in the repository', async () => {
    const repo = await folder();
    const harness = create({ command: ['./tools/agent'] });
    await expect(harness.validateAgent({ path: repo, agent: 'coder' })).rejects.toThrow(refused('no executable file of the repository', 'harness_rejected'));
    await mkdir(join(repo, 'tools'));
    await script(join(repo, 'tools', 'agent'));
    await harness.validateAgent({ path: repo, agent: 'coder' });
    await harness.probe({ signal: AbortSignal.timeout(5_000) });
  });

  it('keeps the end of a long output, without colours', () => {
    const { reader } = create({ command: ['a'] }).buildTurn(launch);
    for (let line = 0; line < 300_000; line += 1) reader.line(`line ${line} ${'x'.repeat(40)}`);
    reader.line('\u001B[1;32mSTATUS:\u001B[0m success');
    const { text = '' } = reader.end({ exitCode: 0 });
    expect(text.endsWith('\nSTATUS: success')).toBe(true);
    expect(text.length).toBeGreaterThan(2_000_000);
    expect(text.length).toBeLessThan(9_000_000);
  });

  it('tells why there is no report', () => {
    const { reader } = create({ command: ['a'] }).buildTurn(launch);
    expect(reader.end({ signal: 'SIGSEGV' })).toEqual({ failure: 'The command was ended by SIGSEGV, so what it printed is not taken as its report.' });
  });
});
