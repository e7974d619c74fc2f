import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { call, document } from '../in-process.js';
import { Workplace } from '../workplace.js';

let folder: string;
let env: Readonly<Record<string, string>>;

beforeEach(async () => {
  folder = (await Workplace.create()).folder;
  await mkdir(join(folder, 'bin'));
  // Nothing of this machine: only what a test installs, and what a shell script needs.
  env = { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, HOME: folder };
});

/** A CLI that answers questions about itself as Claude Code does. */
async function installClaude(answers: { readonly version?: string; readonly signedIn?: boolean }): Promise<string> {
  const { version = '2.1.332 (Claude Code)', signedIn = true } = answers;
  const path = join(folder, 'bin/claude');
  const status = signedIn ? `echo '{ "loggedIn": true, "authMethod": "api_key" }'` : `echo '{ "loggedIn": false, "authMethod": "none" }'; exit 1`;
  await writeFile(path, `#!/bin/sh\ncase "$*" in\n  --version) echo '${version}' ;;\n  'auth status') ${status} ;;\n  *) exit 9 ;;\nesac\n`);
  await chmod(path, 0o755);
  return path;
}

interface Listed {
  readonly cli: string;
  readonly state: string;
  readonly problem?: { readonly code: string; readonly hint: string };
}

async function listed(cli: string, args: readonly string[] = []): Promise<Listed | undefined> {
  const { agents } = await document(folder, ['agents', ...args], env);
  return (agents as readonly Listed[]).find((agent) => agent.cli === cli);
}

describe('flows agents', () => {
  test('says where an agent is, which version, and who is signed in', async () => {
    const executable = await installClaude({});
    expect(await listed('claude')).toEqual({ cli: 'claude', default: false, state: 'ready', executable, version: '2.1.332', account: 'api_key', models: null });
    const { status, stdout } = await call(folder, ['agents'], env);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^claude +ready +2\.1\.332 +api_key +\S+bin\/claude$/m);
    expect(stdout).toContain('Every model is allowed');
  });

  test.each([
    [{ signedIn: false }, 'not signed in', 'cli_unauthenticated', /\/login/],
    [{ version: '1.0.3 (Claude Code)' }, 'too old', 'cli_outdated', /claude update/],
    [{ version: 'a game of that name' }, 'not usable', 'cli_unsupported', /npm install -g/],
  ])('says what an agent lacks and the command that helps: %j', async (answers, state, code, help) => {
    await installClaude(answers);
    expect(await listed('claude')).toMatchObject({ state, problem: { code, hint: expect.stringMatching(help) as string } });
    const { status, stderr } = await call(folder, ['agents'], env);
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringMatching(help) as string });
  });

  test('names the command that installs one that is missing', async () => {
    expect(await listed('claude')).toMatchObject({ state: 'not installed', executable: null, problem: { code: 'cli_missing', hint: expect.stringContaining('npm install -g @anthropic-ai/claude-code') as string } });
    expect((await call(folder, ['agents'], env)).status).toBe(0);
  });

  test('fails for the one that is asked for, and for the default of flows.json', async () => {
    expect((await call(folder, ['agents', 'claude'], env)).status).toBe(2);
    await writeFile(join(folder, 'flows.json'), '{ "cli": "claude" }');
    const { status, stdout, stderr } = await call(folder, ['agents'], env);
    expect(status).toBe(2);
    expect(stdout).toMatch(/^claude \(default\) +not installed/m);
    expect(stderr).toContain('[cli_missing]');
  });

  test('shows which models flows.json allows', async () => {
    await installClaude({});
    await writeFile(join(folder, 'flows.json'), '{ "models": ["claude-opus-5-5"] }');
    expect((await call(folder, ['agents'], env)).stdout).toContain('flows.json allows these models: claude-opus-5-5.');
    expect(await document(folder, ['agents', 'claude'], env)).toMatchObject({ exit: 0, ok: true, models: ['claude-opus-5-5'] });
  });

  test('asks a wrapper by its path', async () => {
    await writeFile(join(folder, 'bin/none'), '#!/bin/sh\necho something else\n');
    await chmod(join(folder, 'bin/none'), 0o755);
    expect(await document(folder, ['agents', './bin/none'], env)).toMatchObject({ exit: 2, ok: false, agents: [{ cli: './bin/none', state: 'not usable' }] });
  });
});
