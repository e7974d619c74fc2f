import { holdsPlaceholder } from './placeholder.js';
import { isExistingPath, isTicketKey, wordsOf, type NameWeight } from './secret-names.js';

/**
 * Whether a value is a secret, given what its name says. Bodies receive redacted values, so what only looks like an assignment in a
 * program's text or names something public must pass.
 */

/** Something that will be replaced by a value, or a mask: `$TOKEN`, `${{ secrets.X }}`, `<token>`, `%s`, `****`. */
const REFERENCE = /^(?:\$\{.*|\$\(.*|\$[A-Z_][A-Z0-9_]*|\$[a-z_]+|\$[0-9@*#?]|<[^>]*>?|\{\{?.*|%[sdv]|%\(.*|%[A-Za-z_]+%|[*x•.]+)$/s;
const KEYWORD = /^(?:true|false|null|none|nil|undefined|required|optional|string|yes|no|on|off)$/i;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const HEX_DIGEST = /^(?:sha\d+[:-])?(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$/i;
/** Packages are called `cookie` and `path-key`, and lock files list them. */
const PACKAGE_VERSION = /^(?:(?:workspace|npm|file|link|git\+\w+|https?):\S*|(?:[\^~]|[<>]=?)?\s?v?\d+(?:\.(?:\d+|x|\*)){1,2}(?:-[\w.]+)?(?:\s.*)?|\*|latest)$/;

export function isReference(value: string): boolean {
  return REFERENCE.test(value);
}

/** A word or a dotted name, with what a program puts behind it. */
export function isPlainName(text: string): boolean {
  return /^[A-Za-z_$][A-Za-z_$.]*[,;)}\]]*$/.test(text);
}

/** The value of a JSON member; `text` is as it stands between the quotes. */
export function isSecretMember(weight: NameWeight, text: string): boolean {
  if (weight === 'none' || holdsPlaceholder(text) || isReference(text)) return false;
  if (weight === 'weak') return isRandomLooking(text);
  return text.replace(/\\+./gs, '.').length >= 4 && !isTicketKey(text) && !PACKAGE_VERSION.test(text);
}

export interface Assignment {
  readonly name: string;
  readonly weight: NameWeight;
  readonly value: string;
  readonly quoted: boolean;
}

/** The value of `NAME=value`. */
export function isSecretAssignment({ name, weight, value, quoted }: Assignment): boolean {
  if (weight === 'none' || holdsPlaceholder(value) || isReference(value)) return false;
  if (weight === 'weak') return isRandomLooking(value);
  if (value.length < 4 || KEYWORD.test(value) || isTicketKey(value) || isPath(value)) return false;
  if (/tokens$/i.test(name) && /^\d+$/.test(value)) return false;
  // A variable of the environment is written in capitals; anything else may be a line of a program.
  if (!/[a-z]/.test(name)) return true;
  return (quoted ? !closesText(value) : !isExpression(name, value)) && isConvincing(name, value);
}

/** The quote after the `=` ended a text of a program: `"token=" + token`. */
function closesText(value: string): boolean {
  return /^\s*[+.,;:)%]/.test(value);
}

/** Names that announce a secret by themselves; `auth=` and `session=` are also followed by modes and identifiers. */
const OUTSPOKEN = new Set(['token', 'secret', 'password', 'passwd', 'passphrase', 'credential', 'credentials', 'apikey', 'pgpassword', 'authtoken', 'accesstoken', 'secretkey', 'privatekey', 'accesskey']);

function isConvincing(name: string, value: string): boolean {
  const digits = /\d/.test(value);
  const words = wordsOf(name);
  if (words.some((word) => OUTSPOKEN.has(word))) return digits || value.length >= 8;
  if (words.at(-1) === 'key') return digits || value.length >= 16;
  return digits && value.length >= 8 && !UUID.test(value);
}

function isExpression(name: string, value: string): boolean {
  if (/^[([{]|^!?[\w$.]+(?:[([{?|]|={1,3}[^=]|,[A-Za-z_$])/.test(value)) return true;
  const core = value.replace(/[,)\]}:]+$/, '');
  if (!/^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/.test(core)) return false;
  const words = wordsOf(name);
  return core.toLowerCase() === name.toLowerCase() || core.toLowerCase() === words.at(-1) || (core !== value && core.length < 20) || (core.includes('.') && !/\d/.test(core));
}

function isPath(value: string): boolean {
  return /^(?:~|\.{1,2})?\//.test(value) && (/\.[a-z]{1,5}$/.test(value) || isExistingPath(value));
}

/** What a bare `key` must be to count: long, in one piece, and nothing that people use to name things. */
function isRandomLooking(value: string): boolean {
  return value.length >= 20
    && /^[A-Za-z0-9+/=_.~:-]+$/.test(value)
    && !/-\d+/.test(value)
    && !UUID.test(value)
    && !HEX_DIGEST.test(value)
    && !/^[a-z][a-z0-9+.-]*:\/\//i.test(value)
    && !isWordy(value);
}

/** Words joined by dots, slashes, dashes: a path, the name of a message, a cache key. */
function isWordy(value: string): boolean {
  const parts = value.split(/[./:_~-]+/).filter((part) => part !== '');
  return parts.length > 1 && parts.every((part) => /^[A-Za-z]{1,24}$|^[a-z]+\d{0,4}$|^\d{1,4}$/i.test(part));
}
