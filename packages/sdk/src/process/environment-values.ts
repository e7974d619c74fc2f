import { FlowsError } from '../errors/flows-error.js';

/** Linux takes at most 131,072 bytes for `NAME=value` and its end mark; what is left over 131,000 is room for the name. */
const VALUE_BYTES = 131_000;
const ENTRY_BYTES = 131_072;

/**
 * Checks variables that a step names. A name must not be empty or contain `=` or NUL, a value must be a string of at most 131,000 bytes without NUL:
 * anything else the operating system would refuse when the process starts, or cut silently.
 *
 * @throws {FlowsError} `env_invalid`, naming every variable that is wrong and never a value.
 */
export function checkEnvironmentValues(env: unknown): asserts env is Readonly<Record<string, string>> {
  if (typeof env !== 'object' || env === null || Array.isArray(env)) {
    throw new FlowsError('env_invalid', `env must be an object of strings, not ${env === null ? 'null' : Array.isArray(env) ? 'an array' : `a ${typeof env}`}.`, {
      hint: "Write env: { NAME: 'value' }.",
    });
  }
  const problems = Object.entries(env).flatMap(([name, value]) => {
    const problem = problemOf(name, value);
    return problem === undefined ? [] : [{ name, problem }];
  });
  const [first] = problems;
  if (first === undefined) return;
  throw new FlowsError('env_invalid', problems.map(({ name, problem }) => `The variable ${JSON.stringify(name)} ${problem}`).join('; ') + '.', {
    hint: 'Give strings; pass long texts on standard input or in a file.',
    evidence: { variables: problems.map(({ name }) => name) },
  });
}

function problemOf(name: string, value: unknown): string | undefined {
  if (name === '') return 'has no name';
  if (name.includes('=')) return 'has a "=" in its name';
  if (name.includes('\0')) return 'has a NUL in its name';
  if (typeof value !== 'string') return `is ${value === null ? 'null' : value === undefined ? 'undefined' : `a ${typeof value}`} and not a string`;
  if (value.includes('\0')) return 'contains a NUL, which ends a text for the operating system';
  const bytes = Buffer.byteLength(value);
  if (bytes > VALUE_BYTES) return `has ${bytes} bytes; at most ${VALUE_BYTES} are possible`;
  if (bytes + Buffer.byteLength(name) + 2 > ENTRY_BYTES) return `has a name and a value of more than ${ENTRY_BYTES - 2} bytes together`;
  return undefined;
}
