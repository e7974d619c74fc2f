import { describe, expect, it } from 'vitest';
import { planAgent } from '../../src/agents/options.js';

describe('planAgent', () => {
  it('fills in the defaults', () => {
    expect(planAgent('coder', { task: ' do it\n' })).toEqual({
      name: 'coder', task: ' do it\n', cli: undefined, model: undefined, cwd: undefined, timeoutMs: undefined, transport: 'direct',
      maxIterations: 1, transportRetries: 1, recoveryMode: 'reset', permissions: undefined, resume: undefined, onCrash: 'rerun',
    });
  });

  it.each([
    { task: 'x', timeout: '24h' },
    { task: 'x', timeout: '1.5s', transport: 'direct', maxIterations: 1 },
    { task: 'x', timeout: 1 },
    { task: 'x', transport: 'relay', maxIterations: 3, transportRetries: 0 },
    { task: 'x', cwd: 'packages/a' },
    { task: 'x', resume: 'a'.repeat(200) },
    { task: 'x', permissions: { fileGlobs: ['src/**'], networkAllowlist: [], accessPreset: 'readonly' } },
    { task: 'x', onCrash: 'park', recoveryMode: 'manual' },
  ])('accepts %j', (options) => expect(() => planAgent('a', options)).not.toThrow());

  it.each([
    ['', { task: 'x' }],
    [' ', { task: 'x' }],
    [7, { task: 'x' }],
    ['a', undefined],
    ['a', []],
    ['a', {}],
    ['a', { task: ' \n' }],
    ['a', { task: 5 }],
    ['a', { task: 'x', cli: ' ' }],
    ['a', { task: 'x', model: '' }],
    ['a', { task: 'x', timeOut: '5m' }],
    ['a', { task: 'x', cwd: null }],
    ['a', { task: 'x', cwd: '' }],
    ['a', { task: 'x', cwd: '.' }],
    ['a', { task: 'x', cwd: './a' }],
    ['a', { task: 'x', cwd: 'a/../b' }],
    ['a', { task: 'x', cwd: 'a//b' }],
    ['a', { task: 'x', cwd: 'a/' }],
    ['a', { task: 'x', cwd: ' a' }],
    ['a', { task: 'x', cwd: 'a\0' }],
    ['a', { task: 'x', cwd: 'file:///a' }],
    ['a', { task: 'x', timeout: 0 }],
    ['a', { task: 'x', timeout: -1 }],
    ['a', { task: 'x', timeout: '5 minutes' }],
    ['a', { task: 'x', timeout: '24.1h' }],
    ['a', { task: 'x', timeout: '5m', transport: 'relay' }],
    ['a', { task: 'x', timeout: '5m', maxIterations: 2 }],
    ['a', { task: 'x', transport: 'pigeon' }],
    ['a', { task: 'x', maxIterations: 0 }],
    ['a', { task: 'x', maxIterations: 1.5 }],
    ['a', { task: 'x', maxIterations: '2' }],
    ['a', { task: 'x', transportRetries: -1 }],
    ['a', { task: 'x', recoveryMode: 'retry' }],
    ['a', { task: 'x', workspace: 'main' }],
    ['a', { task: 'x', permissions: { files: [] } }],
    ['a', { task: 'x', permissions: { fileGlobs: 'src' } }],
    ['a', { task: 'x', permissions: { accessPreset: 'write' } }],
    ['a', { task: 'x', resume: '' }],
    ['a', { task: 'x', resume: '-x' }],
    ['a', { task: 'x', resume: 'a'.repeat(201) }],
    ['a', { task: 'x', resume: 's1', transport: 'relay' }],
    ['a', { task: 'x', onCrash: 'ignore' }],
  ])('refuses %j %j', (name, options) => {
    expect(() => planAgent(name, options)).toThrow(expect.objectContaining({ code: 'agent_cli_unresolved' }));
  });

  it.each(['main: readonly', 'main:readwrite'])('refuses the workspace %j with a code of its own', (workspace) => {
    expect(() => planAgent('a', { task: 'x', workspace })).toThrow(expect.objectContaining({ code: 'unsupported_workspace_permission' }));
  });
});
