import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { isFlowsError, type FlowsError } from '../../src/errors/flows-error.js';
import { checkEnvironmentValues } from '../../src/process/environment-values.js';

function refusal(env: unknown): FlowsError {
  try {
    checkEnvironmentValues(env);
  } catch (error) {
    if (isFlowsError(error)) return error;
    throw error;
  }
  throw new Error('It was accepted.');
}

describe('variables that a step names', () => {
  it.each([
    [{}],
    [{ A: '', B: 'x\ny', 'WITH-DASH': '1', 'a.b': '2', ÄÖ: '🦊' }],
    [{ LONG: 'x'.repeat(131_000) }],
  ])('accepts %o', (env) => {
    expect(() => checkEnvironmentValues(env)).not.toThrow();
  });

  it('accepts the longest value that the system takes', () => {
    const env = { LONG: 'x'.repeat(131_000) };
    checkEnvironmentValues(env);
    expect(spawnSync('/bin/sh', ['-c', 'printf %s "${#LONG}"'], { env, encoding: 'utf8' }).stdout).toBe('131000');
  });

  it.each([
    ['a NUL in a value', { A: 'x\0y' }, /"A" contains a NUL/],
    ['a value over the limit', { A: 'x'.repeat(131_001) }, /"A" has 131001 bytes; at most 131000/],
    ['bytes, not characters', { A: 'é'.repeat(65_501) }, /131002 bytes/],
    ['a name too long with its value', { ['N'.repeat(200)]: 'x'.repeat(131_000) }, /together/],
    ['an empty name', { '': 'x' }, /has no name/],
    ['"=" in a name', { 'A=B': 'x' }, /"A=B" has a "="/],
    ['NUL in a name', { 'A\0': 'x' }, /NUL in its name/],
    ['a number', { A: 1 }, /"A" is a number and not a string/],
    ['null', { A: null }, /"A" is null/],
    ['undefined', { A: undefined }, /"A" is undefined/],
    ['no object', 'A=1', /not a string/],
    ['an array', ['A=1'], /not an array/],
  ])('refuses %s', (_, env, text) => {
    const error = refusal(env);
    expect(error.code).toBe('env_invalid');
    expect(error.text).toMatch(text);
    expect(error.hint).toBeTruthy();
  });

  it('names every wrong variable and no value', () => {
    const error = refusal({ A_TOKEN: 'secret\0', B: 2, C: 'fine' });
    expect(error.evidence['variables']).toEqual(['A_TOKEN', 'B']);
    expect(JSON.stringify(error)).not.toContain('secret');
  });
});
