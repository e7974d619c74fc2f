/*
 * A question is written by an agent that read a ticket, so it is printed and shown as if a stranger had written it: no character of it may
 * move a cursor, repaint a terminal, reorder the text around it or be there without being seen.
 */

const LINE_END = /[\n\u2028\u2029]/;

/**
 * CSI sequences; OSC, DCS, SOS, PM and APC strings; other escapes. An unfinished one loses its introducer only, so that nobody can hide the
 * rest of a question. A string ends before the next control character, which also keeps the time in proportion to the length.
 */
const SEQUENCE = /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]|(?:\u001B[\]PX^_]|[\u0090\u0098\u009D-\u009F])\P{Cc}*(?:\u0007|\u001B\\|\u009C)|\u001B[ -/]*[0-~]/gu;

/** Controls of C0 and C1, DEL; directions, zero-width characters, BOM, tags and other characters without a glyph; annotations. */
const UNSEEN = /[\p{Cc}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/gu;

/** The lines of a text that have something to show, without what is not text. Half a surrogate pair becomes U+FFFD. Cleaning twice changes nothing. */
export function cleanLines(text: string): readonly string[] {
  return text.toWellFormed().split(LINE_END).map(cleanLine).filter((line) => line !== '');
}

function cleanLine(line: string): string {
  return line.replace(SEQUENCE, '').replaceAll('\t', ' ').replace(UNSEEN, '').trim();
}
