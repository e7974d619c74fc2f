import { fromMarkdownText } from './markdown.js';
import { documentOf, paragraph, textNodes, type AdfDocument, type AdfNode } from './node.js';
import { adfLength } from './text.js';

/** More characters in a description or comment are answered with 400 and CONTENT_LIMIT_EXCEEDED. */
const JIRA_LIMIT = 32_767;

/** How Jira counts is not written anywhere: when it says that a text is too long all the same, the next limit is tried. */
export const LIMITS: readonly number[] = [JIRA_LIMIT, 24_000, 12_000, 4_000];

const NOTE = '[Something in the middle was too long for Jira and is left out.]';

/**
 * Markdown as a document of at most `limit` UTF-16 units, which are never fewer than characters: counted in the Markdown as well as in the words of the document.
 * Too much is taken out of the middle: a text says first what it is about, and ends with what is to be done. `marker` becomes the last paragraph, whatever the
 * text ends with: an unclosed block of code does not swallow it.
 */
export function fittingDocument(markdown: string, { limit, marker }: { readonly limit: number; readonly marker?: string }): AdfDocument {
  const last: readonly AdfNode[] = marker === undefined ? [] : [paragraph(textNodes(markerText(marker)))];
  const room = limit - (marker === undefined ? 0 : markerText(marker).length + 2);
  for (let length = room; ; length = Math.floor(length * 0.9)) {
    const content = cutMiddle(markdown, length);
    if (length < 100 || adfLength({ content }) <= room) return documentOf([...content, ...last]);
  }
}

function markerText(marker: string): string {
  return `<!-- ${marker} -->`;
}

/** The marker that a line is. */
export function markerIn(line: string): string | undefined {
  return /^<!-- (\S+) -->$/.exec(line.trim())?.[1];
}

function cutMiddle(markdown: string, length: number): readonly AdfNode[] {
  if (markdown.length <= length) return fromMarkdownText(markdown);
  const room = Math.max(0, length - NOTE.length - 4);
  const head = atLine(markdown.slice(0, Math.floor(room * 0.7)), 'end');
  const tail = atLine(markdown.slice(markdown.length - Math.floor(room * 0.3)), 'start');
  return [...fromMarkdownText(head), paragraph(textNodes(NOTE)), ...fromMarkdownText(tail)];
}

/** Cut at a line where one is near, and never inside a character. */
function atLine(text: string, where: 'start' | 'end'): string {
  const line = where === 'end' ? text.lastIndexOf('\n') : text.indexOf('\n');
  const near = where === 'end' ? line > text.length * 0.8 : line !== -1 && line < text.length * 0.2;
  if (near) return where === 'end' ? text.slice(0, line) : text.slice(line + 1);
  return where === 'end' ? text.replace(/[\ud800-\udbff]$/, '') : text.replace(/^[\udc00-\udfff]/, '');
}
