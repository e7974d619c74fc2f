import { existsSync } from 'node:fs';

/**
 * Which names announce a secret. A name is judged by its whole words (`GIT_AUTHOR_NAME` and `KEYBOARD` announce nothing), since a
 * flow's body receives redacted values: a name taken for a secret by mistake would change what the flow does.
 */

/** Words that announce a secret in the name of a variable, wherever they stand in it. */
const SECRET_WORDS = new Set([
  'token', 'secret', 'key', 'password', 'passwd', 'credential', 'auth', 'cookie', 'private',
  'tokens', 'secrets', 'keys', 'passwords', 'credentials', 'cookies', 'passphrase', 'authorization',
  // Well-known names that are written without a separator.
  'pgpassword', 'sshpass', 'apikey', 'accesskey', 'secretkey', 'privatekey', 'authtoken', 'accesstoken',
]);

/** Names that contain such a word and hold no secret. */
const HARMLESS_NAMES = /^(?:SSH_AUTH_SOCK|XAUTHORITY|GIT_CONFIG_KEY_\d+|DESKTOP_SESSION)$/i;

/** `PROJ-123`: an issue key is a reference that flows pass around, whatever variable carries it. */
const TICKET_KEY = /^[A-Z][A-Z0-9_]{0,19}-\d{1,9}$/;

/** Counts of tokens are numbers; a token is not. */
const COUNT_NAME = /(?:^|[_.-])tokens$/i;

/** The words of a name: split at separators and where a capital follows a small letter (`npm_config__authToken`). */
export function wordsOf(name: string): string[] {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase().split(/[^a-z0-9]+/).filter((word) => word !== '');
}

/**
 * Whether an environment variable holds a secret, by its name and, when given, its value.
 *
 * A value that is the absolute path of something that exists, an issue key (`PROJ-123`) or a count of tokens is not a secret.
 */
export function isSecretName(name: string, value?: string): boolean {
  if (!hasSecretWord(name) || HARMLESS_NAMES.test(name)) return false;
  return value === undefined || !isHarmlessValue(name, value);
}

function hasSecretWord(name: string): boolean {
  const words = wordsOf(name);
  return words.some((word) => SECRET_WORDS.has(word)) || words.at(-1) === 'session' || name.toUpperCase() === 'MYSQL_PWD';
}

function isHarmlessValue(name: string, value: string): boolean {
  return isTicketKey(value) || (COUNT_NAME.test(name) && /^\d+$/.test(value)) || isExistingPath(value);
}

export function isTicketKey(value: string): boolean {
  return TICKET_KEY.test(value);
}

/** Absolute paths only: what a relative one means depends on a directory that is not known here. */
export function isExistingPath(value: string): boolean {
  return /^(?:\/|[A-Za-z]:[\\/])/.test(value) && value.length <= 4_096 && !value.includes('\0') && existsSync(value);
}

/** How much a member of a JSON object, or the name before a `=`, says about its value. */
export type NameWeight =
  /** Nothing. */
  | 'none'
  /** A secret if it looks like one: a bare `key`, or one that names a thing (`projectKey`). */
  | 'weak'
  /** A secret. */
  | 'strong';

const STRONG_LAST_WORDS = new Set(['token', 'secret', 'password', 'passwd', 'credential', 'cookie', 'cookies', 'apikey', 'privatekey', 'secretkey', 'accesskey', 'authtoken']);

/** Words before `key` that make it the name of a thing rather than something to be kept. */
const NAMING_KEYS = new Set([
  'issue', 'ticket', 'project', 'parent', 'epic', 'primary', 'foreign', 'sort', 'partition', 'cache', 'public', 'object', 'group', 'route', 'row', 'map', 'unique', 'idempotency', 'translation', 'message', 'path',
]);

/** What the key of a JSON member says about its string value. */
export function memberWeight(key: string): NameWeight {
  // A path or the name of a package.
  if (key.includes('/')) return 'none';
  const words = wordsOf(key);
  const last = words.at(-1);
  if (last === undefined) return 'none';
  if (STRONG_LAST_WORDS.has(last)) return 'strong';
  if (last === 'key') return words.length === 1 || /\s/.test(key) || NAMING_KEYS.has(words.at(-2) ?? '') ? 'weak' : 'strong';
  return last === 'authorization' ? 'strong' : 'none';
}

/** What a name says about the value after its `=`. */
export function assignmentWeight(name: string): NameWeight {
  if (!isSecretName(name)) return 'none';
  const words = wordsOf(name);
  if (words.at(-1) === 'key' && (words.length === 1 || NAMING_KEYS.has(words.at(-2) ?? ''))) return 'weak';
  return 'strong';
}
