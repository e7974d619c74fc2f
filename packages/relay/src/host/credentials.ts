import { inspect } from 'node:util';
import { stringify } from 'yaml';
import { z } from 'zod';
import { RelayError } from '../errors/relay-error.js';
import type { Home } from './home.js';
import { closed } from './prepare-home.js';
import { readIfThere, replaceFile } from './private-file.js';
import { problemsText, readYaml, schemaProblems } from './yaml-file.js';

/** What credentials.yaml holds. */
export interface Credentials {
  readonly jira?: JiraCredentials;
}

/** Prints and serializes without what it holds. */
export class JiraCredentials {
  /** `https://<site>.atlassian.net`, without a slash at the end. */
  readonly site: string;
  readonly email: string;
  readonly token: string;

  constructor({ site, email, token }: { readonly site: string; readonly email: string; readonly token: string }) {
    this.site = site;
    this.email = email;
    this.token = token;
  }

  toJSON(): Record<string, string> {
    return { site: this.site, email: 'not shown', token: 'not shown' };
  }

  [inspect.custom](): string {
    return `JiraCredentials for ${this.site}`;
  }
}

const HINT = 'Enter them again with `relay-flow task auth`.';
const text = z.string().trim().min(1, 'must not be empty.');
const schema = z.strictObject({ jira: z.strictObject({ site: text, email: text, token: text }).optional() });

/**
 * Reads credentials.yaml; nothing when there is no such file. A mode that lets others read it is corrected first. Throws `credentials_invalid`, whose text has
 * places and names and never a value, and `home_unusable` when the file belongs to another user.
 */
export function readCredentials(home: Home): Credentials {
  closed(home.credentials, 0o600, 'file');
  const content = readIfThere(home.credentials);
  if (content === undefined) return {};
  const file = readYaml(content);
  const empty = file.document.contents === null;
  // What the parser says of a mistake may quote the line.
  const problems = empty ? [] : file.problems.map(({ line, column }) => ({ ...(line === undefined ? {} : { line }), ...(column === undefined ? {} : { column }), text: 'Something here is not as it must be.' }));
  const checked = problems.length > 0 ? undefined : schema.safeParse(empty ? {} : file.content());
  const all = [...problems, ...(checked?.error === undefined ? [] : schemaProblems(file, checked.error, (path) => (path.length === 0 ? ['jira'] : ['site', 'email', 'token'])))];
  if (all.length > 0 || checked?.data === undefined) {
    throw new RelayError('credentials_invalid', problemsText(home.credentials, all), { hint: HINT, evidence: { path: home.credentials } });
  }
  const { jira } = checked.data;
  return jira === undefined ? {} : { jira: new JiraCredentials({ ...jira, site: siteOf(jira.site) }) };
}

/** What somebody typed, as credentials. Throws `credentials_invalid` for what cannot be right. */
export function jiraCredentials(given: { readonly site: string; readonly email: string; readonly token: string }): JiraCredentials {
  const { email, token } = { email: given.email.trim(), token: given.token.trim() };
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new RelayError('credentials_invalid', 'The email is not an address.', { hint: 'Give the address of your Atlassian account.' });
  if (token === '' || /\s/.test(token)) throw new RelayError('credentials_invalid', 'The token is empty or has blanks.', { hint: 'Make one at https://id.atlassian.com/manage-profile/security/api-tokens.' });
  return new JiraCredentials({ site: siteOf(given.site), email, token });
}

/** Keeps credentials, mode 0600, in place of those that were there. */
export function writeCredentials(home: Home, { jira: { site, email, token } }: { readonly jira: JiraCredentials }): void {
  replaceFile(home.credentials, stringify({ jira: { site, email, token } }));
}

/** The address of a site: `acme` and `acme.atlassian.net` are enough. Only this machine may be spoken to without encryption. Throws `credentials_invalid`. */
export function siteOf(given: string): string {
  const trimmed = given.trim();
  const named = /^[a-z0-9-]+$/i.test(trimmed) ? `${trimmed}.atlassian.net` : trimmed;
  const address = /^https?:\/\//i.test(named) ? named : `https://${named}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const odd = (why: string): RelayError => new RelayError('credentials_invalid', `The site is not an address: ${why}.`, { hint: 'It looks like https://acme.atlassian.net.' });
  if (url === undefined || (!url.hostname.includes('.') && url.hostname !== 'localhost')) throw odd('it names no host');
  if (url.username !== '' || url.password !== '') throw odd('it holds a user or a password');
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') throw odd('it has more than a host');
  if (url.protocol === 'http:' && url.hostname !== 'localhost' && url.hostname !== '127.0.0.1') throw odd('it must begin with https://');
  return url.origin;
}
