/*
 * Trackers act on much more than Markdown: mentions, references to issues, commits and tickets, emoji, addresses. They leave code alone,
 * so a word is shown as text only when nothing could be made of it, and as code otherwise. Code also copies as it was written, which text
 * with invisible characters between does not: people answer with the names they find here.
 */

const PLAIN_WORD = /^["'(]*(?:[A-Za-z\u{80}-\u{10FFFF}]+(?:[-'][A-Za-z\u{80}-\u{10FFFF}]+)*|\d{1,6}(?:[.,]\d{1,6})*%?)[)"'.,;:?!]*$/u;
/** What may be the name of a commit or, in full width, a mention or a reference. */
const REFERENCE = /[0-9a-f]{7}|[＠＃]/i;
const LIST_NUMBER = /^(\d{1,6})([.)])$/;
/** ASCII punctuation but for what {@link TRIGGER} takes alone. */
const PUNCTUATION_MARK = /^[!-.:;=>?[-_{-~]$/;

/** Of what stands between triggers, the part that needs no code. */
const HARMLESS = /^[ .,;?)]*$/;

/**
 * What programs look for that read a comment without parsing it (bots with commands, mail programs): a mention, a tag, an issue, an image, the
 * middle of a link, a command, an address. It is shown by reference, between the code around it; so is a backtick, which then ends no code.
 */
const TRIGGER = /([@<`]|#(?=\w)|!(?=\[)|(?<=\])\(|(?<![^ ])\/|:(?=\/\/)|(?<=www)\.)/i;

/** Markdown for a paragraph, or a line of one, that shows the words of a clean line and does nothing else. */
export function inertMarkdown(line: string): string {
  const shown: string[] = [];
  let code: string[] = [];
  const endCode = (): void => {
    if (code.length > 0) shown.push(asCode(code.join(' ')));
    code = [];
  };
  for (const [index, word] of line.split(' ').entries()) {
    const text = asText(word, index === 0);
    if (text === undefined) {
      code.push(word);
    } else {
      endCode();
      shown.push(text);
    }
  }
  endCode();
  return shown.join(' ');
}

/** A word that is harmless outside of code; else `undefined`. */
function asText(word: string, isFirst: boolean): string | undefined {
  if (word === '') return word;
  if (PUNCTUATION_MARK.test(word)) return `\\${word}`;
  if (!PLAIN_WORD.test(word) || REFERENCE.test(word)) return undefined;
  return isFirst ? word.replace(LIST_NUMBER, '$1\\$2') : word;
}

function asCode(text: string): string {
  const parts = text.split(TRIGGER);
  return parts.map((part, index) => (index % 2 === 1 ? reference(part) : codeSpan(part))).join('');
}

/** Hexadecimal: `&#35;` would itself read like the number of an issue. */
function reference(character: string): string {
  return `&#x${character.charCodeAt(0).toString(16)};`;
}

function codeSpan(text: string): string {
  if (HARMLESS.test(text)) return text;
  // One space on each side is not part of the code, if there is one on both.
  return /^ .* $/.test(text) ? `\` ${text} \`` : `\`${text}\``;
}
