import type { CodeMap } from './source-map.js';
import { formatPosition, type SourcePosition } from './source-position.js';

/** The modules loaded in this process, by URL; V8 names them in stack traces. */
const loaded = new Map<string, CodeMap>();

/** Lets stack traces that mention a module be read in terms of its author's files. */
export function rememberCodeMap(url: string, map: CodeMap): void {
  loaded.set(url, map);
}

const FRAME = /(file:\/\/\S+?):(\d+):(\d+)/g;

/**
 * A stack trace with each place in bundled code replaced by the author's file, line and column. Other frames stay as they are.
 */
export function authorStack(stack: string): string {
  return stack.replace(FRAME, (frame, url: string, line: string, column: string) => {
    const position = loaded.get(url)?.(Number(line), Number(column));
    return position === undefined ? frame : formatPosition(position);
  });
}

/** The author's position nearest to where an error was thrown, or `undefined` when its stack does not lead through a flow. */
export function authorPosition(error: unknown): SourcePosition | undefined {
  const stack = (error as { readonly stack?: unknown } | null | undefined)?.stack;
  if (typeof stack !== 'string') return undefined;
  for (const [, url = '', line, column] of stack.matchAll(FRAME)) {
    const position = loaded.get(url)?.(Number(line), Number(column));
    if (position !== undefined) return position;
  }
  return undefined;
}
