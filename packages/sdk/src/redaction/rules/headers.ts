import type { Finding, Rule } from '../finding.js';
import { followsPlaceholder, holdsPlaceholder } from '../placeholder.js';
import { RestOfQuoted, RestUpTo } from '../rest.js';
import { isPlainName, isReference } from '../secret-values.js';
import { isTokenStart, type TextWindow } from '../text-window.js';

const NAMES = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'x-api-key', 'x-goog-api-key', 'private-token']);
const NAME_BEFORE = /[A-Za-z0-9_-]*$/;
const NAME_AFTER = /[A-Za-z0-9_-]{0,24}/y;
const SPACES = /[ \t]{0,32}/y;
const VALUE = /[^\r\n"'`\\]{0,256}/y;

/** A header inside quotes ends with them; outside of them a quote ends it too, since a header seldom has one and a text around it often. */
const VALUE_END = /[\r\n"'`]|\\[nrt"'\\]/g;
/** Digest credentials and cookies carry quotes of their own. */
const LINE_END = /[\r\n]|\\[nr]/g;

const SCHEMES = /^(?:bearer|basic|digest|token|negotiate|ntlm|apikey|api-key|key|oauth|hawk|aws4-hmac-sha256|genericauth)$/i;

/** The value of an `authorization`, `cookie` or API-key header, in a dump of headers or an argument of a command. */
export const secretHeaders: Rule = {
  anchors: ['authorization', 'cookie', 'api-key', 'private-token'],
  inspect(window: TextWindow, at: number): Finding | undefined {
    const { text } = window;
    const nameStart = at - (NAME_BEFORE.exec(text.slice(Math.max(0, at - 24), at))?.[0].length ?? 0);
    const nameEnd = window.skip(NAME_AFTER, at);
    const name = text.slice(nameStart, nameEnd);
    const header = name.toLowerCase();
    if (!NAMES.has(header) || followsPlaceholder(text, nameStart)) return undefined;
    const colon = window.skip(SPACES, nameEnd);
    if (window.at(colon) !== ':') return undefined;
    const valueStart = window.skip(SPACES, colon + 1);
    window.holdFrom = valueStart;
    const opened = /["'`]/.test(text.charAt(nameStart - 1));
    const quote = window.at(valueStart);
    if (/["'`]/.test(quote)) {
      const inner = window.take(VALUE, valueStart + 1);
      if (!isCredential(header, inner, true)) return undefined;
      return { start: valueStart + 1, label: header, certainTo: valueStart + 1, rest: new RestOfQuoted(quote, 0) };
    }
    const value = window.take(VALUE, valueStart);
    if (!isCredential(header, value, opened || /^[A-Z]/.test(name))) return undefined;
    const carriesQuotes = /^digest\s/i.test(value) || (header.endsWith('cookie') && value.endsWith('='));
    return { start: valueStart, label: header, certainTo: valueStart, rest: new RestUpTo(!opened && carriesQuotes ? LINE_END : VALUE_END) };
  },
};

/** Whether a value is what a header carries, and not the rest of a sentence or of a line of a program. */
function isCredential(header: string, value: string, clearlyHeader: boolean): boolean {
  if (holdsPlaceholder(value)) return false;
  const words = value.trim().split(/\s+/);
  const [first = '', second = ''] = words;
  if (isReference(first) || (SCHEMES.test(first) && isReference(second))) return false;
  if (header.endsWith('cookie')) return /^[^\s=;,()]{1,256}=[^=\s>]/.test(first) || (words.length === 1 && isTokenLike(first, clearlyHeader));
  if (!header.endsWith('authorization')) return isTokenLike(first, clearlyHeader);
  if (SCHEMES.test(first)) return words.length === 2 ? second.length >= 3 : second.length >= 4 && (!isPlainName(second) || second.length >= 20);
  return words.length === 1 ? isTokenLike(first, clearlyHeader) : words.length === 2 && /\d/.test(second) && second.length >= 8;
}

function isTokenLike(word: string, clearlyHeader: boolean): boolean {
  if (word.length < 4 || word.includes('(')) return false;
  return clearlyHeader ? !/[,;{[]$/.test(word) : !isPlainName(word) && /\d/.test(word);
}

/** Spaces, also as a URL has them. */
const BEARER_GAP = /%2?0?|[ \t+]{0,8}/y;
const BEARER_TOKEN = /[^\s"'`<>\\;,(){}[\]$&]{0,256}/y;
const BEARER_END = /[\s"'`<>\\;,(){}[\]$&]/g;

/** What follows `Bearer`, wherever it is written. */
export const bearerTokens: Rule = {
  anchors: ['bearer'],
  inspect(window: TextWindow, at: number): Finding | undefined {
    if (!isTokenStart(window.text, at)) return undefined;
    const gapStart = at + 'bearer'.length;
    const gap = window.take(BEARER_GAP, gapStart);
    if (!/^(?:[ \t+]+|%20)$/.test(gap)) return undefined;
    const start = gapStart + gap.length;
    window.holdFrom = start;
    const token = window.take(BEARER_TOKEN, start);
    if (token.length < 6 || isReference(token) || /^https?:/.test(token) || !/\d|^[A-Za-z]{20}|^(?=.*[a-z][A-Z]).{16}/.test(token)) return undefined;
    return { start, label: 'bearer', certainTo: start + token.length, rest: new RestUpTo(BEARER_END) };
  },
};
