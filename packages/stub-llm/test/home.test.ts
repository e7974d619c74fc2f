import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeHome, type HomeOptions } from '../src/index.js';

const URL = 'http://127.0.0.1:4711';
const CREDENTIALS = ['.claude/.credentials.json', '.codex/auth.json', '.local/share/opencode/auth.json'];

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'stub-home-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

async function made(options: Omit<HomeOptions, 'url' | 'directory'> = {}, directory = folder()) {
  const home = await makeHome({ directory, url: URL, ...options });
  return { ...home, read: (path: string) => readFileSync(join(directory, path), 'utf8'), credentials: () => CREDENTIALS.filter((path) => existsSync(join(directory, path))) };
}

it('leads every CLI to the server', async () => {
  const { read } = await made();
  const settings = ['.claude/settings.json', '.codex/config.toml', '.config/opencode/opencode.json', '.pi/agent/models.json', '.gemini/.env'];
  expect(settings.map((path) => read(path).includes(URL))).toEqual(settings.map(() => true));
});

it('signs every CLI in with a key', async () => {
  const { read, credentials } = await made();
  expect(credentials()).toEqual(['.codex/auth.json', '.local/share/opencode/auth.json']);
  expect(JSON.parse(read('.claude/settings.json'))).toMatchObject({ env: { ANTHROPIC_API_KEY: 'stub' } });
  expect(read('.gemini/.env')).toContain('GEMINI_API_KEY=stub');
  expect(read('.pi/agent/models.json')).toContain('"apiKey": "stub"');
});

it('signs claude in as a person', async () => {
  const { read, credentials } = await made({ account: 'person' });
  expect(credentials()).toContain('.claude/.credentials.json');
  expect(JSON.parse(read('.claude/.credentials.json'))).toMatchObject({ claudeAiOauth: { subscriptionType: 'max', scopes: expect.arrayContaining(['user:inference']) } });
  expect(read('.claude/settings.json')).not.toContain('API_KEY');
});

it('signs all of them out again', async () => {
  const directory = folder();
  await made({ account: 'person' }, directory);
  const { read, credentials } = await made({ signedIn: false }, directory);
  expect(credentials()).toEqual([]);
  expect(read('.claude/settings.json') + read('.gemini/.env') + read('.gemini/settings.json') + read('.pi/agent/models.json')).not.toMatch(/key/i);
  expect(read('.codex/config.toml')).not.toContain('token');
  expect(JSON.parse(read('.config/opencode/opencode.json'))).toMatchObject({ provider: {} });
});

it('gives an environment without what leads elsewhere', async () => {
  const { directory, environment } = await made();
  const own = { PATH: '/bin', LANG: 'C.UTF-8', HTTPS_PROXY: 'http://proxy', EMPTY: '', GONE: undefined };
  const others = { HOME: '/home/me', XDG_CONFIG_HOME: '/x', XDG_DATA_HOME: '/x', ANTHROPIC_API_KEY: 'x', ANTHROPIC_BASE_URL: 'x', CLAUDECODE: '1', CLAUDE_CONFIG_DIR: '/x', CLAUDE_CODE_OAUTH_TOKEN: 'x', CODEX_HOME: '/x', OPENAI_API_KEY: 'x', OPENCODE_CONFIG: '/x', PI_CODING_AGENT_DIR: '/x', GEMINI_API_KEY: 'x', GOOGLE_API_KEY: 'x', GOOGLE_GEMINI_BASE_URL: 'x', IS_SANDBOX: '1' };
  expect(environment({ ...own, ...others })).toEqual({ PATH: '/bin', LANG: 'C.UTF-8', HTTPS_PROXY: 'http://proxy', EMPTY: '', HOME: directory });
});
