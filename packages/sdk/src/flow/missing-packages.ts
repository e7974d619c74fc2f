import { FlowsError } from '../errors/flows-error.js';

/** The error for a flow that imports packages which are not installed where it lies. */
export function missingPackages(file: string, specifiers: readonly string[]): FlowsError {
  const names = specifiers.map((specifier) => specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1).join('/'));
  const text = specifiers.length === 1
    ? `${file} imports "${specifiers[0]}", which is not installed there.`
    : `${file} imports packages that are not installed there: ${specifiers.map((specifier) => `"${specifier}"`).join(', ')}.`;
  return new FlowsError('invalid_spec', text, {
    hint: `Run npm install ${[...new Set(names)].join(' ')} in the flow's repository.`,
    evidence: { path: file, missing: specifiers },
  });
}
