import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/redaction/redactor.js';

const folder = mkdtempSync(`${tmpdir()}/redactor-`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TOKEN = 'tok-Abcdef123456';
const PASSWORD = 'p@ss w/rd"x\\y';
const LONG = `${'0123456789abcdef'.repeat(8)}END-OF-IT`;
const redactor = createRedactor({
  env: { GITHUB_TOKEN: TOKEN, DB_PASSWORD: PASSWORD, LONG_KEY: LONG, SHORT_KEY: 'abc1234', CERT_KEY: folder, USER: 'somebody-special', TWO_LINES_SECRET: 'first line\nsecond line\n', UNSET_TOKEN: undefined },
});

/** Redacts, and checks that redacting again changes nothing. */
function redact(text: string): string {
  const once = redactor.text(text);
  expect(redactor.text(once)).toBe(once);
  return once;
}

describe('values of secret variables', () => {
  it.each<[string, string]>([
    [`before ${TOKEN} after`, 'before [redacted:GITHUB_TOKEN] after'],
    [`x${TOKEN}${TOKEN}y`, 'x[redacted:GITHUB_TOKEN][redacted:GITHUB_TOKEN]y'],
    [PASSWORD, '[redacted:DB_PASSWORD]'],
    [LONG, '[redacted:LONG_KEY]'],
    [`${LONG.slice(0, 100)} cut`, '[redacted:LONG_KEY] cut'],
    ['first line\nsecond line\n', '[redacted:TWO_LINES_SECRET]\n'],
    ['first line\r\nsecond line', '[redacted:TWO_LINES_SECRET]'],
    ['abc1234 is too short', 'abc1234 is too short'],
    [`${folder}/x`, `${folder}/x`],
    ['somebody-special', 'somebody-special'],
  ])('%j becomes %j', (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it('takes the longest value first', () => {
    const { text } = createRedactor({ env: { A_TOKEN: 'abcdefgh', B_TOKEN: 'abcdefghijkl', C_TOKEN: 'ijklmnopqrst' } });
    expect(text('abcdefghijkl abcdefghX')).toBe('[redacted:B_TOKEN] [redacted:A_TOKEN]X');
    expect(text('abcdefghijklmnopqrst')).toBe('[redacted:B_TOKEN]');
  });

  it('tells values apart that begin alike over many characters', () => {
    const { text } = createRedactor({ env: { A_TOKEN: `${'k'.repeat(70)}one`, B_TOKEN: `${'k'.repeat(70)}other` } });
    expect(text(`${'k'.repeat(70)}one.`)).toBe('[redacted:A_TOKEN].');
    expect(text(`${'k'.repeat(70)}other.`)).toBe('[redacted:A_TOKEN].');
  });

  it('finds them in JSON, in JSON inside JSON, in URLs and in traces of shells', () => {
    for (const value of [PASSWORD, TOKEN, "it's <b>&co", 'slash/and\ttab/', 'gr\u00fc\u00dfe-\u{1F600}-secret', 'a+b c%d(e)!*']) {
      const { text } = createRedactor({ env: { THE_SECRET: value } });
      const json = JSON.stringify({ value }).slice(10, -2);
      const forms = [
        value, json, json.replaceAll('/', '\\/'), JSON.stringify(json).slice(1, -1), encodeURIComponent(value), encodeURI(value),
        encodeURIComponent(value).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()), new URLSearchParams({ v: value }).toString().slice(2),
        json.replace(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`), json.replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`),
        value.replaceAll("'", "'\\''"),
      ];
      for (const form of forms) expect(text(`<${form}>`), form).toBe('<[redacted:THE_SECRET]>');
    }
  });

  it('finds them in base64 at every alignment, in both alphabets, padded or not, and in wrapped lines', () => {
    for (const value of ['secret??>>value', TOKEN, LONG, '\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc']) {
      const { text } = createRedactor({ env: { THE_SECRET: value } });
      for (const before of ['', 'u', 'u:', 'ab:', 'x-access-token:']) {
        for (const after of ['', ';', ';a', ';ab']) {
          const bytes = Buffer.from(before + value + after);
          const inner = Buffer.from(value).toString('base64').slice(4, -4);
          for (const encoded of [bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64').replace(/.{76}/g, '$&\n')]) {
            const redacted = text(`Basic ${encoded} end`);
            expect(redacted, encoded).toContain('[redacted:');
            expect(redacted, encoded).not.toContain(inner.slice(0, 8));
            expect(redacted).toMatch(/ end$/);
          }
        }
      }
    }
  });

  it('leaves placeholders alone, also of others, unless one hides a value', () => {
    expect(redact('[redacted:GITHUB_TOKEN] [redacted:private-key] [redacted:SOMEONE_ELSES]')).toBe('[redacted:GITHUB_TOKEN] [redacted:private-key] [redacted:SOMEONE_ELSES]');
    expect(redact(`[redacted:${TOKEN}]`)).toBe('[redacted:[redacted:GITHUB_TOKEN]]');
  });

  it('copes with a value that placeholders contain', () => {
    const { text } = createRedactor({ env: { ODD_TOKEN: 'redacted', GITHUB_TOKEN: TOKEN } });
    const once = text(`was redacted: ${TOKEN}, [redacted] [redacted:`);
    expect(once).toBe('was [redacted:ODD_TOKEN]: [redacted:GITHUB_TOKEN], [[redacted:ODD_TOKEN]] [[redacted:ODD_TOKEN]:');
    expect(text(once)).toBe(once);
  });

  it('can work with no environment at all', () => {
    const { text } = createRedactor({ env: {} });
    expect(text('')).toBe('');
    expect(text('plain')).toBe('plain');
    expect(text('ghp_0123456789abcdefghij')).toBe('[redacted:token]');
  });
});

describe('tokens known by their shape', () => {
  it.each([
    'sk-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL', 'sk-proj-Ab1_cdEfGh2IjKlMnOpQrStUvWx', 'sk-ant-api03-abcdefgh', 'ghp_0123456789abcdefghijklmnopqrstuvwxyz', 'gho_abcdefghijklmnop', 'ghs_ABCDEFGHIJ1234', 'ghu_abcdefghijklmnop',
    'ghr_abcdefghijklmnop', 'github_pat_11ABCDEFG0abcdefghijklm_nopqrstuvw', 'xoxa-2-abcdefghij', 'xoxb-123456789012-abcdef', 'xoxp-123456789012', 'xoxs-123456789012', 'AKIAIOSFODNN7EXAMPLE', 'at_0123456789abcdef01', 'rk_live_0123456789abcdef01',
    'nt_abcdef0123456789abcd', 'ot_abcdef0123456789abcd', 'br_abcdef0123456789abcd', 'arr_abcdef0123456789abcd', 'glpat-abcdefghijklmnopqrst', `npm_${'a1'.repeat(18)}`, `AIza${'b2_'.repeat(11)}xy`,
  ])('%s is removed wherever a word can begin', (token) => {
    for (const [before, after] of [['', ''], ['token is ', '.'], ['"', '"'], ["'", "',"], ['=', '&x'], ['\n', '\n'], ['"line\\n', '\\nnext"'], ['%3D', '%26'], ['\u001b[32m', '\u001b[0m'], ['\\u001b[1;32m', ' '], ['(', ')']]) {
      expect(redact(before + token + after)).toBe(`${before}[redacted:token]${after}`);
    }
  });

  it.each([
    'task-abcdefghijklmnopqrstuvwxyz', 'sk-loading-indicator-wide-thing', 'sk-SK', 'disk-0123456789abcdef0123', 'laughs_understanding', 'at_least_one_of_these_things', 'br_netfilter', 'what_0123456789abcdef01', 'AKIATOOSHORT',
    'sha512-AKIAabcdefghijklmnopqrstuv', 'MAKIAIOSFODNN7EXAMPLE', 'ghp_', 'xoxb-', 'npm_config_registry', 'npm_lifecycle_script_name_that_is_long', 'arr_length_of_the_whole_array_here',
  ])('%s stays', (text) => {
    expect(redact(`see ${text} there`)).toBe(`see ${text} there`);
  });
});

describe('private keys', () => {
  const line = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj';
  const pem = (kind: string, end = '\n') => [`-----BEGIN ${kind}-----`, line, line, 'QQ==', `-----END ${kind}-----`].join(end);

  it.each(['PRIVATE KEY', 'RSA PRIVATE KEY', 'EC PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'ENCRYPTED PRIVATE KEY', 'PGP PRIVATE KEY BLOCK'])('a %s becomes a placeholder, however its lines end', (kind) => {
    for (const end of ['\n', '\r\n', '\\n', '\\r\\n', '\\\\n', '\n   ', ' ', '\n> ', '\\n" +\n  "']) {
      expect(redact(`before ${pem(kind, end)} after`)).toBe('before [redacted:private-key] after');
    }
  });

  it('is recognised with headers, cut short, or shorter than a line', () => {
    expect(redact(`-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123\n\n${line}\nQQ==\n-----END RSA PRIVATE KEY-----\nx`)).toBe('[redacted:private-key]\nx');
    expect(redact(`-----BEGIN PRIVATE KEY-----\n${line}\n${line.slice(0, 20)}`)).toBe('[redacted:private-key]');
    expect(redact('-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----')).toBe('[redacted:private-key]');
    expect(redact(`${pem('PRIVATE KEY')}\n${pem('RSA PRIVATE KEY')}`)).toBe('[redacted:private-key]\n[redacted:private-key]');
    expect(redact(`-----BEGIN PRIVATE KEY-----\n${line}\n(cut here) and then more text`)).toBe('[redacted:private-key](cut here) and then more text');
  });

  it.each([
    'grep -q "-----BEGIN PRIVATE KEY-----" file && echo found',
    'const re = /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----/;',
    '_START = b"-----BEGIN OPENSSH PRIVATE KEY-----"\n_END = b"-----END OPENSSH PRIVATE KEY-----"\n',
    'It begins with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----.',
    `-----BEGIN CERTIFICATE-----\n${line}\n-----END CERTIFICATE-----`,
    `-----BEGIN PUBLIC KEY-----\n${line}\n-----END PUBLIC KEY-----`,
  ])('%j stays', (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe('headers', () => {
  it.each<[string, string]>([
    ['Authorization: Bearer abc.def.ghi\nHost: x', 'Authorization: [redacted:authorization]\nHost: x'],
    ['> authorization: Basic dXNlcjpwYXNz\r\n> accept: */*', '> authorization: [redacted:authorization]\r\n> accept: */*'],
    ['Authorization: secretvalue', 'Authorization: [redacted:authorization]'],
    ['AUTHORIZATION:token abcd', 'AUTHORIZATION:[redacted:authorization]'],
    ['Authorization: Digest username="Mufasa", response="6629fae"\nx', 'Authorization: [redacted:authorization]\nx'],
    ['Authorization: AWS4-HMAC-SHA256 Credential=AK/2025/us, Signature=fe5f8\nx', 'Authorization: [redacted:authorization]\nx'],
    ['Proxy-Authorization: Basic abcd', 'Proxy-Authorization: [redacted:proxy-authorization]'],
    ['curl -H "Authorization: Bearer sometoken" https://x', 'curl -H "Authorization: [redacted:authorization]" https://x'],
    ["curl -H 'X-Api-Key: some-api-key' -v", "curl -H 'X-Api-Key: [redacted:x-api-key]' -v"],
    ['x-api-key: abc123', 'x-api-key: [redacted:x-api-key]'],
    ['Cookie: sid=abc; theme=dark\nx', 'Cookie: [redacted:cookie]\nx'],
    ['Set-Cookie: sid=abc; Path=/; HttpOnly', 'Set-Cookie: [redacted:set-cookie]'],
    ['{"log":"> Authorization: Bearer abc\\n> Host: x"}', '{"log":"> Authorization: [redacted:authorization]\\n> Host: x"}'],
    ['{"Authorization":"Bearer abc","x":1}', '{"Authorization":"[redacted:secret]","x":1}'],
    ["{'cookie': 'a=bc'}", "{'cookie': '[redacted:secret]'}"],
    ['Authorization: "Bearer abcdef"', 'Authorization: "[redacted:authorization]"'],
    ['{\\"x-api-key\\":\\"abcd\\"}', '{\\"x-api-key\\":\\"[redacted:secret]\\"}'],
    ['sent Bearer abc123 to it', 'sent Bearer [redacted:bearer] to it'],
    ['"Bearer eyJhbGciOi.eyJzdWIi.SflKxw"', '"Bearer [redacted:bearer]"'],
    ['?auth=Bearer%20abc123def&x=1', '?auth=[redacted:secret]&x=1'],
    ['sent%20Bearer%20abc123def end', 'sent%20Bearer%20[redacted:bearer] end'],
  ])('%j becomes %j', (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it.each([
    'authorization: check the token before the request is sent', 'cookie: add SameSite handling', 'fix(authorization): refuse early', 'Bearer token is required', 'uses Bearer authentication', 'Authorization: Bearer $TOKEN',
    'Authorization: Bearer ${{ secrets.TOKEN }}', 'Authorization: Bearer <token>', "headers: { authorization: `Bearer ${token}` }", '  authorization: string;', '  authorization: getToken(),', 'cookie: string', 'Bearer https://example.test/rfc6750',
    'the Authorization header', 'authorization:', 'Authorization:\nnext',
  ])('%j stays', (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe('assignments', () => {
  it.each<[string, string]>([
    ['API_KEY=abcd next', 'API_KEY=[redacted:secret] next'],
    ['export NPM_TOKEN="ab cd"; x', 'export NPM_TOKEN="[redacted:secret]"; x'],
    ["DB_PASSWD='it is';", "DB_PASSWD='[redacted:secret]';"],
    [`GITHUB_TOKEN=${TOKEN}\nPATH=/bin`, 'GITHUB_TOKEN=[redacted:GITHUB_TOKEN]\nPATH=/bin'],
    ['--password=hunter2 --verbose', '--password=[redacted:secret] --verbose'],
    ['https://x.test/?access_token=abc123de&page=2', 'https://x.test/?access_token=[redacted:secret]&page=2'],
    ['//packages.example/:_authToken=abcdef12', '//packages.example/:_authToken=[redacted:secret]'],
    ['{"cmd":"TOKEN=abcd run\\n"}', '{"cmd":"TOKEN=[redacted:secret] run\\n"}'],
    ['{"cmd":"TOKEN=abcd\\nX=1"}', '{"cmd":"TOKEN=[redacted:secret]\\nX=1"}'],
    ['{"cmd":"TOKEN=\\"ab cd\\" run"}', '{"cmd":"TOKEN=\\"[redacted:secret]\\" run"}'],
    ['spring.datasource.password=hunter2', 'spring.datasource.password=[redacted:secret]'],
    ['KEY=abcdefghijklmnopqrstuvwxyz', 'KEY=[redacted:secret]'],
    ['AWS_SECRET_ACCESS_KEY=/wJalr+XUtnFEMI/K7MDENG', 'AWS_SECRET_ACCESS_KEY=[redacted:secret]'],
  ])('%j becomes %j', (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it.each([
    'PATH=/usr/bin', 'GIT_AUTHOR_NAME=Somebody', 'KEYBOARD=qwertyuiop', 'KEY=short', 'key=PROJ-12345-and-more-than-20', 'ISSUE_KEY=PROJ-123', 'TOKEN=$OTHER', 'TOKEN=${OTHER:-x}', 'TOKEN=$(cat file)', 'TOKEN="$1"', 'TOKEN=', 'TOKEN=""', 'TOKEN=abc',
    'DISABLE_AUTH=true', 'MAX_TOKENS=4096000000', 'primary_key=True,', 'sorted(x, key=lambda item: item.name)', 'sorted(x, key=operator.itemgetter)', 'connect(token=token, auth=self.auth)', '<li key={item.id}>', 'if (token==null) return', 'token=>token.value',
    'key === other', 'SSH_AUTH_SOCK=/tmp/ssh-abc/agent.1', 'GIT_CONFIG_KEY_0=protocol.allow', 'KEY_FILE=./config/key.pem', 'print("raw token=" + repr(token))', 'this.token=null,this.start=0', 'HandlePowerKey=poweroff', 'auth=basic', `TOKEN_FILE=${folder}`,
    'session=550e8400-e29b-41d4-a716-446655440000',
  ])('%j stays', (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe('members of JSON', () => {
  it.each<[string, string]>([
    ['{"token":"abcd"}', '{"token":"[redacted:secret]"}'],
    ['{ "client_secret" : "ab\\"cd\\\\", "n": 1 }', '{ "client_secret" : "[redacted:secret]", "n": 1 }'],
    ['"apiKey":"1234"', '"apiKey":"[redacted:secret]"'],
    ['"privateKey": "abcd"', '"privateKey": "[redacted:secret]"'],
    ['{"key":"abcdefghijklmnopqrstuvwxyz"}', '{"key":"[redacted:secret]"}'],
    ['"{\\"token\\":\\"ab\\\\\\"cd\\",\\"n\\":1}"', '"{\\"token\\":\\"[redacted:secret]\\",\\"n\\":1}"'],
    ['{\\\\\\"token\\\\\\":\\\\\\"abcdef\\\\\\"}', '{\\\\\\"token\\\\\\":\\\\\\"[redacted:secret]\\\\\\"}'],
    ["{'password': 'correct horse'}", "{'password': '[redacted:secret]'}"],
    ['{"db":{"passwd":"\\u0061bcd"}}', '{"db":{"passwd":"[redacted:secret]"}}'],
    ['"password":"$2b$10$abcdefghijk"', '"password":"[redacted:secret]"'],
    ['"token" => "abcd"', '"token" => "[redacted:secret]"'],
    ['"token":"unterminated\nnext', '"token":"[redacted:secret]\nnext'],
  ])('%j becomes %j', (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it.each([
    '{"token":"abc"}', '{"token":""}', '{"token":12345678}', '{"token":null}', '{"token":{"type":"string"}}', '{"key":"PROJ-123"}', '{"key":"short-key"}', '{"key":"PROJ-123-and-something-long"}', '{"issueKey":"PROJ-1234"}', '{"projectKey":"PROJECT"}',
    '{"key":"550e8400-e29b-41d4-a716-446655440000"}', '{"key":"packages/sdk/src/redaction/redactor.ts"}', '{"key":"settings.account.password.title"}', `{"key":"${'ab12'.repeat(10)}"}`, '{"keywords":["secretive"]}', '{"tokens":"many-of-them"}',
    '{"cookie":"^0.7.1","path-key":"3.1.1","js-tokens":"^4.0.0"}', '{"password":"${PASSWORD}"}', '{"token":"<token>"}', '{"password":"********"}', '{"secretName":"my-secret-name"}', '{"tokenCount":"12345"}', "{ '/etc/passwd': 'a file of users' }",
    'const apiKey: string = load("key");', 'key: value', '{"author":"Somebody"}',
  ])('%j stays', (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe('URLs', () => {
  it.each<[string, string]>([
    ['https://user:secret@host.test/x', 'https://user:[redacted:url-credential]@host.test/x'],
    ['postgres://app:p%40ss@db:5432/app', 'postgres://app:[redacted:url-credential]@db:5432/app'],
    ['redis://:secret@cache:6379', 'redis://:[redacted:url-credential]@cache:6379'],
    ['mongodb+srv://u:a@b@c/x', 'mongodb+srv://u:[redacted:url-credential]@c/x'],
    ['https://u:ab/cd+ef==@host/x', 'https://u:[redacted:url-credential]@host/x'],
    ['https://x-access-token:ghp_0123456789abcdefghij@github.com/a/b.git', 'https://x-access-token:[redacted:url-credential]@github.com/a/b.git'],
    ['https://ghp_0123456789abcdefghij@github.com/a/b.git', 'https://[redacted:url-credential]@github.com/a/b.git'],
    ["fatal: unable to access 'https://a:b1@h/': 403", "fatal: unable to access 'https://a:[redacted:url-credential]@h/': 403"],
  ])('%j becomes %j', (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it.each([
    'http://localhost:3000/@scope/pkg', 'https://host.test:8443/a@b', 'ssh://git@github.com/a/b', 'git+ssh://git@github.com:owner/repo.git', 'https://someone@host.test/x', 'https://u:${TOKEN}@host/x', 'https://u:$TOKEN@host', 'file:///a:b/c', 'http://[::1]:3000/x@y',
    'mailto:a@b.test', 'https://u:@host', 'docker://registry:5000/image@sha256:abc',
  ])('%j stays', (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe('JSON values', () => {
  it('judges members by their key, and every other string by what it is', () => {
    const value = { title: 'x', n: 1, none: null, nested: [{ apiKey: 'abcd', key: 'PROJ-1', note: `see ${TOKEN}` }, 'https://u:pw@h'], password: ['list'], GITHUB_TOKEN: TOKEN, missing: undefined };
    expect(redactor.json(value)).toEqual({
      title: 'x', n: 1, none: null, nested: [{ apiKey: '[redacted:secret]', key: 'PROJ-1', note: 'see [redacted:GITHUB_TOKEN]' }, 'https://u:[redacted:url-credential]@h'], password: ['list'], GITHUB_TOKEN: '[redacted:GITHUB_TOKEN]',
    });
  });

  it('gives the same reference back when nothing changed, and changes nothing more the second time', () => {
    const plain = { a: [1, 'two', { three: null }], token: 12 };
    expect(redactor.json(plain)).toBe(plain);
    const once = redactor.json({ token: 'abcdefgh', list: [TOKEN] });
    expect(redactor.json(once)).toBe(once);
  });

  it('copes with any key', () => {
    const value = JSON.parse(`{"__proto__":{"token":"abcdefgh"},"constructor":"x","":"${TOKEN}"}`) as Record<string, never>;
    const redacted = redactor.json(value);
    expect(JSON.stringify(redacted)).toBe('{"__proto__":{"token":"[redacted:secret]"},"constructor":"x","":"[redacted:GITHUB_TOKEN]"}');
    expect(Object.getPrototypeOf(redacted)).toBe(Object.prototype);
  });
});
