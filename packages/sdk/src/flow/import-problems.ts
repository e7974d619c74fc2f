import { FlowsError } from '../errors/flows-error.js';
import type { ImportSite } from './module-syntax.js';
import { packageName } from './resolve-package.js';
import { lineAndColumn, readCodeMap } from './source-map.js';
import { excerpt, formatPosition, type SourcePosition } from './source-position.js';

/** The error for a flow with imports that cannot be followed: packages that are not installed, and URLs, whose content no bundle could hold. */
export function importsNotFound(args: {
  readonly file: string;
  readonly directory: string;
  readonly code: string;
  readonly map: string;
  readonly sites: readonly ImportSite[];
}): FlowsError {
  const { file, sites } = args;
  const find = readCodeMap(args.map, args.directory);
  const problems = sites.map(({ specifier = '', start }) => {
    const { line, column } = lineAndColumn(args.code, start);
    return { specifier, position: find(line, column), reason: reasonFor(specifier) };
  });
  const [first] = problems;
  return new FlowsError('invalid_spec', [
    `${file} imports what is not there.`,
    ...problems.flatMap(({ specifier, position, reason }) => [
      `${position === undefined ? '' : `${formatPosition(position)}: `}"${specifier}" ${reason}`,
      ...(position === undefined ? [] : excerpt(position)),
    ]),
  ].join('\n'), {
    hint: hintFor(problems.map(({ specifier }) => specifier)),
    evidence: { path: first?.position?.path ?? file, ...placeOf(first?.position), missing: problems.map(({ specifier }) => specifier) },
  });
}

function reasonFor(specifier: string): string {
  return isUrl(specifier) ? 'is a URL; only packages and relative paths can be imported' : 'is not installed where the flow lies';
}

function hintFor(specifiers: readonly string[]): string {
  const names = [...new Set(specifiers.flatMap((specifier) => packageName(specifier) ?? []))];
  if (names.length > 0) return `Run npm install ${names.join(' ')} in the flow's repository.`;
  return specifiers.every(isUrl) ? 'Write a path that begins with ./ or ../ instead.' : 'Write a relative path: path aliases of a tsconfig.json are not read.';
}

function isUrl(specifier: string): boolean {
  return /^[a-zA-Z][a-zA-Z\d+.-]+:/.test(specifier);
}

function placeOf(position: SourcePosition | undefined): { readonly line?: number; readonly column?: number } {
  return position === undefined ? {} : { line: position.line, column: position.column };
}
