import { FlowsError, isFlowsError } from '../errors/flows-error.js';
import { authorPosition, authorStack } from './author-position.js';
import { excerpt, formatPosition, type SourcePosition } from './source-position.js';

const EXAMPLE = "Write `export default flow('name', async (f) => { … })`, with flow imported from @relayflows/surface.";

/** The error for a file whose default export is not a flow. `surface` is the file of the package that it imports `flow` from, when it does. */
export function notAFlow(file: string, exported: unknown, surface?: string): FlowsError {
  const lookAlike = looksLikeHandle(exported);
  return new FlowsError('invalid_spec', `${file} ${describeExport(exported)}.`, {
    hint: lookAlike && surface !== undefined
      ? `It imports ${surface}; a version made for another runtime cannot be used, so install the one that belongs to this runtime or remove it.`
      : hintFor(exported),
    evidence: { path: file, ...(surface === undefined ? {} : { surface }) },
  });
}

function describeExport(exported: unknown): string {
  if (exported === undefined) return 'has no default export';
  if (exported === null) return 'exports null as its default, not a flow';
  if (isThenable(exported)) return 'exports a promise as its default, not a flow';
  if (looksLikeHandle(exported)) return 'exports an object like a flow that flow() did not return: expected an @relayflows/surface flow handle';
  return `exports ${typeof exported === 'object' ? 'an object' : `a ${typeof exported}`} as its default, not a flow`;
}

function hintFor(exported: unknown): string {
  if (isThenable(exported)) return 'Write `export default await …`, or call flow() directly.';
  if (looksLikeHandle(exported)) return 'Export what flow() returned, not a copy of it.';
  return EXAMPLE;
}

function isThenable(value: unknown): boolean {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function';
}

function looksLikeHandle(value: unknown): boolean {
  const candidate = value as { readonly name?: unknown; readonly on?: unknown } | null;
  return typeof candidate === 'object' && typeof candidate?.name === 'string' && typeof candidate.on === 'function';
}

/** The error for a file whose top level is still running at its deadline. */
export function topLevelHangs(file: string, milliseconds: number): FlowsError {
  return new FlowsError('invalid_spec', `The top level of ${file} did not finish within ${milliseconds / 1000} s.`, {
    hint: 'Look for a top-level `await` that never settles, and move work into the body of the flow.',
    evidence: { path: file },
  });
}

/** The error for a file that could not be linked, or whose top level threw. */
export function topLevelFailed(args: {
  readonly file: string;
  /** URL of the module that was imported. */
  readonly url: string;
  readonly error: unknown;
  readonly specifiers: ReadonlyMap<string, string>;
}): FlowsError {
  const { file, error } = args;
  if (isFlowsError(error)) return error;
  const message = messageOf(error, args.specifiers);
  const position = authorPosition(error);
  const header = /^unsupported_header: /.exec(message);
  return new FlowsError(header === null ? 'invalid_spec' : 'unsupported_header', [
    header === null ? `${file} cannot be loaded: ${message}` : message.slice(header[0].length),
    ...(position === undefined ? [] : [`at ${formatPosition(position)}`, ...excerpt(position)]),
  ].join('\n'), {
    hint: header === null ? 'The top level of a flow file runs whenever the file is loaded, also by `flows check`; it must not fail.' : 'Correct the header.',
    evidence: { path: position?.path ?? file, ...placeOf(position), ...stackOf(error) },
    cause: error,
  });
}

function messageOf(error: unknown, specifiers: ReadonlyMap<string, string>): string {
  const text = error instanceof Error ? error.message : `it threw ${String(error)}`;
  let named = text;
  for (const [url, specifier] of specifiers) named = named.replaceAll(url, specifier);
  return named;
}

function placeOf(position: SourcePosition | undefined): { readonly line?: number; readonly column?: number } {
  return position === undefined ? {} : { line: position.line, column: position.column };
}

function stackOf(error: unknown): { readonly stack?: string } {
  const stack = (error as { readonly stack?: unknown } | null | undefined)?.stack;
  return typeof stack === 'string' ? { stack: authorStack(stack) } : {};
}
