import { pad, truncate, widthOf } from './width.js';

export interface TableColumn {
  readonly title: string;
  readonly align?: 'right';
  /** Gives way when the table is wider than the terminal. At most one column should. */
  readonly flexible?: true;
}

/** Lines of a table with a heading. Columns that are empty in every row are left out. `columns` is the room there is; none limits nothing. */
export function table(head: readonly TableColumn[], rows: readonly (readonly string[])[], columns?: number): string[] {
  const shown = head.map((column, index) => ({ ...column, index })).filter(({ index }) => rows.some((row) => (row[index] ?? '') !== ''));
  const widths = shown.map(({ title, index }) => Math.max(widthOf(title), ...rows.map((row) => widthOf(row[index] ?? ''))));
  if (columns !== undefined) giveWay(shown, widths, columns);

  const line = (cells: readonly string[]): string =>
    shown.map(({ align }, place) => {
      const width = widths[place] ?? 0;
      const cell = truncate(cells[place] ?? '', width);
      return align === 'right' ? ' '.repeat(Math.max(0, width - widthOf(cell))) + cell : pad(cell, width);
    }).join('  ').trimEnd();

  const lines = [line(shown.map(({ title }) => title)), ...rows.map((row) => line(shown.map(({ index }) => row[index] ?? '')))];
  return columns === undefined ? lines : lines.map((text) => truncate(text, columns));
}

const NARROWEST = 8;

function giveWay(shown: readonly TableColumn[], widths: number[], columns: number): void {
  const total = widths.reduce((sum, width) => sum + width, 0) + 2 * (widths.length - 1);
  const place = shown.findIndex(({ flexible }) => flexible === true);
  const width = widths[place];
  if (width === undefined || total <= columns) return;
  widths[place] = Math.max(Math.min(NARROWEST, width), width - (total - columns));
}
