import { expect, test } from 'vitest';
import type { Output } from '../../src/io.js';
import { Painter } from '../../src/terminal/painter.js';
import { widthOf } from '../../src/text/width.js';

/** A terminal that knows what the painter may send: text, line feeds, and moving up and erasing. Lines wrap at its width. */
class Screen implements Output {
  readonly isTerminal = true;
  readonly rows = 50;
  readonly gone = new AbortController().signal;
  readonly failure = undefined;
  columns: number;
  #lines: string[] = [''];
  #row = 0;
  cursorShown = true;
  written = 0;

  constructor(columns: number) {
    this.columns = columns;
  }

  write(text: string): void {
    this.written += 1;
    for (const piece of text.match(/\u001B\[\??\d*[A-Zhl]|[^\u001B]/gu) ?? []) this.#obey(piece);
  }

  flushed(): Promise<void> {
    return Promise.resolve();
  }

  /** As xterm does: lines that no longer fit go on in the next row. */
  resize(columns: number): void {
    this.columns = columns;
    const before = this.#lines.slice(0, this.#row).flatMap((line) => this.#wrapped(line));
    this.#lines = [...before, ''];
    this.#row = before.length;
  }

  get text(): string[] {
    return this.#lines.slice(0, this.#row);
  }

  #wrapped(line: string): string[] {
    const rows: string[] = [];
    for (let rest = line; rows.length === 0 || rest !== ''; rest = rest.slice(this.columns)) rows.push(rest.slice(0, this.columns));
    return rows;
  }

  #obey(piece: string): void {
    const up = /^\u001B\[(\d+)A$/.exec(piece);
    if (up !== null) this.#row = Math.max(0, this.#row - Number(up[1]));
    else if (piece === '\u001B[J') this.#lines.length = this.#row + 1;
    else if (piece === '\u001B[?25l') this.cursorShown = false;
    else if (piece === '\u001B[?25h') this.cursorShown = true;
    else if (piece === '\n') this.#lines[++this.#row] ??= '';
    else if (piece === '\r') this.#lines[this.#row] ??= '';
    else if (!piece.startsWith('\u001B')) this.#type(piece);
    if (up !== null) this.#fresh = true;
    if (piece === '\u001B[J' || piece === '\n' || up !== null) this.#fresh = true;
  }

  #fresh = true;

  #type(character: string): void {
    this.#lines[this.#row] = this.#fresh ? character : (this.#lines[this.#row] ?? '') + character;
    this.#fresh = false;
    expect(widthOf(this.#lines[this.#row] ?? '')).toBeLessThanOrEqual(this.columns);
  }
}

test('repaints in place and keeps what was printed above', () => {
  const screen = new Screen(20);
  const painter = new Painter(screen);
  painter.paint(['one', 'two']);
  painter.print('done\n');
  painter.paint(['three']);
  expect(screen.text).toEqual(['done', 'three']);
  expect(screen.cursorShown).toBe(false);
  painter.clear();
  expect(screen.text).toEqual(['done']);
  expect(screen.cursorShown).toBe(true);
});

test('writes nothing when nothing changed', () => {
  const screen = new Screen(20);
  const painter = new Painter(screen);
  painter.paint(['one']);
  const { written } = screen;
  painter.paint(['one']);
  expect(screen.written).toBe(written);
});

test('a terminal that became narrower is cleaned of the wrapped lines', () => {
  const screen = new Screen(20);
  const painter = new Painter(screen);
  painter.print('above\n');
  painter.paint(['0123456789abcdefghi', 'short']);
  screen.resize(10);
  painter.paint(['new']);
  expect(screen.text).toEqual(['above', 'new']);
});

test('clearing twice, or before anything was painted, does nothing', () => {
  const screen = new Screen(20);
  const painter = new Painter(screen);
  painter.clear();
  painter.paint(['one']);
  painter.clear();
  painter.clear();
  expect(screen.text).toEqual([]);
});
