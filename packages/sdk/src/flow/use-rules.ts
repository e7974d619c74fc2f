import { FlowsError } from '../errors/flows-error.js';

const USE_ENTRY = /^\.{1,2}\/[^?#\\]+\.flow\.ts$/;

/** Throws `use_invalid` unless an entry of `use` is a relative path to a `*.flow.ts` file. */
export function checkUseEntry(file: string, specifier: string): void {
  if (USE_ENTRY.test(specifier)) return;
  throw new FlowsError('use_invalid', `${file} uses ${JSON.stringify(specifier)}, which is not a relative path to a *.flow.ts file.`, {
    hint: 'Write it like "./lint.flow.ts": beginning with ./ or ../, with forward slashes, without ? and #.',
    evidence: { path: file, specifier },
  });
}

/** The error for two entries of one `use` that lead to the same file. */
export function usedTwice(file: string, specifiers: readonly [string, string]): FlowsError {
  const [first, second] = specifiers;
  const text = first === second ? `${JSON.stringify(first)} twice` : `${JSON.stringify(first)} and ${JSON.stringify(second)}, which are the same file`;
  return new FlowsError('use_invalid', `${file} uses ${text}.`, { hint: 'Remove one of them.', evidence: { path: file, specifiers } });
}

/** The error for a flow that is among its own children; `chain` leads from it back to itself. */
export function usesItself(chain: readonly [string, ...string[]]): FlowsError {
  return new FlowsError('use_cycle', `Child flows use each other in a circle:\n${chain.map((file, depth) => `${'  '.repeat(depth + 1)}${file}`).join('\n')}`, {
    hint: 'Remove one of these `use` entries.',
    evidence: { path: chain[0], chain },
  });
}
