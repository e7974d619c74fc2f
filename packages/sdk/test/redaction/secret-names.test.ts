import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { assignmentWeight, isSecretName, memberWeight } from '../../src/redaction/secret-names.js';

const folder = mkdtempSync(join(tmpdir(), 'secret-names-'));
const file = join(folder, 'key.pem');
writeFileSync(file, '');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('isSecretName', () => {
  it.each([
    'TOKEN', 'GITHUB_TOKEN', 'AWS_SECRET_ACCESS_KEY', 'MY_KEY', 'KEY', 'DB_PASSWORD', 'DB_PASSWD', 'X_CREDENTIAL', 'REDISCLI_AUTH', 'SESSION_COOKIE', 'USER_SESSION', 'PRIVATE',
    'github_token', 'npm_config__authToken', 'NPM_CONFIG_//packages.example/:_authToken', 'API_KEYS', 'GCP_CREDENTIALS', 'GPG_PASSPHRASE', 'PGPASSWORD', 'OPENAI_APIKEY', 'MYSQL_PWD', 'KEY_1', 'TOKEN2_SECRET',
  ])('takes %s for the name of a secret', (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each([
    '', 'PATH', 'HOME', 'GIT_AUTHOR_NAME', 'KEYBOARD', 'KEYMAP', 'MONKEY', 'AUTHOR', 'TOKENIZERS_PARALLELISM', 'SSH_AUTH_SOCK', 'XAUTHORITY', 'SECRETARY', 'GIT_CONFIG_KEY_0', 'GIT_CONFIG_KEY_12', 'DESKTOP_SESSION',
    'XDG_SESSION_TYPE', 'XDG_SESSION_ID', 'DBUS_SESSION_BUS_ADDRESS', 'TERM_SESSION_ID', 'SESSION_MANAGER', 'SESSION_DRIVER', 'GOPRIVATE', 'COMPASS',
  ])('takes %s for harmless', (name) => {
    expect(isSecretName(name)).toBe(false);
  });

  it('exempts existing paths, issue keys and counts of tokens by their value', () => {
    expect(isSecretName('SSH_KEY', file)).toBe(false);
    expect(isSecretName('SSH_KEY', `${file}.missing`)).toBe(true);
    expect(isSecretName('SSH_KEY', 'packages')).toBe(true);
    expect(isSecretName('ISSUE_KEY', 'PROJECT-12345')).toBe(false);
    expect(isSecretName('MAX_OUTPUT_TOKENS', '1280000000')).toBe(false);
    expect(isSecretName('MAX_OUTPUT_TOKENS', 'a1280000000')).toBe(true);
    expect(isSecretName('BAD_KEY', '/a\0b')).toBe(true);
  });
});

describe('the weight of a name', () => {
  it.each(['token', 'accessToken', 'refresh_token', 'clientSecret', 'api_key', 'apiKey', 'apikey', 'privateKey', 'x-api-key', 'password', 'DB_PASSWORD', 'passwd', 'credential', 'cookie', 'Cookies', 'Authorization'])(
    'a member called %s holds a secret',
    (key) => expect(memberWeight(key)).toBe('strong'),
  );
  it.each(['key', 'Key', 'KEY', 'projectKey', 'issue_key', 'primaryKey', 'cache-key'])('a member called %s may hold one', (key) => expect(memberWeight(key)).toBe('weak'));
  it.each(['', '--', 'keys', 'tokens', 'keywords', 'secretName', 'tokenCount', 'author', 'auth', 'passwordHint', 'monkey', 'key_id'])(
    'a member called %s says nothing',
    (key) => expect(memberWeight(key)).toBe('none'),
  );
  it('judges the names of assignments like those of variables', () => {
    expect(assignmentWeight('GITHUB_TOKEN')).toBe('strong');
    expect(assignmentWeight('SECRET_ID')).toBe('strong');
    expect(assignmentWeight('key')).toBe('weak');
    expect(assignmentWeight('sort_key')).toBe('weak');
    expect(assignmentWeight('GIT_CONFIG_KEY_0')).toBe('none');
    expect(assignmentWeight('NAME')).toBe('none');
  });
});
