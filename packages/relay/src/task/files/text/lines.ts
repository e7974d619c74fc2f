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

/** The line that closes what a body leaves open for a Markdown reader, so that text after it is not shown as a part of it. */
export function closing(body: Raw): Raw | undefined {
  let open: Opener | undefined;
  for (const { text } of split(body)) {
    if (open === undefined) open = openerOf(text);
    else if (open.kind === '<!--' ? text.includes('-->') : closes(open, text)) open = undefined;
  }
  if (open === undefined) return undefined;
  return open.kind === '<!--' ? '-->' : open.kind.repeat(open.size);
}

function openerOf(text: Raw): Opener | undefined {
  // Most lines are none, which their first character tells.
  if (!/^ {0,3}[`~<]/.test(text)) return undefined;
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
      // One comment cannot begin within another: the first was never closed. What our comments quote closes nothing.
      if (/^ {0,3}<!--/.test(text)) return undefined;
      if (text.includes('-->') && !text.startsWith('>')) return index;
    } else if (closes({ kind, size }, text)) return index;
  }
  return undefined;
}

function closes({ kind, size }: Opener, text: Raw): boolean {
  const fence = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(text)?.[1];
  return fence?.[0] === kind && fence.length >= size;
}

function split(body: Raw): readonly Omit<Line, 'hidden'>[] {
  const lines: Omit<Line, 'hidden'>[] = [];
  for (let start = 0; start < body.length;) {
    const feed = body.indexOf('\n', start);
    const end = feed === -1 ? body.length : feed + 1;
    const without = feed === -1 ? end : feed > start && body[feed - 1] === '\r' ? feed - 1 : feed;
    lines.push({ text: body.slice(start, without), start, end });
    start = end;
  }
  return lines;
}
