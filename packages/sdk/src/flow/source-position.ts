import { readFileSync } from 'node:fs';

/** A place in a file. Lines and columns count from 1, columns in UTF-16 units as editors and Node do. */
export interface SourcePosition {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

export function formatPosition({ path, line, column }: SourcePosition): string {
  return `${path}:${line}:${column}`;
}

/** The text of a line of a file, or `undefined` when it cannot be read. */
export function readLine(path: string, line: number): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '').split(/\r\n|[\n\r\u2028\u2029]/)[line - 1];
  } catch {
    return undefined;
  }
}

/** Columns shown to the left and right of the place a long line is cut around. */
const MARGIN = 60;

/** The line at a position with a caret below the column; empty when the file cannot be read. */
export function excerpt(position: SourcePosition): readonly string[] {
  const text = readLine(position.path, position.line);
  if (text === undefined) return [];
  const from = Math.max(0, position.column - 1 - MARGIN);
  const shown = text.slice(from, position.column + MARGIN);
  const gutter = String(position.line);
  // Tabs stay tabs, so that the caret stands under its column at any tab width.
  const lead = shown.slice(0, position.column - 1 - from).replace(/[^\t]/g, ' ');
  return [`  ${gutter} | ${shown}`, `  ${' '.repeat(gutter.length)} | ${lead}^`];
}
