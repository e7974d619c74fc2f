import type { NamedGate } from '@relayflows/surface';
import type { ErrorCode } from '../../errors/codes.js';
import { FlowsError } from '../../errors/flows-error.js';
import { compileLinearPattern, PATTERN_MAX_CHARACTERS } from './linear-pattern.js';
import { pathProblem } from './artifact.js';

const MEMBERS: Readonly<Record<NamedGate['type'], readonly string[]>> = {
  references_input: ['input_key', 'in_output_at'],
  subprocess_gate: ['command', 'from_output'],
  word_count_bounds: ['min', 'max'],
  regex_match: ['pattern', 'flags', 'in_output_at'],
  artifact_exists: ['path'],
};

/**
 * Checks a named gate when it is put on a step; nothing is read or started.
 *
 * Throws `unknown_gate_kind`, `gate_command_missing`, `gate_bound_invalid` or `gate_pattern_invalid`, and `unsupported_gate` for anything else that
 * makes the gate unusable.
 */
export function validateGate(gate: NamedGate): void {
  if (typeof gate !== 'object' || gate === null || Array.isArray(gate)) {
    throw new FlowsError('unsupported_gate', 'A gate is neither a function nor an object.', { hint: `Pass a predicate, or an object with a type: ${Object.keys(MEMBERS).join(', ')}.` });
  }
  if (!Object.hasOwn(gate, 'type') || !Object.hasOwn(MEMBERS, String(gate.type))) {
    throw new FlowsError('unknown_gate_kind', `There is no gate of type ${JSON.stringify(gate.type) ?? 'undefined'}.`, { hint: `Use one of ${Object.keys(MEMBERS).join(', ')}.` });
  }
  const unknown = Object.keys(gate).filter((key) => key !== 'type' && !MEMBERS[gate.type].includes(key));
  if (unknown.length > 0) throw refusal(gate, 'unsupported_gate', `does not know ${unknown.map((key) => JSON.stringify(key)).join(', ')}`, `It has ${MEMBERS[gate.type].join(', ')}.`);
  switch (gate.type) {
    case 'references_input':
      if (isBlank(gate.input_key)) throw refusal(gate, 'unsupported_gate', 'has no input_key', 'Name the member of the input whose value the output must contain.');
      return checkSelection(gate, 'in_output_at', gate.in_output_at);
    case 'subprocess_gate':
      if (isBlank(gate.command) || gate.command.includes('\0')) throw refusal(gate, 'gate_command_missing', 'has no command', 'Give it a shell command that exits with 0 when the gate passes.');
      return checkSelection(gate, 'from_output', gate.from_output);
    case 'word_count_bounds':
      return checkBounds(gate);
    case 'regex_match':
      checkPattern(gate);
      return checkSelection(gate, 'in_output_at', gate.in_output_at);
    case 'artifact_exists': {
      const problem = pathProblem(gate.path);
      if (problem !== undefined) throw refusal(gate, 'unsupported_gate', `has a path that ${problem}`, "Name a file below the step's directory, like 'dist/report.md'.");
    }
  }
}

function checkBounds(gate: Extract<NamedGate, { type: 'word_count_bounds' }>): void {
  const { min, max } = gate;
  if (min === undefined && max === undefined) throw refusal(gate, 'gate_bound_invalid', 'has neither min nor max', 'Give at least one of them.');
  for (const [name, bound] of [['min', min], ['max', max]] as const) {
    if (bound !== undefined && (!Number.isSafeInteger(bound) || bound < 0)) throw refusal(gate, 'gate_bound_invalid', `has a ${name} that is not a whole number, 0 or more`, 'Give a number of words.');
  }
  if (min !== undefined && max !== undefined && min > max) throw refusal(gate, 'gate_bound_invalid', `has a min of ${min} above its max of ${max}`, 'No text can pass: swap them.');
}

function checkPattern(gate: Extract<NamedGate, { type: 'regex_match' }>): void {
  const { pattern, flags = '' } = gate;
  if (typeof pattern !== 'string' || pattern.length > PATTERN_MAX_CHARACTERS) {
    throw refusal(gate, 'gate_pattern_invalid', typeof pattern === 'string' ? `has a pattern of ${pattern.length} characters` : 'has no pattern', 'Give a text of at most 8,192 characters in RE2 syntax.');
  }
  if (typeof flags !== 'string' || !/^[ims]*$/.test(flags) || new Set(flags).size !== flags.length) {
    throw refusal(gate, 'gate_pattern_invalid', `has the flags ${JSON.stringify(flags)}`, 'Use i, m and s, each at most once.');
  }
  const compiled = compileLinearPattern({ pattern, flags });
  if (!compiled.ok) throw refusal(gate, 'gate_pattern_invalid', `has a pattern that cannot be used: ${compiled.problem}`, 'Write it in RE2 syntax, which has no look-around and no back-references.');
}

function checkSelection(gate: NamedGate, member: string, path: unknown): void {
  if (path === undefined) return;
  const usable = Array.isArray(path) && path.every((part) => typeof part === 'string' || (Number.isSafeInteger(part) && (part as number) >= 0));
  if (!usable) throw refusal(gate, 'unsupported_gate', `has an unusable ${member}`, "Give a list of member names and array positions, like ['items', 0, 'title'].");
}

function isBlank(value: unknown): boolean {
  return typeof value !== 'string' || value.trim() === '';
}

function refusal(gate: NamedGate, code: ErrorCode, problem: string, hint: string): FlowsError {
  return new FlowsError(code, `The gate ${gate.type} ${problem}.`, { hint, evidence: { gate: gate.type } });
}
