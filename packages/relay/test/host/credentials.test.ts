import { statSync, writeFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { isRelayError } from '../../src/errors/relay-error.js';
import { jiraCredentials, readCredentials, siteOf, writeCredentials } from '../../src/host/credentials.js';
import { madeHome } from '../scratch.js';

const SECRET = 'ATATT3xFfGF0-very-secret';

test('what was kept is read again, by its owner alone', () => {
  const home = madeHome();
  expect(readCredentials(home)).toEqual({});
  writeCredentials(home, { jira: jiraCredentials({ site: 'acme', email: ' ann@example.org ', token: `${SECRET}\n` }) });
  expect(statSync(home.credentials).mode & 0o777).toBe(0o600);
  expect(readCredentials(home).jira).toMatchObject({ site: 'https://acme.atlassian.net', email: 'ann@example.org', token: SECRET });
});

test('neither printing nor serializing shows a value', () => {
  const home = madeHome();
  writeCredentials(home, { jira: jiraCredentials({ site: 'acme', email: 'ann@example.org', token: SECRET }) });
  const read = readCredentials(home);
  for (const shown of [inspect(read, { depth: 9 }), JSON.stringify(read), JSON.stringify(read.jira), inspect(read.jira)]) expect(shown).not.toMatch(/ATATT|ann@/);
});

test('a file that others can read is closed to them before it is read', () => {
  const home = madeHome();
  writeFileSync(home.credentials, `jira: {site: https://a.atlassian.net, email: a@b.c, token: ${SECRET}}`, { mode: 0o644 });
  expect(readCredentials(home).jira?.token).toBe(SECRET);
  expect(statSync(home.credentials).mode & 0o777).toBe(0o600);
});

test.each([
  [`jira: {site: https://a.atlassian.net, email: a@b.c, token: ${SECRET}, tokn: x}`, ':1:86 `jira.tokn` is not a setting. Did you mean `token`?'],
  [`jira: {site: https://a.atlassian.net, email: a@b.c}`, ':1:1 `jira.token` is missing.'],
  [`jira: {site: https://a.atlassian.net, email: a@b.c, token: ${SECRET}`, ' Something here is not as it must be.'],
  [`${SECRET}`, ':1:1 The file must be a map.'],
  [`jira: {site: https://a.atlassian.net, email: a@b.c, token: {a: ${SECRET}}}`, ':1:53 `jira.token` must be a text.'],
])('a mistake is named without what stands there: %s', (text, sentence) => {
  const home = madeHome();
  writeFileSync(home.credentials, text, { mode: 0o600 });
  let caught: unknown;
  try {
    readCredentials(home);
  } catch (error) {
    caught = error;
  }
  expect(isRelayError(caught) ? caught.code : caught).toBe('credentials_invalid');
  expect((caught as Error).message).toContain(sentence);
  expect(JSON.stringify(caught) + String((caught as Error).stack)).not.toContain(SECRET);
});

test.each([
  ['acme', 'https://acme.atlassian.net'],
  ['acme.atlassian.net', 'https://acme.atlassian.net'],
  ['https://acme.atlassian.net/', 'https://acme.atlassian.net'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['http://localhost:1', 'http://localhost:1'],
])('the site %s is %s', (given, site) => {
  expect(siteOf(given)).toBe(site);
});

test.each(['http://acme.atlassian.net', 'https://u:p@acme.atlassian.net', 'https://acme.atlassian.net/jira', '', 'a b', 'ftp://x.y', 'https://acme?x=1'])('the site %j is refused', (given) => {
  expect(() => siteOf(given)).toThrow(expect.objectContaining({ code: 'credentials_invalid' }) as Error);
});

test('what cannot be right is refused before it is kept', () => {
  expect(() => jiraCredentials({ site: 'acme', email: 'nobody', token: SECRET })).toThrow('The email is not an address.');
  expect(() => jiraCredentials({ site: 'acme', email: 'a@b.c', token: ' ' })).toThrow('The token is empty or has blanks.');
  expect(() => jiraCredentials({ site: 'acme', email: 'a@b.c', token: 'a b' })).toThrow('The token is empty or has blanks.');
});
