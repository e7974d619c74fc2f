import { RelayError } from '../../errors/relay-error.js';
import { markersAmong, withComment, asDescription, commentsStart, type OurComment } from './text/comments.js';
import { addWords, setWord } from './text/edit-matter.js';
import { linesOf, type Line } from './text/lines.js';
import { MatterProblem, readMatter, type Matter } from './text/matter.js';
import { cut, join, type Parts } from './text/parts.js';
import { fromBytes, toBytes } from './text/raw.js';
import { yamlWord } from './text/words.js';

/** A ticket or mailbox that was read. */
export interface TicketText extends Matter {
  /** Of our comments. */
  readonly markers: readonly string[];
}

/** Edits of a file, in this order. Absent members are left alone. */
export interface Edit {
  readonly labels?: readonly string[];
  readonly status?: string;
  /** Empty: nobody. */
  readonly assignee?: string;
  /** Markdown; replaces what is above the comments. */
  readonly description?: string;
  /** Those whose marker is there are left alone. */
  readonly comments?: readonly OurComment[];
}

/** A file that was taken apart, for whoever reads it and changes it then. */
export interface ParsedTicket {
  readonly parts: Parts;
  /** Of the body. */
  readonly lines: readonly Line[];
  readonly text: TicketText;
}

/** Throws `MatterProblem`. */
export function parseTicket(bytes: Buffer): ParsedTicket {
  const parts = partsOf(bytes);
  const lines = linesOf(parts.body);
  return { parts, lines, text: { ...readMatter(parts.matter), markers: markersAmong(lines) } };
}

/** Throws `MatterProblem`. */
export function readTicketText(bytes: Buffer): TicketText {
  return parseTicket(bytes).text;
}

/** What people wrote above the comments. Throws `MatterProblem`. */
export function descriptionIn(bytes: Buffer): string {
  const { body } = partsOf(bytes);
  return toBytes(body.slice(0, commentsStart(body))).toString('utf8').trim();
}

/** The content with the edits. Everything else stays byte for byte. Throws `MatterProblem`. */
export function edited(file: Buffer | ParsedTicket, { labels = [], status, assignee, description, comments = [] }: Edit): Buffer {
  const { parts, text: before, ...parsed } = Buffer.isBuffer(file) ? parseTicket(file) : file;
  const { eol } = parts;
  let { matter, body } = parts;
  if (labels.length > 0) matter = addWords(matter, 'labels', labels, eol);
  if (status !== undefined && before.status !== status) matter = setWord(matter, 'status', status, eol);
  if (assignee !== undefined && (before.assignee ?? '') !== assignee) matter = setWord(matter, 'assignee', assignee, eol);
  if (description !== undefined) body = described(body, description, eol);
  let { lines } = parsed;
  for (const comment of comments) {
    if (body !== parts.body) lines = linesOf(body);
    if (!markersAmong(lines).includes(comment.marker)) body = withComment(body, lines, comment, eol);
  }
  return toBytes(join({ ...parts, matter, body }));
}

/** A new mailbox. */
export function newMailbox({ title, status, assignee, description, comments }: { readonly title: string; readonly status: string; readonly assignee?: string | undefined; readonly description: string; readonly comments?: readonly OurComment[] }): Buffer {
  const matter = [`title: ${yamlWord(title, 'value')}`, `status: ${yamlWord(status, 'value')}`, ...(assignee === undefined || assignee === '' ? [] : [`assignee: ${yamlWord(assignee, 'value')}`])];
  return edited(Buffer.from(`---\n${matter.join('\n')}\n---\n`), { description, ...(comments === undefined ? {} : { comments }) });
}

function described(body: string, description: string, eol: string): string {
  const start = commentsStart(body);
  const wanted = asDescription(description, eol);
  const [is, rest] = [body.slice(0, start), body.slice(start)];
  if (is.replace(/\r\n/g, '\n').trim() === wanted.replace(/\r\n/g, '\n').trim()) return body;
  return `${eol}${wanted}${rest === '' || wanted === '' ? '' : eol}${rest}`;
}

function partsOf(bytes: Buffer): Parts {
  const parts = cut(fromBytes(bytes));
  if (parts === undefined) throw new MatterProblem(bytes.length === 0 ? 'is empty' : 'has no front matter between two lines of `---`');
  return parts;
}

/** A broken file is a matter between it and a person. */
export function brokenTicket(problem: unknown, what: string): unknown {
  if (!(problem instanceof MatterProblem)) return problem;
  return new RelayError('task_conflict', `${what} ${problem.message}.`, { hint: 'Correct the file; it is read again.', evidence: { file: what } });
}
