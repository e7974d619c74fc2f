import { SourceMap, type SourceMapPayload } from 'node:module';
import { resolve } from 'node:path';
import type { SourcePosition } from './source-position.js';

/** Finds where a piece of bundled code was written. */
export interface CodeMap {
  /** The author's position for a line and a column of the bundle, both from 1; `undefined` for code that esbuild added. */
  (line: number, column: number): SourcePosition | undefined;
}

/** Reads a module's source map; its sources are relative to `directory`. */
export function readCodeMap(map: string, directory: string): CodeMap {
  let parsed: SourceMap | undefined;
  return (line, column) => {
    parsed ??= new SourceMap(JSON.parse(map) as SourceMapPayload);
    const entry = parsed.findEntry(line - 1, column - 1);
    if (!('originalSource' in entry) || entry.originalSource === undefined) return undefined;
    return { path: resolve(directory, decodeURIComponent(entry.originalSource)), line: entry.originalLine + 1, column: entry.originalColumn + 1 };
  };
}

/** Line and column, from 1, of an offset in a text. */
export function lineAndColumn(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}
