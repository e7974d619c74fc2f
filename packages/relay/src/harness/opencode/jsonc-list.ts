import { createScanner, type Node } from 'jsonc-parser';

/*
 * Edits of JSON with comments that leave every other character where it is. Those of the parser's own library move comments to other entries, and can leave a
 * broken file behind when the last one is taken away.
 */

/** Puts an entry behind the others of an array or object. `entry` is its text. */
export function appended(text: string, container: Node, entry: string): string {
  const close = container.offset + container.length - 1;
  const last = container.children?.at(-1);
  const end = last === undefined ? container.offset + 1 : last.offset + last.length;
  const comma = last === undefined ? undefined : commaIn(text, end, close);
  // Behind whatever is said about the last entry.
  const at = end + text.slice(end, close).trimEnd().length;
  const between = text.slice(container.offset, close).includes('\n') ? eolOf(text) + indentOf(text, container) : container.type === 'object' || last !== undefined ? ' ' : '';
  const tail = last === undefined || comma === undefined ? '' : ',';
  const rest = between.includes('\n') && !text.slice(at, close).includes('\n') ? eolOf(text) : last === undefined && at === close && between === ' ' ? ' ' : '';
  const separated = last !== undefined && comma === undefined ? `${text.slice(0, end)},${text.slice(end, at)}` : text.slice(0, at);
  return `${separated}${between}${entry}${tail}${rest}${text.slice(at)}`;
}

/** Takes an entry out, with its comma and with its line where nothing else stands on it. */
export function without(text: string, container: Node, index: number): string {
  const children = container.children ?? [];
  const child = children[index];
  if (child === undefined) return text;
  const end = child.offset + child.length;
  const before = children[index - 1];
  const own = commaIn(text, end, children[index + 1]?.offset ?? container.offset + container.length - 1);
  if (own !== undefined) return cut(cut(text, own, own + 1), child.offset, end, true);
  const shorter = cut(text, child.offset, end, true);
  const comma = before === undefined ? undefined : commaIn(text, before.offset + before.length, child.offset);
  return comma === undefined ? shorter : cut(shorter, comma, comma + 1);
}

/** Puts a text in the place of a value. */
export function replaced(text: string, node: Node, value: string): string {
  return text.slice(0, node.offset) + value + text.slice(node.offset + node.length);
}

function cut(text: string, from: number, to: number, spaces = false): string {
  if (!spaces) return text.slice(0, from) + text.slice(to);
  const lineStart = text.lastIndexOf('\n', from - 1) + 1;
  const blank = /^[ \t]*(?:\r?\n)?/.exec(text.slice(to))?.[0] ?? '';
  const alone = text.slice(lineStart, from).trim() === '' && (blank.endsWith('\n') || to + blank.length === text.length) && lineStart > 0;
  if (alone) return text.slice(0, lineStart) + text.slice(to + blank.length);
  // One of the two spaces around it is left to the others.
  const after = /^[ \t]+/.exec(text.slice(to))?.[0] ?? '';
  const head = text.slice(0, from);
  return (after === '' ? head.replace(/[ \t]+$/, '') : head) + text.slice(to + after.length);
}

/** Where the comma between two places stands, outside of comments. */
function commaIn(text: string, from: number, to: number): number | undefined {
  const scanner = createScanner(text.slice(from, to), true);
  scanner.scan();
  const at = from + scanner.getTokenOffset();
  return at < to && text[at] === ',' ? at : undefined;
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** Of an entry that stands on a line of its own; otherwise one step more than the line the list begins in. */
function indentOf(text: string, container: Node): string {
  const own = container.children?.map(({ offset }) => /\n([ \t]*)$/.exec(text.slice(0, offset))?.[1]).find((indent) => indent !== undefined);
  if (own !== undefined) return own;
  const line = text.slice(text.lastIndexOf('\n', container.offset) + 1);
  const step = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  return (/^[ \t]*/.exec(line)?.[0] ?? '') + (step.startsWith('\t') ? '\t' : step);
}
