import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { executableName, findExecutable } from '../../src/agents/executable.js';
import { adapterFor, chooseAgent, requireAllowedModel } from '../../src/agents/resolve.js';
import { wrapperAdapter } from '../../src/agents/wrapper/adapter.js';
import { folder } from './fixture.js';

const header = { agents: { coder: { cli: 'claude', model: 'm-header' } } };

describe('chooseAgent', () => {
  it.each([
    ['the step wins', { name: 'coder', cli: 'codex', model: 'm-step', header, config: { cli: './d' } }, { cli: 'codex', model: 'm-step', cliFrom: 'the step' }],
    ['then the named agent', { name: 'coder', header, config: { cli: './d' } }, { cli: 'claude', model: 'm-header', cliFrom: 'the header' }],
    ['then flows.json', { name: 'other', header, config: { cli: './d' } }, { cli: './d', cliFrom: 'flows.json' }],
    ['the model of a named agent goes with another CLI too', { name: 'coder', cli: './x', header, config: undefined }, { cli: './x', model: 'm-header', cliFrom: 'the step' }],
    ['a model call has no named agent', { header, config: { cli: './d' } }, { cli: './d', cliFrom: 'flows.json' }],
    ['a name like a member of every object is no agent', { name: 'constructor', header, config: { cli: './d' } }, { cli: './d', cliFrom: 'flows.json' }],
  ])('%s', (_what, input, choice) => expect(chooseAgent(input)).toEqual(choice));

  it('refuses without any', () => {
    expect(() => chooseAgent({ name: 'x', header: {}, config: {} })).toThrow(expect.objectContaining({ code: 'cli_unresolved', exitCode: 2, hint: expect.stringContaining('flows.json') }));
  });

  it.each(['', ' m', 'a b', 'a\tb', 'a\u0000', 'a\u007f'])('refuses the model name %j', (model) => {
    expect(() => chooseAgent({ model, cli: 'x', header: {}, config: undefined })).toThrow(expect.objectContaining({ code: 'model_unknown' }));
  });
});

describe('requireAllowedModel', () => {
  it.each([
    [undefined, undefined],
    ['m', undefined],
    ['m', ['m', 'n']],
  ])('model %j with the list %j passes', (model, models) => {
    expect(() => requireAllowedModel({ model, cli: 'x', config: models === undefined ? {} : { models } })).not.toThrow();
  });

  it.each([
    ['M', ['m']],
    ['m', []],
    [undefined, ['m']],
    [undefined, []],
  ])('model %j with the list %j is refused', (model, models) => {
    expect(() => requireAllowedModel({ model, cli: 'x', config: { models } })).toThrow(expect.objectContaining({ code: 'model_unavailable', evidence: { allowed: models } }));
  });
});

describe('adapterFor', () => {
  it.each(['./bin/agent', 'my-agent', '/opt/claude-wrapper'])('%s is a wrapper', (cli) => expect(adapterFor(cli, [wrapperAdapter])).toBe(wrapperAdapter));

  it.each(['claude', '/usr/bin/codex', 'opencode', 'pi', 'cursor'])('%s needs an adapter of its own', (cli) => {
    expect(() => adapterFor(cli, [wrapperAdapter])).toThrow(expect.objectContaining({ code: 'cli_unsupported' }));
  });

  it('asks adapters in order', () => {
    const own = { ...wrapperAdapter, name: 'own', matches: (name: string) => name === 'claude' };
    expect(adapterFor('/x/claude.exe', [own, wrapperAdapter])).toBe(own);
  });
});

describe('findExecutable', () => {
  function program(path: string): string {
    writeFileSync(path, '#!/bin/sh\n');
    chmodSync(path, 0o755);
    return path;
  }

  it('looks for a name on PATH, in order, past what cannot be executed', () => {
    const cwd = folder();
    for (const name of ['a', 'b', 'c']) mkdirSync(join(cwd, name));
    mkdirSync(join(cwd, 'a', 'agent'));
    writeFileSync(join(cwd, 'b', 'agent'), 'text');
    const found = program(join(cwd, 'c', 'agent'));
    const env = { PATH: `${cwd}/a:${cwd}/b:c:${cwd}/none` };
    expect(findExecutable({ cli: 'agent', cwd, env })).toBe(found);
    expect(() => findExecutable({ cli: 'other', cwd, env })).toThrow(expect.objectContaining({ code: 'cli_missing', evidence: { searched: [`${cwd}/a`, `${cwd}/b`, `${cwd}/c`, `${cwd}/none`] } }));
  });

  it('takes a path from the run directory', () => {
    const cwd = folder();
    const found = program(join(cwd, 'agent'));
    expect(findExecutable({ cli: './agent', cwd, env: {} })).toBe(found);
    expect(findExecutable({ cli: found, cwd: '/', env: {} })).toBe(found);
    for (const [cli, message] of [['./none', 'does not exist'], ['./', 'is not a file']] as const) {
      expect(() => findExecutable({ cli, cwd, env: {} })).toThrow(expect.objectContaining({ code: 'cli_missing', text: expect.stringContaining(message) }));
    }
    writeFileSync(join(cwd, 'text'), '');
    expect(() => findExecutable({ cli: './text', cwd, env: {} })).toThrow(expect.objectContaining({ hint: expect.stringContaining('chmod +x') }));
  });
});

describe('executableName', () => {
  it.each([['claude', 'claude'], ['/a/b/codex', 'codex'], ['./pi.cmd', 'pi'], ['x/GEMINI.EXE', 'GEMINI']])('%s → %s', (cli, name) => expect(executableName(cli)).toBe(name));
});
