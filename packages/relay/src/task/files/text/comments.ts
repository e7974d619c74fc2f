import { closing, linesOf, type Line } from './lines.js';
import { encode, type Raw } from './raw.js';

/**
 * Comments in a file. One of ours is
 *
 *     **relay-flow**, 2026-11-30T23:00:00.000Z
 *
 *     > The text, quoted line by line.
 *
 *     <!-- marker -->
 *
 * The text is quoted so that nothing in it can end the comment, close somebody's code fence, or pass for another comment. A marker counts only on the line that
 * ends such a block, outside code fences and HTML comments: people may write about markers as they like.
 */
export interface OurComment {
  readonly marker: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Markdown. */
  readonly body: string;
}

const SECTION = /^## Comments[ \t]*$/;
const HEADING = /^#{1,2}(?:[ \t]|$)/;
const HEADER = /^\*\*relay-flow\*\*, \d{4}-\d\d-\d\dT[\d:.]+Z[ \t]*$/;
const MARKER = /^<!-- (\S+) -->[ \t]*$/;

/** With one of these a file is no text any more for many programs: they show no difference and find nothing in it. */
const NO_TEXT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/** A marker that can stand in a comment: one word of visible ASCII without angle brackets. */
export function isMarker(marker: string): boolean {
  return /^[\x21-\x7e]+$/.test(marker) && !/[<>]/.test(marker);
}

/** The markers of our comments in the lines of a body, in order. */
export function markersAmong(lines: readonly Line[]): readonly string[] {
  const markers: string[] = [];
  let open = false;
  for (const { text, hidden } of lines) {
    if (hidden) continue;
    const marker = MARKER.exec(text)?.[1];
    if (HEADER.test(text)) open = true;
    else if (HEADING.test(text)) open = false;
    else if (open && marker !== undefined) {
      markers.push(marker);
      open = false;
    }
  }
  return markers;
}

/** Where the section of comments begins: what is before it is the text of the ticket, or the description of a mailbox. */
export function commentsStart(body: Raw): number {
  return linesOf(body).find(({ text, hidden }) => !hidden && SECTION.test(text))?.start ?? body.length;
}

/** The body, which has these lines, with one more comment at the end of its section of comments, which is made when it is missing. */
export function withComment(body: Raw, lines: readonly Line[], comment: OurComment, eol: string): Raw {
  const block = blockOf(comment, eol);
  const section = lines.findIndex(({ text, hidden }) => !hidden && SECTION.test(text));
  if (section === -1) {
    // Unless comments of ours stand in what is open, which would hide them.
    const close = markersAmong(lines).length === 0 ? closing(body) : undefined;
    const text = close === undefined ? body : `${ended(body, eol)}${close}${eol}`;
    return `${text === '' ? eol : apart(text, eol)}## Comments${eol}${eol}${block}`;
  }
  const next = lines.findIndex(({ text, hidden }, index) => index > section && !hidden && HEADING.test(text));
  const last = lines.slice(0, next === -1 ? lines.length : next).findLast(({ text }) => text.trim() !== '');
  const at = last?.end ?? body.length;
  return `${ended(body.slice(0, at), eol)}${eol}${block}${body.slice(at)}`;
}

/** What is written for a description: Markdown that stays apart from a section of comments below it. */
export function asDescription(markdown: string, eol: string): Raw {
  const plain = encode(markdown.replace(/\r\n?/g, '\n').replace(/^\n+|\s+$/g, ''));
  const lines = linesOf(plain).map(({ text, hidden }) => (!hidden && SECTION.test(text) ? `#${text}` : text));
  const close = closing(lines.join('\n'));
  return [...lines, ...(close === undefined ? [] : [close])].map((line) => `${line}${eol}`).join('');
}

function blockOf({ marker, at, body }: OurComment, eol: string): Raw {
  const quoted = body.replace(NO_TEXT, '').replace(/\s+$/, '').split(/\r\n|\r|\n/).map((line) => (line === '' ? '>' : `> ${encode(line)}`));
  return [`**relay-flow**, ${at}`, '', ...quoted, '', `<!-- ${marker} -->`].map((line) => `${line}${eol}`).join('');
}

function ended(text: Raw, eol: string): Raw {
  return text === '' || text.endsWith('\n') ? text : `${text}${eol}`;
}

function apart(text: Raw, eol: string): Raw {
  const whole = ended(text, eol);
  return /\n\r?\n$/.test(whole) ? whole : `${whole}${eol}`;
}
