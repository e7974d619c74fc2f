/*
 * What a step is called and what it prints comes from elsewhere. Nothing in it may move the cursor, repaint the terminal, set its title,
 * write to the clipboard or reverse the reading direction.
 */

/** CSI, OSC, DCS, SOS, PM and APC sequences, in their 7-bit and 8-bit forms, then other escapes of two characters. */
const SEQUENCES = /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]|(?:\u001B[\]PX^_]|[\u009D\u0090\u0098\u009E\u009F])[^\u0007\u001B\u009C]*(?:\u0007|\u001B\\|\u009C|$)|\u001B[ -/]*[0-~]/g;
const CONTROLS = /[\u0000-\u001F\u007F-\u009F]/g;
const CONTROLS_BUT_LINES = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;
const DIRECTION = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\u2028\u2029]/g;
const COLOR = /^\u001B\[[\d;:]*m$/;

/** One line: escape sequences are gone, blanks of every kind are single spaces. */
export function cleanLine(text: string): string {
  return text.replace(SEQUENCES, '').replace(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, ' ').replace(CONTROLS, '').replace(DIRECTION, '').trim();
}

/** Several lines: line feeds and tabs stay. A line that was overwritten with carriage returns shows what was written last. */
export function cleanText(text: string): string {
  return lastWritten(text.replace(SEQUENCES, '')).replace(CONTROLS_BUT_LINES, '').replace(DIRECTION, '');
}

/** Like {@link cleanText}, but colors stay: for a terminal that shows a log. */
export function cleanColored(text: string): string {
  let result = '';
  let from = 0;
  for (const match of text.matchAll(SEQUENCES)) {
    result += withoutControls(text.slice(from, match.index)) + (COLOR.test(match[0]) ? match[0] : '');
    from = match.index + match[0].length;
  }
  return result + withoutControls(text.slice(from));
}

function withoutControls(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(/\r/g, '\n').replace(CONTROLS_BUT_LINES, '').replace(DIRECTION, '');
}

function lastWritten(text: string): string {
  if (!text.includes('\r')) return text;
  return text.split('\n').map((line) => {
    const pieces = line.split('\r').filter((piece) => piece !== '');
    return pieces.at(-1) ?? '';
  }).join('\n');
}

/** JSON on one line. The C1 controls, which JSON leaves alone, are escaped as well: some terminals obey them. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(/[\u007F-\u009F\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** As {@link jsonLine}, at most `limit` UTF-16 units long. */
export function jsonExcerpt(value: unknown, limit: number): string {
  const text = jsonLine(value ?? null);
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}
