import type { Finding, Rule } from '../finding.js';
import { followsPlaceholder, holdsPlaceholder } from '../placeholder.js';
import { RestOfQuoted, RestUpTo } from '../rest.js';
import { assignmentWeight, memberWeight } from '../secret-names.js';
import { isSecretAssignment, isSecretMember } from '../secret-values.js';
import type { TextWindow } from '../text-window.js';

const NAME_BEFORE = /[A-Za-z0-9_.-]*$/;
const NAME_AFTER = /[A-Za-z0-9_.-]{0,128}/y;
const LONGEST_NAME = 128;
const BACKSLASHES = /\\{0,7}/y;
const SPACES = /\s{0,32}/y;

/** Enough to tell a secret from a digest, an identifier or a path. */
const LOOK_AHEAD = 160;
const UNQUOTED_VALUE = /[^\s"'`;&|<>\\]{0,128}/y;
const UNQUOTED_END = /[\s"'`;&|<>]|\\[nrt"'\\]/g;

/** `NAME=value`, and the members of JSON objects whose key says that they hold a secret. */
export const namedValues: Rule = {
  anchors: ['token', 'secret', 'key', 'passw', 'passphrase', 'sshpass', 'credential', 'auth', 'cookie', 'session', 'private', 'mysql_pwd'],
  inspect(window: TextWindow, at: number): Finding | undefined {
    const nameEnd = window.skip(NAME_AFTER, at);
    const next = window.at(nameEnd);
    if (next === '=') return assignment(window, at, nameEnd);
    return next === '"' || next === "'" || next === '\\' ? member(window, at, nameEnd) : undefined;
  },
};

function assignment(window: TextWindow, at: number, nameEnd: number): Finding | undefined {
  const before = NAME_BEFORE.exec(window.text.slice(Math.max(0, at - LONGEST_NAME), at))?.[0] ?? '';
  if (followsPlaceholder(window.text, at - before.length)) return undefined;
  const name = (before + window.text.slice(at, nameEnd)).replace(/^[-.]+/, '');
  const weight = assignmentWeight(name);
  const equals = nameEnd + 1;
  // A comparison or an arrow.
  if (weight === 'none' || /[=>~]/.test(window.at(equals))) return undefined;
  window.holdFrom = equals;
  const depth = window.skip(BACKSLASHES, equals) - equals;
  const quote = window.at(equals + depth);
  if (quote === '"' || quote === "'" || quote === '`') {
    const start = equals + depth + 1;
    const value = quotedValue(window, start, quote, depth);
    if (!isSecretAssignment({ name, weight, value, quoted: true })) return undefined;
    return { start, label: 'secret', certainTo: start, rest: new RestOfQuoted(quote, depth) };
  }
  const value = window.take(UNQUOTED_VALUE, equals);
  if (!isSecretAssignment({ name, weight, value, quoted: false })) return undefined;
  return { start: equals, label: 'secret', certainTo: equals, rest: new RestUpTo(UNQUOTED_END) };
}

function member(window: TextWindow, at: number, nameEnd: number): Finding | undefined {
  const depth = window.skip(BACKSLASHES, nameEnd) - nameEnd;
  const keyQuote = window.at(nameEnd + depth);
  if (keyQuote !== '"' && keyQuote !== "'") return undefined;
  const before = window.text.slice(Math.max(0, at - LONGEST_NAME), at);
  const keyStart = before.lastIndexOf(keyQuote);
  if (keyStart === -1 || holdsPlaceholder(before.slice(keyStart))) return undefined;
  const weight = memberWeight(before.slice(keyStart + 1) + window.text.slice(at, nameEnd));
  if (weight === 'none') return undefined;
  const separator = window.skip(SPACES, nameEnd + depth + 1);
  const width = separatorWidth(window, separator);
  if (width === 0) return undefined;
  const valueStart = window.skip(SPACES, separator + width);
  const opening = window.skip(BACKSLASHES, valueStart);
  const quote = window.at(opening);
  if (opening - valueStart !== depth || (quote !== '"' && quote !== "'")) return undefined;
  const start = opening + 1;
  window.holdFrom = start;
  const value = quotedValue(window, start, quote, depth);
  if (!isSecretMember(weight, value)) return undefined;
  return { start, label: 'secret', certainTo: start, rest: new RestOfQuoted(quote, depth) };
}

/** A colon, or the arrow of Ruby and PHP. */
function separatorWidth(window: TextWindow, index: number): number {
  const char = window.at(index);
  if (char === ':') return 1;
  return char === '=' && window.at(index + 1) === '>' ? 2 : 0;
}

/** The beginning of a quoted value, or all of it. */
function quotedValue(window: TextWindow, start: number, quote: string, depth: number): string {
  const ahead = window.text.slice(start, start + LOOK_AHEAD);
  const { at } = new RestOfQuoted(quote, depth).advance(ahead, 0, true);
  if (at === ahead.length) window.at(start + LOOK_AHEAD - 1);
  return ahead.slice(0, at);
}
