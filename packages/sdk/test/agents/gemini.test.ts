import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { geminiAdapter } from '../../src/agents/clis/gemini.js';
import { spelledOut } from '../../src/agents/clis/gemini/task.js';
import { superviseProcess } from '../../src/process/supervise.js';
import { folder } from './fixture.js';
import { NOW, recording, ReplayedGemini, type Recording } from './gemini/replayed.js';

const HOURS = 3_600_000;

describe('how a recorded turn is judged', () => {
  it('takes what was said after the last tool as the message, and shows the rest in order', async () => {
    const gemini = new ReplayedGemini('work');
    const turn = await gemini.execute();
    expect(turn.outcome).toEqual({ class: 'success', message: 'All done.\n\n- one' });
    expect(turn.warnings).toEqual([]);
    expect(turn.sessionId).toBe('00000000-0000-4000-8000-000000000001');
    expect(gemini.events.filter(({ type }) => type === 'message' || type === 'tool' || type === 'file_change' || type === 'session')).toEqual([
      { type: 'session', sessionId: '00000000-0000-4000-8000-000000000001' },
      { type: 'message', text: 'I will work.' },
      { type: 'tool', name: 'write_file', summary: 'hello.txt', phase: 'start' },
      { type: 'tool', name: 'write_file', summary: '', phase: 'end' },
      { type: 'file_change', path: 'hello.txt', change: 'modify' },
      { type: 'message', text: 'Now commit.' },
      { type: 'tool', name: 'run_shell_command', summary: 'git add -A && git commit -m work', phase: 'start' },
      { type: 'tool', name: 'run_shell_command', summary: '', phase: 'end' },
      { type: 'message', text: 'All done.\n\n- one' },
    ]);
  });

  it('counts what was thought as output, and names the model that did most', async () => {
    const { usage, model } = await new ReplayedGemini('work').execute();
    expect(usage).toEqual({ inputTokens: 1_300, outputTokens: 107, cachedInputTokens: 100 });
    expect(model).toBe('gemini-3.8-flash');
  });

  it('counts a turn that continues a session for itself alone', async () => {
    expect((await new ReplayedGemini('session-continued').execute()).usage).toEqual({ inputTokens: 200, outputTokens: 40, cachedInputTokens: 0 });
  });

  it.each([
    ['unauthorized', 'cli_unauthenticated', 'API key not valid'],
    ['wrong-key', 'cli_unauthenticated', 'API key not valid'],
    ['forbidden', 'cli_unauthenticated', 'Permission denied on resource project x'],
    ['limit-with-reset', 'provider_usage_limited', 'You exceeded your current quota'],
    ['limit-terminal', 'provider_usage_limited', 'You exceeded your current quota'],
    ['no-capacity', 'provider_unavailable', 'No capacity available'],
    ['outage', 'provider_unavailable', 'Internal error encountered'],
    ['overloaded', 'provider_unavailable', 'The model is overloaded'],
    ['model-unknown', 'model_unknown', 'models/nope is not found'],
    ['empty', 'worker_error', 'The model returned an empty response'],
    ['turn-limit', 'worker_error', 'Reached max session turns'],
    ['command', 'worker_error', 'Exiting due to command result'],
    ['not-signed-in', 'cli_unauthenticated', 'Please set an Auth method'],
    ['method-refused', 'cli_unauthenticated', 'Invalid auth method selected.'],
    ['account-gone', 'cli_unauthenticated', 'Manual authorization is required'],
    ['untrusted', 'worker_error', 'not running in a trusted directory'],
    ['session-in-use', 'worker_error', 'already exists'],
  ])('%s is %s, with its cause', async (name, code, cause) => {
    const { outcome } = await new ReplayedGemini(name).execute();
    expect(outcome).toMatchObject({ class: 'failed', code, text: expect.stringContaining(cause), hint: expect.stringMatching(/\S/) });
    expect(outcome).not.toHaveProperty('sessionUnknown');
  });

  it.each(['dropped-before', 'dropped-mid'])('%s is a lost connection', async (name) => {
    expect((await new ReplayedGemini(name).execute()).outcome).toMatchObject({ class: 'lost', text: expect.stringContaining('lost the connection') });
  });

  it.each(['session-unknown', 'session-elsewhere'])('%s: the session is unknown', async (name) => {
    expect((await new ReplayedGemini(name).execute()).outcome).toMatchObject({ class: 'failed', sessionUnknown: true });
  });

  it('an exit with status 0 and without a result is a lost turn', async () => {
    const { outcome, sessionId } = await new ReplayedGemini('told-to-end').execute();
    expect(outcome).toMatchObject({ class: 'lost', text: expect.stringContaining('ended in the middle of its turn') });
    expect(sessionId).toBeDefined();
  });

  it('knows when a limit resets', async () => {
    expect((await new ReplayedGemini('limit-with-reset').execute()).outcome).toMatchObject({ resetsAt: NOW + 2 * HOURS + 13 * 60_000 + 5_000 });
    expect((await new ReplayedGemini('limit-terminal').execute()).outcome).toMatchObject({ resetsAt: NOW + 7_985_000 });
  });

  it('knows it from the details of a provider as well', async () => {
    const error = { error: { code: 429, message: 'Too fast.', details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34s' }] } };
    const { outcome } = await new ReplayedGemini(withResult('outage', { status: 'error', error: { message: `[API Error: ${JSON.stringify(error)}]` } }, 173)).execute();
    expect(outcome).toMatchObject({ code: 'provider_usage_limited', resetsAt: NOW + 34_000 });
  });

  it.each([
    ['waits-for-hours', 'Your quota will reset after 2h', 2 * HOURS],
    ['waits-for-minutes', 'Resource exhausted. Suggested retry after 200s', 200_000],
  ])('does not let it sleep: %s', async (name, cause, afterMs) => {
    const { outcome, process: ended } = await new ReplayedGemini({ ...recording(name), waits: true }).execute();
    expect(outcome).toMatchObject({ class: 'failed', code: 'provider_usage_limited', text: expect.stringContaining(cause), resetsAt: NOW + afterMs });
    expect(ended?.stopped).toBe('outcome_known');
  });

  it.each(['outage', 'recovered'])('shows that it tries again: %s', async (name) => {
    const gemini = new ReplayedGemini(recording(name));
    await gemini.execute();
    expect(gemini.events).toContainEqual({ type: 'other', name: 'retry', detail: expect.stringMatching(/^Attempt 1 failed/) });
  });

  it('lets it wait for a few seconds', async () => {
    expect(recording('limit-with-reset').stderr.some((line) => /Retrying after \d{4}ms/.test(line))).toBe(true);
    expect((await new ReplayedGemini('limit-with-reset').execute()).process?.stopped).toBeUndefined();
  });

  it('takes the HTTP status from the exit status where the sentence has none', async () => {
    const { outcome } = await new ReplayedGemini(withResult('outage', { status: 'error', error: { message: '[API Error: Something.]' } }, 247)).execute();
    expect(outcome).toMatchObject({ code: 'provider_unavailable', text: expect.stringContaining('HTTP 503') });
  });

  it('a retry of its own that helped is no failure', async () => {
    const { outcome, warnings } = await new ReplayedGemini('recovered').execute();
    expect(outcome).toEqual({ class: 'success', message: 'Recovered.' });
    expect(warnings).toEqual([]);
  });

  it('a success after which it exits otherwise stands', async () => {
    const { outcome, warnings } = await new ReplayedGemini({ ...recording('work'), exitCode: 3 }).execute();
    expect(outcome.class).toBe('success');
    expect(warnings.map(({ code }) => code)).toEqual(['late_exit']);
  });

  it('warns when another model answered than the one that was asked for', async () => {
    const gemini = new ReplayedGemini('model-replaced');
    const { warnings, model } = await gemini.execute({ model: 'gemini-3-pro-preview' });
    expect(warnings).toEqual([{ code: 'model_replaced', text: 'gemini was asked for the model gemini-3-pro-preview and used gemini-3.1-pro-preview.' }]);
    expect(model).toBe('gemini-3.1-pro-preview');
    expect(gemini.calls()[0]?.args).toEqual(expect.arrayContaining(['--model', 'gemini-3-pro-preview']));
  });

  it.each(['pro', 'auto', 'gemini-3.1-pro-preview'])('does not when %s was', async (model) => {
    expect((await new ReplayedGemini('model-replaced').execute({ model })).warnings).toEqual([]);
  });

  it('does when a smaller one of another kind stands in', async () => {
    expect((await new ReplayedGemini('work').execute({ model: 'pro' })).warnings.map(({ code }) => code)).toEqual(['model_replaced']);
  });

  const complaint = (severity: string, message: string) => ({ type: 'error', severity, message });
  it('an answer that it broke off as a loop is no success, though it calls it one', async () => {
    expect(recording('loop').records.at(-1)).toMatchObject({ type: 'result', status: 'success' });
    const { outcome } = await new ReplayedGemini('loop').execute();
    expect(outcome).toMatchObject({ class: 'failed', code: 'worker_error', text: expect.stringMatching(/Loop detected.*model\.disableLoopDetection/) });
  });

  it('another warning beside a last message is one', async () => {
    const { outcome, warnings } = await new ReplayedGemini(before('work', complaint('warning', 'Agent execution blocked: by a hook'))).execute();
    expect(outcome.class).toBe('success');
    expect(warnings).toEqual([{ code: 'cli_warning', text: 'gemini says: Agent execution blocked: by a hook' }]);
  });

  it('is a failure where there is no last message', async () => {
    const { outcome } = await new ReplayedGemini(before('work', complaint('warning', 'Agent execution blocked: by a hook'), { withoutLast: true })).execute();
    expect(outcome).toMatchObject({ class: 'failed', code: 'worker_error', text: expect.stringContaining('by a hook') });
  });

  it('its own limit of turns is a failure, though it calls it a success', async () => {
    const { outcome } = await new ReplayedGemini(before('work', complaint('error', 'Maximum session turns exceeded'))).execute();
    expect(outcome).toMatchObject({ class: 'failed', code: 'worker_error', text: expect.stringContaining('Maximum session turns exceeded') });
  });
});

describe('how it is called', () => {
  it('has one process, a trusted directory, every tool, and the task on its standard input only', async () => {
    const gemini = new ReplayedGemini();
    await gemini.execute({ task: 'the-task' });
    const [call] = gemini.calls();
    expect(call?.args).toEqual(['--output-format', 'stream-json', '--approval-mode', 'yolo']);
    expect(call?.input).toBe('the-task');
    expect(call?.cwd).toBe(gemini.cwd);
    expect(call?.env).toMatchObject({ GEMINI_CLI_NO_RELAUNCH: 'true', GEMINI_CLI_TRUST_WORKSPACE: 'true' });
  });

  it.each([['new', '--session-id'], ['resume', '--resume']] as const)('a session: %s', async (kind, option) => {
    const gemini = new ReplayedGemini();
    await gemini.execute({ session: { kind, id: 'b7a3f0de-4c1f-4a4e-9a55-0d5f3c2b1a90' } });
    expect(gemini.calls()[0]?.args.slice(-2)).toEqual([option, 'b7a3f0de-4c1f-4a4e-9a55-0d5f3c2b1a90']);
  });

  it('what may only read has a policy that denies all but reading, and no tool servers', async () => {
    const gemini = new ReplayedGemini('readonly');
    await gemini.execute({ permissions: { accessPreset: 'readonly' } });
    const { args = [], policy = '' } = gemini.calls()[0] ?? {};
    expect(args).not.toContain('yolo');
    expect(args).toEqual(expect.arrayContaining(['--approval-mode', 'default', '--extensions', 'none', '--allowed-mcp-server-names', 'relayflows-allows-none']));
    expect(policy).toMatch(/toolName = "\*"\ndecision = "deny"/);
    expect(policy).toMatch(/toolName = \["read_file".*\ndecision = "allow"/);
    for (const tool of ['write_file', 'replace', 'run_shell_command', 'invoke_agent', 'save_memory', 'exit_plan_mode']) expect(policy).not.toContain(tool);
    expect(existsSync(args[args.indexOf('--policy') + 1] ?? '')).toBe(false);
    expect(geminiAdapter.abilities.enforces).toEqual(['accessPreset']);
  });

  it('the policies of the user stay, next to ours', async () => {
    const gemini = new ReplayedGemini();
    gemini.write(gemini.home, '.gemini/policies/own.toml', '');
    await gemini.execute({ permissions: { accessPreset: 'readonly' } });
    expect(gemini.calls()[0]?.args).toContain(join(gemini.home, '.gemini', 'policies'));
  });

  it('every tool that was tried under that policy was refused', () => {
    const ends = recording('readonly').records.filter(({ type }) => type === 'tool_result');
    expect(ends.length).toBeGreaterThan(10);
    expect(ends.map(({ status }) => status)).toEqual(ends.map(() => 'error'));
  });

  it('nothing is started where no directory is trusted', async () => {
    const gemini = new ReplayedGemini();
    gemini.hostEnv = { ...gemini.hostEnv, GEMINI_RESTRICTED_MODE: 'true' };
    expect((await gemini.execute()).outcome).toMatchObject({ class: 'failed', code: 'worker_error', hint: 'Unset GEMINI_RESTRICTED_MODE.' });
    expect(gemini.calls()).toEqual([]);
  });

  it('nothing is started with a task whose end would be dropped', async () => {
    const gemini = new ReplayedGemini();
    expect((await gemini.execute({ task: 'é'.repeat(4_194_305) })).outcome).toMatchObject({ class: 'failed', text: expect.stringContaining('8388610 bytes') });
    expect(gemini.calls()).toEqual([]);
  });

  it('writes the whole of a long record, however late it is read', async () => {
    const long = { type: 'tool_result', tool_id: 'x', status: 'success', output: 'x'.repeat(3_000_000) };
    const gemini = new ReplayedGemini({ ...recording('work'), records: [...recording('work').records.slice(0, -2), long, ...recording('work').records.slice(-2)] });
    expect((await gemini.execute()).outcome).toEqual({ class: 'success', message: 'All done.\n\n- one' });
    expect(gemini.calls()[0]?.env).not.toHaveProperty('NODE_OPTIONS');
  });

  it('what it starts has the NODE_OPTIONS of the host', async () => {
    const gemini = new ReplayedGemini();
    gemini.hostEnv = { ...gemini.hostEnv, NODE_OPTIONS: '--no-warnings' };
    expect((await gemini.execute()).outcome.class).toBe('success');
    expect(gemini.calls()[0]?.env['NODE_OPTIONS']).toBe('--no-warnings');
  });
});

describe('the author of its commits', () => {
  const identity = '[user]\n\tname = A Person\n\temail = person@example.invalid\n';

  it('is the user, whose git settings it hides', async () => {
    const gemini = new ReplayedGemini();
    gemini.write(gemini.home, '.gitconfig', identity);
    gemini.hostEnv = { ...gemini.hostEnv, GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.abbrev', GIT_CONFIG_VALUE_0: '12' };
    await gemini.execute();
    const [call] = gemini.calls();
    expect(call?.env['GIT_CONFIG_COUNT']).toBe('3');
    expect(Object.fromEntries(call?.git ?? [])).toEqual({
      GIT_CONFIG_KEY_0: 'core.abbrev', GIT_CONFIG_VALUE_0: '12',
      GIT_CONFIG_KEY_1: 'user.name', GIT_CONFIG_VALUE_1: 'A Person', GIT_CONFIG_KEY_2: 'user.email', GIT_CONFIG_VALUE_2: 'person@example.invalid',
    });
  });

  it('is the one whom the repository names, where it names one', async () => {
    const gemini = new ReplayedGemini();
    gemini.write(gemini.home, '.gitconfig', identity);
    const git = (...args: string[]) => execFileSync('git', args, { cwd: gemini.cwd, stdio: 'pipe' });
    git('init', '-q');
    git('config', 'user.name', 'The Repository');
    await gemini.execute();
    expect(Object.fromEntries(gemini.calls()[0]?.git ?? [])).toEqual({ GIT_CONFIG_KEY_0: 'user.email', GIT_CONFIG_VALUE_0: 'person@example.invalid' });
  });
});

describe('a question to the model', () => {
  it('is put in a directory of its own, without tools, context and session', async () => {
    const gemini = new ReplayedGemini();
    gemini.write(gemini.cwd, '.gemini/settings.json', '{ // how it is signed in\n "security": { "auth": { "selectedType": "vertex-ai" } }, "hooks": {}, "tools": { "core": ["write_file"] } }');
    const turn = await gemini.execute({ mode: 'llm', task: 'Six times seven?' });
    expect(turn.outcome.class).toBe('success');
    expect(turn.sessionId).toBeUndefined();
    const [call] = gemini.calls();
    expect(call?.cwd).not.toContain(gemini.cwd);
    expect(readdirSync(call?.cwd ?? '')).toEqual(['.gemini']);
    expect(call?.settings).toEqual({
      security: { auth: { selectedType: 'vertex-ai' } },
      context: { includeDirectoryTree: false, fileName: ['.relayflows-reads-no-context'], fileFiltering: { enableRecursiveFileSearch: false } },
      tools: { core: [] }, hooksConfig: { enabled: false }, skills: { enabled: false },
    });
    expect(call?.policy).toMatch(/"\*"\ndecision = "deny"/);
    expect(call?.policy).not.toContain('allow');
    expect(call?.args).toEqual(expect.arrayContaining(['--approval-mode', 'default', '--extensions', 'none', '--allowed-mcp-server-names', 'relayflows-allows-none']));
  });

  it('is signed in by the .env file of the directory, which is not copied', async () => {
    const gemini = new ReplayedGemini();
    gemini.write(gemini.cwd, '.env', 'GEMINI_API_KEY=of-the-project\n');
    await gemini.execute({ mode: 'llm' });
    gemini.write(gemini.cwd, '.env', 'GEMINI_API_KEY=changed\n');
    await gemini.execute({ mode: 'llm' });
    expect(gemini.calls().map(({ variables }) => variables)).toEqual(['GEMINI_API_KEY=of-the-project\n', 'GEMINI_API_KEY=changed\n']);
  });

  it('leaves no session behind, and those of others alone', async () => {
    const gemini = new ReplayedGemini();
    await gemini.execute({ mode: 'llm' });
    const { cwd = '' } = gemini.calls()[0] ?? {};
    gemini.write(gemini.home, '.gemini/projects.json', JSON.stringify({ projects: { [cwd]: 'asked' } }));
    const own = join(gemini.home, '.gemini', 'tmp', 'asked');
    gemini.write(own, 'chats/session-2026-11-30T20-00-00000000.jsonl', 'of another');
    // The scripted CLI keeps nothing itself; this stands for what the real one writes down while the question is asked.
    await gemini.execute({
      mode: 'llm',
      supervise: (request) => {
        const id = request.args[request.args.indexOf('--session-id') + 1] ?? '';
        writeFileSync(join(own, 'chats', `session-2026-11-30T20-01-${id.slice(0, 8)}.jsonl`), 'ours');
        mkdirSync(join(own, 'chats', id), { recursive: true });
        return superviseProcess(request);
      },
    });
    expect(readdirSync(join(own, 'chats'))).toEqual(['session-2026-11-30T20-00-00000000.jsonl']);
  });
});

describe('the spelling of a task', () => {
  const place = (...files: string[]) => {
    const cwd = folder();
    for (const file of files) {
      mkdirSync(dirname(join(cwd, file)), { recursive: true });
      writeFileSync(join(cwd, file), '');
    }
    return cwd;
  };

  it.each(['plain', '  blanks  \n\n', '--help', '/help me', '/usr/bin/env is missing', '//comment', '/* comment */', '@nowhere.txt is missing', 'mail me@example.com', 'a@', '@Component\n@Input()\n', '\\@a.txt', '!ls', '@/etc/passwd', '@../secret', `é😀 ${'x '.repeat(1_000)}\r\n`])('%j stays byte for byte', async (task) => {
    expect(await spelledOut(task, place('a.txt'))).toEqual({ input: task, changes: [] });
  });

  it.each(['/auth now', '/init', '/plan\nof the work', '/my:own command'])('%j is kept from being a command, and said so', async (task) => {
    const { input, changes } = await spelledOut(task, place());
    expect(input).toBe(`\n${task}`);
    expect(changes).toHaveLength(1);
  });

  it.each([
    ['look at @a.txt and @nowhere', 'look at @ a.txt and @nowhere'],
    ['@src\n@src/deep/b.ts, @./a.txt.', '@ src\n@ src/deep/b.ts, @ ./a.txt.'],
    ['found by its name: @b.ts', 'found by its name: @ b.ts'],
    ['by a part of it, in any case: @README', 'by a part of it, in any case: @ README'],
    ['with a blank: @a\\ b.txt @"c d.txt"', 'with a blank: @ a\\ b.txt @"c d.txt"'],
    ['a pattern: @**/*.ts', 'a pattern: @ **/*.ts'],
  ])('%j takes in no file', async (task, input) => {
    const told = await spelledOut(task, place('a.txt', 'src/deep/b.ts', 'readme.md', 'a b.txt', 'c d.txt'));
    expect(told.input).toBe(input);
    expect(told.changes).toHaveLength(1);
  });

  it('does not look where the CLI does not look', async () => {
    const cwd = place('node_modules/param/index.js', '.git/param');
    expect((await spelledOut('@param', cwd)).changes).toEqual([]);
  });

  it('survives a folder that leads nowhere', async () => {
    const cwd = place('a.txt');
    symlinkSync(join(cwd, 'gone'), join(cwd, 'link'));
    expect((await spelledOut('@nowhere', cwd)).changes).toEqual([]);
  });

  it('is told as a warning of the turn', async () => {
    const gemini = new ReplayedGemini();
    gemini.write(gemini.cwd, 'a.txt', '');
    const { warnings } = await gemini.execute({ task: '/init @a.txt' });
    expect(warnings.map(({ code }) => code)).toEqual(['task_changed', 'task_changed']);
    expect(gemini.calls()[0]?.input).toBe('\n/init @ a.txt');
  });
});

describe('a probe', () => {
  const settings = (auth: unknown) => JSON.stringify({ security: { auth } });

  it('tells the version and how it is signed in', async () => {
    const gemini = new ReplayedGemini();
    gemini.write(gemini.home, '.gemini/settings.json', settings({ selectedType: 'gemini-api-key' }));
    expect(await gemini.probe()).toEqual({ executable: gemini.executable, version: '0.61.0', account: 'gemini-api-key' });
  });

  it('refuses one that does not know the switches', async () => {
    const gemini = new ReplayedGemini();
    writeFileSync(join(gemini.home, 'version'), '0.41.9');
    await expect(gemini.probe()).rejects.toMatchObject({ code: 'cli_outdated' });
  });

  it('refuses where nobody chose a way to sign in', async () => {
    const gemini = new ReplayedGemini();
    gemini.write(gemini.home, '.gemini/settings.json', settings({}));
    gemini.write(gemini.home, '.gemini/.env', 'GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:1\nGEMINI_API_KEY=\n');
    await expect(gemini.probe()).rejects.toMatchObject({ code: 'cli_unauthenticated', hint: expect.stringContaining('GEMINI_API_KEY') });
  });

  it('refuses Vertex AI without a project', async () => {
    const gemini = new ReplayedGemini();
    gemini.hostEnv = { ...gemini.hostEnv, GOOGLE_GENAI_USE_VERTEXAI: 'true', GOOGLE_CLOUD_PROJECT: 'p' };
    await expect(gemini.probe()).rejects.toMatchObject({ code: 'cli_unauthenticated', message: expect.stringContaining('GOOGLE_CLOUD_LOCATION') });
    gemini.hostEnv = { ...gemini.hostEnv, GOOGLE_CLOUD_LOCATION: 'l' };
    expect((await gemini.probe()).account).toBe('vertex-ai');
  });

  const accounts: readonly (readonly [string, (gemini: ReplayedGemini) => void, string])[] = [
    ['a key in the environment', (gemini) => { gemini.hostEnv = { ...gemini.hostEnv, GEMINI_API_KEY: 'k' }; }, 'gemini-api-key'],
    ["a key in the user's .env", (gemini) => gemini.write(gemini.home, '.gemini/.env', 'export GEMINI_API_KEY="k"\n'), 'gemini-api-key'],
    ['a key in the .env of the directory', (gemini) => gemini.write(gemini.cwd, '.env', '# keys\nGEMINI_API_KEY = k\n'), 'gemini-api-key'],
    ['a home of its own', (gemini) => {
      gemini.hostEnv = { ...gemini.hostEnv, GEMINI_CLI_HOME: join(gemini.home, 'other') };
      gemini.write(gemini.home, 'other/.gemini/settings.json', settings({ selectedType: 'vertex-ai' }));
      gemini.hostEnv = { ...gemini.hostEnv, GOOGLE_API_KEY: 'k' };
    }, 'vertex-ai'],
    ['an account of Google', (gemini) => {
      gemini.write(gemini.home, '.gemini/settings.json', `// chosen at the terminal\n${settings({ selectedType: 'oauth-personal' })}`);
      gemini.write(gemini.home, '.gemini/google_accounts.json', '{\n  "active": "person@example.invalid",\n  "old": []\n}');
    }, 'person@example.invalid'],
    ['a key that may lie in the key store', (gemini) => gemini.write(gemini.home, '.gemini/settings.json', settings({ selectedType: 'gemini-api-key' })), 'gemini-api-key'],
    ["the directory's own choice", (gemini) => {
      gemini.write(gemini.home, '.gemini/settings.json', settings({ selectedType: 'gemini-api-key' }));
      gemini.write(gemini.cwd, '.gemini/settings.json', settings({ selectedType: 'compute-default-credentials' }));
    }, 'compute-default-credentials'],
  ];

  it.each(accounts)('is satisfied with %s', async (_name, prepare, account) => {
    const gemini = new ReplayedGemini();
    prepare(gemini);
    const identity = await gemini.probe();
    expect(identity.account).toBe(account);
  });

  it('leaves it open where settings cannot be read', async () => {
    const gemini = new ReplayedGemini();
    gemini.write(gemini.home, '.gemini/settings.json', '{ "security": ');
    expect(await gemini.probe()).toEqual({ executable: gemini.executable, version: '0.61.0' });
  });
});

function withResult(name: string, result: Readonly<Record<string, unknown>>, exitCode: number): Recording {
  return { ...recording(name), exitCode, records: [...recording(name).records.slice(0, -1), { ...recording(name).records.at(-1), ...result }] };
}

/** With a record before the result, and where asked without what was said last. */
function before(name: string, record: Readonly<Record<string, unknown>>, { withoutLast = false } = {}): Recording {
  const { records, ...rest } = recording(name);
  return { ...rest, records: [...records.slice(0, withoutLast ? -2 : -1), record, ...records.slice(-1)] };
}
