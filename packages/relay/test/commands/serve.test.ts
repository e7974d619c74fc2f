import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startInBackground } from '../../src/commands/serve/background.js';
import { holderOf, isAlive } from '../../src/host/lock.js';
import { openServerLog } from '../../src/host/server-log.js';
import { recordStartupFailure } from '../../src/host/startup-record.js';
import { RelayError } from '../../src/errors/relay-error.js';
import { socketServer } from '../client/socket-server.js';
import { madeHome, scratch, unmadeHome } from '../scratch.js';
import { call } from './in-process.js';
import { cleanEnvironment, launch, LAUNCHER, launchOnTerminal } from './launched.js';
import { answer } from './answers.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };

/** A launcher that does what a test says. */
function scripted(code: string): string {
  const path = join(scratch(), 'launcher.mjs');
  writeFileSync(path, code);
  return path;
}

describe('in the background', () => {
  const HEALTHY = `import { createServer } from 'node:http'; import { writeFileSync } from 'node:fs';
    writeFileSync('seen.json', JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd() }));
    createServer((_, response) => response.end(JSON.stringify({ ok: true, data: { pid: process.pid } }))).listen(process.env.RELAY_FLOW_HOME + '/server.sock');`;

  test('it is left running once it answers, in its home (pitfall 41)', async () => {
    const home = madeHome();
    const { pid } = await startInBackground({ home, env: cleanEnvironment(home), flags: ['recover', 'debug'], launcher: scripted(HEALTHY) });
    onTestFinished(() => {
      process.kill(pid, 'SIGKILL');
    });
    expect(isAlive(pid)).toBe(true);
    expect(JSON.parse(readFileSync(join(home.root, 'seen.json'), 'utf8'))).toEqual({ args: ['serve', '--foreground', '--recover', '--debug'], cwd: home.root });
    await expect(startInBackground({ home, env: cleanEnvironment(home), flags: [], launcher: scripted(HEALTHY) })).rejects.toMatchObject({ code: 'server_running', evidence: { pid } });
  });

  test('when it cannot start, it is quoted; what an earlier one said is not (pitfall 40)', async () => {
    const home = madeHome();
    const log = openServerLog({ path: home.serverLog });
    recordStartupFailure(log, new RelayError('task_auth', 'An old failure.'));
    log.close();
    const failing = scripted(`import { appendFileSync } from 'node:fs';
      appendFileSync('server.log', JSON.stringify({ pid: process.pid, message: 'server startup failed', code: 'config_invalid', text: 'config.yaml:1:1 Odd.', hint: 'Correct it.' }) + '\\n'); process.exit(1);`);
    await expect(startInBackground({ home, env: cleanEnvironment(home), flags: [], launcher: failing })).rejects.toMatchObject({ code: 'config_invalid', text: 'config.yaml:1:1 Odd.', hint: 'Correct it.' });
    await expect(startInBackground({ home, env: cleanEnvironment(home), flags: [], launcher: scripted('process.exit(3)') })).rejects.toMatchObject({ code: 'internal_error', text: 'The server ended before it was ready (exit status 3).' });
    await expect(startInBackground({ home, env: cleanEnvironment(home), flags: [], launcher: scripted('process.kill(process.pid, "SIGKILL")') })).rejects.toMatchObject({ text: 'The server ended before it was ready (SIGKILL).' });
  });

  test('one that never answers is ended', async () => {
    const home = madeHome();
    const started: unknown = await startInBackground({ home, env: cleanEnvironment(home), flags: [], launcher: scripted('setInterval(() => {}, 1000)'), longestMs: 500 }).catch((error: unknown) => error);
    expect(started).toMatchObject({ code: 'server_unreachable', text: expect.stringContaining('was not ready') as string });
    const { pid } = (started as RelayError).evidence as { pid: number };
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test('without a home nothing is started', async () => {
    expect(await call(['serve', '--background'], { home: unmadeHome() })).toMatchObject({ status: 1, stderr: expect.stringContaining('FAILED [database_missing] There is no home at') as string });
  });
});

describe('the server itself', () => {
  test('starts, outlives its terminal, survives being killed, and stops', async () => {
    const home = unmadeHome();
    onTestFinished(() => {
      const left = holderOf(home);
      if (left !== undefined) process.kill(left, 'SIGKILL');
    });
    await launch(home, ['init']).ended;
    writeFileSync(home.config, readFileSync(home.config, 'utf8').replace('harnessConfig: {}', 'harnessConfig: {command: [cat]}'));
    expect(await launch(home, ['serve', '--background']).ended).toMatchObject({ status: 0, stdout: expect.stringMatching(/^The server runs \(process \d+\)\.\n$/) as string });
    const first = holderOf(home)!;
    expect(await launch(home, ['serve']).ended).toMatchObject({ status: 1, stderr: `FAILED [server_running] A server for this home is running (process ${first}).\n  Stop it with \`relay-flow stop\`.\n` });
    process.kill(first, 'SIGKILL');
    await expect.poll(() => isAlive(first)).toBe(false);
    expect(await launch(home, ['repo', 'list']).ended).toMatchObject({ status: 1, stderr: expect.stringContaining('The server is not running.') as string });
    expect(await launch(home, ['serve', '--background', '--json']).ended).toMatchObject({ status: 0 });
    const second = holderOf(home)!;
    expect(second).not.toBe(first);
    expect(await launch(home, ['stop']).ended).toMatchObject({ status: 0, stdout: 'The server has stopped. Its runs go on when it is started again.\n' });
    expect(isAlive(second)).toBe(false);
  });

  test('in the foreground it says what it does, and Ctrl-C stops it in good order', async () => {
    const home = unmadeHome();
    await launch(home, ['init']).ended;
    writeFileSync(home.config, readFileSync(home.config, 'utf8').replace('harnessConfig: {}', 'harnessConfig: {command: [cat]}'));
    const server = launch(home, ['serve']);
    await server.printed(/server started/);
    server.child.kill('SIGINT');
    expect(await server.ended).toMatchObject({ status: 0, stderr: expect.stringContaining('server stopped') as string });
  });

  test('what is wrong is said once, and recorded', async () => {
    const home = unmadeHome();
    await launch(home, ['init']).ended;
    writeFileSync(home.config, 'pollIntervalSecond: 1\n');
    const { status, stderr } = await launch(home, ['serve']).ended;
    expect({ status, stderr }).toEqual({ status: 1, stderr: `FAILED [config_invalid] ${home.config}:1:1 \`pollIntervalSecond\` is not a setting. Did you mean \`pollIntervalSeconds\`?\n  Correct the file; docs/relay.md lists every setting.\n` });
    expect((await launch(home, ['serve', '--background']).ended).stderr).toBe(stderr);
  });
});

test('the first signal asks, the second ends at once', async () => {
  const module = new URL('../../dist/commands/serve/stop-signals.js', import.meta.url).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', `import { untilAsked } from ${JSON.stringify(module)}; void untilAsked().asked.then((signal) => console.log(signal)); setInterval(() => {}, 1000); console.log('ready');`], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.push(...text.trim().split('\n'));
    child.kill(said.at(-1) === 'ready' ? 'SIGTERM' : 'SIGINT');
  });
  expect(await new Promise((resolve) => child.on('close', (status) => resolve(status)))).toBe(130);
  expect(said).toEqual(['ready', 'SIGTERM']);
});

