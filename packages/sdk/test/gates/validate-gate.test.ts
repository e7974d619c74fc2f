import { describe, expect, it } from 'vitest';
import { isFlowsError } from '../../src/errors/flows-error.js';
import { validateGate } from '../../src/verbs/gates/index.js';

function codeOf(gate: unknown): string | undefined {
  try {
    validateGate(gate as never);
    return undefined;
  } catch (error) {
    if (!isFlowsError(error)) throw error;
    expect(error.hint).toBeTruthy();
    return error.code;
  }
}

describe('validateGate', () => {
  it.each<unknown>([
    { type: 'references_input', input_key: 'title' },
    { type: 'references_input', input_key: 'title', in_output_at: ['items', 0, 'title'] },
    { type: 'references_input', input_key: 'title', in_output_at: [] },
    { type: 'subprocess_gate', command: 'npm test' },
    { type: 'subprocess_gate', command: 'jq -e .ok', from_output: ['summary'] },
    { type: 'word_count_bounds', min: 0 },
    { type: 'word_count_bounds', max: 10 },
    { type: 'word_count_bounds', min: 10, max: 10 },
    { type: 'regex_match', pattern: '' },
    { type: 'regex_match', pattern: '^done$', flags: 'ims' },
    { type: 'regex_match', pattern: 'x'.repeat(8_192), flags: '' },
    { type: 'artifact_exists', path: 'dist/report.md' },
    { type: 'artifact_exists', path: '/absolute/is/decided/later' },
    { type: 'artifact_exists', path: '.git/config' },
    { type: 'artifact_exists', path: 'a/../b' },
  ])('accepts %j', (gate) => {
    expect(codeOf(gate)).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ['unsupported_gate', null],
    ['unsupported_gate', 'regex_match'],
    ['unsupported_gate', []],
    ['unknown_gate_kind', {}],
    ['unknown_gate_kind', { type: undefined }],
    ['unknown_gate_kind', { type: 'toString' }],
    ['unknown_gate_kind', { type: '__proto__' }],
    ['unknown_gate_kind', { type: 'word_count' }],
    ['unsupported_gate', { type: 'word_count_bounds', min: 1, maximum: 3 }],
    ['unsupported_gate', { type: 'references_input' }],
    ['unsupported_gate', { type: 'references_input', input_key: ' ' }],
    ['unsupported_gate', { type: 'references_input', input_key: 'a', in_output_at: 'summary' }],
    ['unsupported_gate', { type: 'references_input', input_key: 'a', in_output_at: [-1] }],
    ['unsupported_gate', { type: 'references_input', input_key: 'a', in_output_at: [1.5] }],
    ['unsupported_gate', { type: 'references_input', input_key: 'a', in_output_at: [{}] }],
    ['gate_command_missing', { type: 'subprocess_gate' }],
    ['gate_command_missing', { type: 'subprocess_gate', command: '' }],
    ['gate_command_missing', { type: 'subprocess_gate', command: ' \n\t' }],
    ['gate_command_missing', { type: 'subprocess_gate', command: 5 }],
    ['gate_command_missing', { type: 'subprocess_gate', command: 'a\0b' }],
    ['gate_bound_invalid', { type: 'word_count_bounds' }],
    ['gate_bound_invalid', { type: 'word_count_bounds', min: -1 }],
    ['gate_bound_invalid', { type: 'word_count_bounds', max: 1.5 }],
    ['gate_bound_invalid', { type: 'word_count_bounds', max: Number.NaN }],
    ['gate_bound_invalid', { type: 'word_count_bounds', max: Number.POSITIVE_INFINITY }],
    ['gate_bound_invalid', { type: 'word_count_bounds', min: '1' }],
    ['gate_bound_invalid', { type: 'word_count_bounds', min: 3, max: 2 }],
    ['gate_pattern_invalid', { type: 'regex_match' }],
    ['gate_pattern_invalid', { type: 'regex_match', pattern: /x/ }],
    ['gate_pattern_invalid', { type: 'regex_match', pattern: 'x'.repeat(8_193) }],
    ['gate_pattern_invalid', { type: 'regex_match', pattern: 'x', flags: 'g' }],
    ['gate_pattern_invalid', { type: 'regex_match', pattern: 'x', flags: 'ii' }],
    ['gate_pattern_invalid', { type: 'regex_match', pattern: 'x', flags: 5 }],
    ['gate_pattern_invalid', { type: 'regex_match', pattern: '(x' }],
    ['gate_pattern_invalid', { type: 'regex_match', pattern: 'x(?=y)' }],
    ['gate_pattern_invalid', { type: 'regex_match', pattern: '(x)\\1' }],
    ['gate_pattern_invalid', { type: 'regex_match', pattern: '((x{1000}){1000}){1000}' }],
    ['unsupported_gate', { type: 'artifact_exists' }],
    ['unsupported_gate', { type: 'artifact_exists', path: '  ' }],
    ['unsupported_gate', { type: 'artifact_exists', path: '../outside' }],
    ['unsupported_gate', { type: 'artifact_exists', path: 'a/../../outside' }],
    ['unsupported_gate', { type: 'artifact_exists', path: 'a\0' }],
    ['unsupported_gate', { type: 'artifact_exists', path: 'file:///etc/passwd' }],
  ])('refuses as %s: %j', (code, gate) => {
    expect(codeOf(gate)).toBe(code);
  });
});
