import type { Raw } from './raw.js';

export interface Line {
  /** Without its line break. */
  readonly text: Raw;
  readonly start: number;
  /** After its line break. */
  readonly end: number;
  /** In a code fence or an HTML comment of several lines: quoted, not meant. */
  readonly hidden: boolean;
}

/** What opens a region whose lines are not meant, and what closes it. */
interface Opener {
  /** Regions that the same lines can close share a kind; `size` is how strong the closing line must be. */
  readonly kind: '`' | '~' | '<!--';
  readonly size: number;
}

/**
 * The lines of a body. A fence or HTML comment that is never closed hides nothing: Markdown would take the rest of the file for it, comments and all, which
 * nobody means.
 */
export function linesOf(body: Raw): readonly Line[] {
  const lines = split(body);
  const hidden = new Set<number>();
  // Once nothing closes an opener, nothing closes a later one that needs as much: keeps this linear.
  const neverCloses = new Map<Opener['kind'], number>();
  for (let at = 0; at < lines.length; at += 1) {
    const opener = openerOf(lines[at]?.text ?? '');
    if (opener === undefined || opener.size >= (neverCloses.get(opener.kind) ?? Infinity)) continue;
    const close = closerOf(opener, lines, at + 1);
    if (close === undefined) {
      if (opener.kind !== '<!--') neverCloses.set(opener.kind, opener.size);
      continue;
    }
    for (let index = at; index <= close; index += 1) hidden.add(index);
    at = close;
  }
  return lines.map((line, index) => ({ ...line, hidden: hidden.has(index) }));
}

/** The line that closes what a body leaves open, so that text after it is not taken for a part of it. */
export function closing(body: Raw): Raw | undefined {
  const lines = linesOf(body);
  for (const { text, hidden } of lines) {
    const opener = hidden ? undefined : openerOf(text);
    if (opener !== undefined) return opener.kind === '<!--' ? '-->' : opener.kind.repeat(opener.size);
  }
  return undefined;
}

function openerOf(text: Raw): Opener | undefined {
  const fence = /^ {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$/.exec(text);
  const [, ticks, tildes] = fence ?? [];
  if (ticks !== undefined) return { kind: '`', size: ticks.length };
  if (tildes !== undefined) return { kind: '~', size: tildes.length };
  return /^ {0,3}<!--/.test(text) && !text.includes('-->') ? { kind: '<!--', size: 1 } : undefined;
}

function closerOf({ kind, size }: Opener, lines: readonly { readonly text: Raw }[], from: number): number | undefined {
  for (let index = from; index < lines.length; index += 1) {
    const text = lines[index]?.text ?? '';
    if (kind === '<!--') {
      // One comment cannot begin within another: the first was never closed.
      if (/^ {0,3}<!--/.test(text)) return undefined;
      if (text.includes('-->')) return index;
    } else {
      const fence = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(text)?.[1];
      if (fence?.[0] === kind && fence.length >= size) return index;
    }
  }
  return undefined;
}

function split(body: Raw): readonly Omit<Line, 'hidden'>[] {
  const lines: Omit<Line, 'hidden'>[] = [];
  for (let start = 0; start < body.length;) {
    const feed = body.indexOf('\n', start);
    const end = feed === -1 ? body.length : feed + 1;
    lines.push({ text: body.slice(start, end).replace(/\r?\n$/, ''), start, end });
    start = end;
  }
  return lines;
}