describe('the launcher', () => {
  test.each([['--version'], ['-v'], ['version']])('%s', async (word) => {
    expect(await launch(unmadeHome(), [word]).ended).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' });
  });

  const old = ['--import', `data:text/javascript,${encodeURIComponent(`Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.19.1' } })`)}`];

  test('an old Node is named, in the form that was asked for', async () => {
    const home = unmadeHome();
    expect(await launch(home, ['run', 'list'], { node: old }).ended).toMatchObject({ status: 2, stderr: expect.stringContaining('Node 18.19.1 is too old: relay-flow needs 20.19 or newer.') as string });
    expect(JSON.parse((await launch(home, ['run', 'list', '--json'], { node: old }).ended).stdout)).toMatchObject({ ok: false, error: { code: 'usage' } });
    expect(JSON.parse((await launch(home, ['report'], { node: old }).ended).stderr)).toMatchObject({ code: 'internalError' });
  });

  test('a command that is not built says so', async () => {
    const folder = scratch();
    mkdirSync(join(folder, 'bin'));
    cpSync(LAUNCHER, join(folder, 'bin/relay-flow.js'));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', version: '9.9.9' }));
    const launcher = join(folder, 'bin/relay-flow.js');
    expect(await launch(unmadeHome(), ['-v'], { launcher }).ended).toMatchObject({ stdout: '9.9.9\n' });
    expect(await launch(unmadeHome(), ['run', 'list'], { launcher }).ended).toMatchObject({ status: 2, stderr: expect.stringContaining('The command is not built') as string });
  });
});

describe('on a terminal', () => {
  test('a report is read, and accepted by typing', async () => {
    const home = madeHome();
    const { calls } = await socketServer(home.socket, answer);
    const command = launchOnTerminal(home, 'run approve --ticket ABC-12');
    await command.printed(/COMPLETED: Looked at everything\.[\s\S]*Accept it and go on\?/);
    command.child.stdin?.write('y');
    expect((await command.ended).stdout).toMatch(/The report is accepted[\s\S]*status=0/);
    expect(calls.map(({ name }) => name)).toEqual(['getRun', 'approveRun']);
  });

  test('whoever does not accept has done nothing', async () => {
    const home = madeHome();
    const { calls } = await socketServer(home.socket, answer);
    const command = launchOnTerminal(home, 'run approve --ticket ABC-12');
    await command.printed(/Accept it and go on\?/);
    command.child.stdin?.write('\r');
    expect((await command.ended).stdout).toMatch(/Nothing was done[\s\S]*status=1/);
    expect(calls.map(({ name }) => name)).toEqual(['getRun']);
  });

  test('a repository is registered by answering what the task system asks', async () => {
    const home = madeHome();
    const { calls } = await socketServer(home.socket, (received) => {
      if (received.name === 'discoverRepos') return [{ name: 'app', path: home.root }, { name: 'logs', path: home.logs }];
      if (received.name !== 'nextTaskFields') return answer(received);
      const { values } = JSON.parse(received.body) as { values: Record<string, string> };
      if (values['project'] === undefined) return [{ name: 'project', prompt: 'Which project?', choices: [{ value: 'ABC', label: 'ABC' }, { value: 'XYZ', label: 'XYZ\u001B[2J' }] }];
      return values['component'] === undefined ? [{ name: 'component', prompt: 'Which component?', initial: 'app' }] : [];
    });
    const command = launchOnTerminal(home, 'repo register');
    for (const [question, typed] of [[/Which repository\?/, '\u001B[B\r'], [/What is it called here\?/, '\r'], [/Which project\?/, '\u001B[B\r'], [/Which component\?/, 'site\r']] as const) {
      await command.printed(question);
      command.child.stdin?.write(typed);
    }
    expect((await command.ended).stdout).toMatch(/The repository app is registered[\s\S]*status=0/);
    expect(JSON.parse(calls.at(-1)!.body)).toEqual({ name: 'logs', path: home.logs, values: { project: 'XYZ', component: 'site' } });
  });

  test('a home is made by answering, and by nothing when the answers are left', async () => {
    const home = unmadeHome();
    const left = launchOnTerminal(home, 'init');
    await left.printed(/Where are your tickets\?/);
    left.child.stdin?.write('\u0003');
    expect((await left.ended).stdout).toMatch(/Nothing was done[\s\S]*status=1/);
    const command = launchOnTerminal(home, 'init');
    await command.printed(/Where are your tickets\?/);
    command.child.stdin?.write('\u001B[B\r');
    await command.printed(/Where shall the work happen\?/);
    command.child.stdin?.write('\r');
    await command.printed(/Who works\?/);
    command.child.stdin?.write('\u001B[B\r');
    expect((await command.ended).stdout).toMatch(/The home is [\s\S]*status=0/);
    expect(readFileSync(home.config, 'utf8')).toMatch(/taskPlugin: jira\n[\s\S]*runnerPlugin: worktree\n[\s\S]*harnessPlugin: claude\n/);
  });
});
