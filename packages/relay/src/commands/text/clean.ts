/*
 * Titles, reports and logs come from tickets and agents. On a terminal they may show text and nothing else: no moving cursor, no title of the window, no clipboard, no text
 * that reads backwards.
 */

/** Sequences that begin with the escape character or its one-byte forms: control sequences, strings that run to their end or to the end of the text, and pairs. */
const ESCAPES = new RegExp(
  [
    '(?:\\u001B\\[|\\u009B)[\\u0030-\\u003F]*[\\u0020-\\u002F]*[\\u0040-\\u007E]?',
    '(?:\\u001B[PX\\]^_]|[\\u0090\\u0098\\u009D-\\u009F])[^\\u0007\\u001B\\u009C]*(?:\\u0007|\\u001B\\\\|\\u009C)?',
    '\\u001B[\\u0020-\\u002F]*[\\u0030-\\u007E]?',
  ].join('|'),
  'g',
);
const BLANKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/g;
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;
/** Marks, embeddings, overrides and isolates of the writing direction. */
const DIRECTIONS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** As one line, without blanks at its ends. */
export function oneLine(text: string): string {
  return text.replace(ESCAPES, '').replace(BLANKS, ' ').replace(CONTROLS, '').replace(DIRECTIONS, '').trim();
}

/** With its lines and tabs. */
export function manyLines(text: string): string {
  return text.replace(ESCAPES, '').replace(LINE_ENDS, '\n').replace(CONTROLS, '').replace(DIRECTIONS, '');
}

/** One line of JSON that a terminal shows as it is. JSON itself escapes only the older controls. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(/[\u007F-\u009F\u2028\u2029]/g, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
