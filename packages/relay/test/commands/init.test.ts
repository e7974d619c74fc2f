import { existsSync, readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/host/config.js';
import { readCredentials } from '../../src/host/credentials.js';
import { takeLock } from '../../src/host/lock.js';
import { openRelayTables } from '../../src/store/database.js';
import { RelayStore } from '../../src/store/store.js';
import type { Home } from '../../src/host/home.js';
import { parseWorkflow } from '../../src/workflow/parse.js';
import { unmadeHome } from '../scratch.js';
import { call, document } from './in-process.js';

const JIRA = ['--task-plugin', 'jira', '--runner-plugin', 'worktree', '--harness-plugin', 'claude'];

/** A run as the server keeps it, in the state that is given. */
function addRun(home: Home, state: 'waiting' | 'completed'): void {
  const parsed = parseWorkflow('name: change\nrepos: [app]\nnodes:\n  start: {onSuccess: [{target: end}]}\n  end: {}\n');
  if ('problems' in parsed) throw new Error('not a workflow');
  const database = openRelayTables(home.database);
  const store = new RelayStore(database);
  store.addRun({ id: 'app/change/A-1', logical: 'app/change/A-1', attempt: 1, repo: 'app', workflow: parsed.workflow, ticket: { id: '1', key: 'A-1', title: 'T' }, at: 0 });
  store.updateRun('app/change/A-1', { state, at: 1 });
  database.close();
}

test('a home is made, for its owner alone, and works without another word', async () => {
  const home = unmadeHome();
  const { status, stdout, stderr } = await call(['init'], { home });
  expect({ status, stdout }).toEqual({ status: 0, stdout: `The home is ${home.root}.\n` });
  expect(stderr).toContain('relay-flow serve --background');
  expect(readConfig(home)).toMatchObject({ taskPlugin: 'files', runnerPlugin: 'worktree', harnessPlugin: 'command', repos: {} });
  for (const name of readdirSync(home.root)) expect([name, statSync(`${home.root}/${name}`).mode & 0o077]).toEqual([name, 0]);
  expect(existsSync(home.database)).toBe(true);
  takeLock(home).release();
});

test('with flags', async () => {
  const home = unmadeHome();
  expect(await document(['init', ...JIRA], { home })).toEqual({ status: 0, ok: true, data: { home: home.root, config: home.config, taskPlugin: 'jira', runnerPlugin: 'worktree', harnessPlugin: 'claude', kept: [] } });
  expect(readConfig(home)).toMatchObject({ taskPlugin: 'jira', harnessPlugin: 'claude' });
});

test('what is there is not touched', async () => {
  const home = unmadeHome();
  await call(['init'], { home });
  const before = readFileSync(home.config, 'utf8');
  expect(await call(['init', ...JIRA], { home })).toMatchObject({ status: 1, stderr: expect.stringMatching(/^FAILED \[home_exists\] There is a home already: .*config\.yaml and .*state\.db\./) as string });
  expect(readFileSync(home.config, 'utf8')).toBe(before);
});

test('--force begins anew and keeps what was there', async () => {
  const home = unmadeHome();
  await call(['init'], { home });
  writeFileSync(home.config, '# mine\n');
  addRun(home, 'completed');
  const { data } = await document(['init', '--force', ...JIRA], { home });
  const { kept } = data as { kept: string[] };
  expect(kept).toHaveLength(2);
  expect(readFileSync(kept[1]!, 'utf8')).toBe('# mine\n');
  const database = openRelayTables(kept[0]!);
  expect(new RelayStore(database).runs()).toHaveLength(1);
  database.close();
  expect(readConfig(home).taskPlugin).toBe('jira');
  await call(['init', '--force'], { home });
  expect(readdirSync(home.root).filter((name) => /^config\.yaml\..*\.bak$/.test(name))).toHaveLength(2);
});

test('--force is refused while a run has not ended, and while a server runs', async () => {
  const home = unmadeHome();
  await call(['init'], { home });
  addRun(home, 'waiting');
  expect(await call(['init', '--force'], { home })).toMatchObject({ status: 1, stderr: expect.stringContaining('FAILED [home_exists] 1 run in this home has not ended: A-1.') as string });
  const lock = takeLock(home);
  expect(await document(['init', '--force'], { home })).toMatchObject({ status: 1, ok: false, error: { code: 'server_running', evidence: { pid: process.pid } } });
  lock.release();
  expect(readConfig(home).taskPlugin).toBe('files');
});

/** A site that knows one token. `odd`: it answers as something else than Jira does. */
async function site(odd = false): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    const known = request.url === '/rest/api/3/myself' && request.headers.authorization === `Basic ${Buffer.from('ann@example.org:secret-1').toString('base64')}`;
    if (odd) response.end('<html>Log in</html>');
    else response.writeHead(known ? 200 : 401, { 'content-type': 'application/json' }).end(JSON.stringify(known ? { accountId: '1', emailAddress: 'ann@example.org', displayName: 'Ann' } : { errorMessages: ['No.'] }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

describe('credentials', () => {
  const auth = (url: string, token = 'secret-1', email = 'ann@example.org'): string[] => ['task', 'auth', '--site', url, '--email', email, '--token', token];

  test('are tried and kept, and the one who has them gets the mailboxes', async () => {
    const home = unmadeHome();
    await call(['init', ...JIRA], { home });
    const { url } = await site();
    expect(await call(auth(url), { home })).toEqual({ status: 0, stdout: `The credentials for ${url} are kept in ${home.credentials}.\n`, stderr: 'Mailboxes are assigned to ann@example.org: taskConfig.assignee in config.yaml.\n' });
    expect(readConfig(home).taskConfig).toEqual({ assignee: 'ann@example.org' });
    expect(readCredentials(home).jira?.token).toBe('secret-1');
    expect(await document(auth(url), { home })).toMatchObject({ ok: true, data: { tried: true, assigneeSet: false } });
  });

  test('that the site does not know are not kept', async () => {
    const home = unmadeHome();
    await call(['init', ...JIRA], { home });
    const [{ url }, odd] = [await site(), await site(true)];
    await call(auth(url), { home });
    const before = readFileSync(home.credentials, 'utf8');
    expect(await document(auth(url, 'secret-2'), { home })).toMatchObject({ status: 1, error: { code: 'task_auth' } });
    expect(await document(auth(odd.url), { home })).toMatchObject({ status: 1, error: { code: 'task_malformed' } });
    expect(readFileSync(home.credentials, 'utf8')).toBe(before);
  });

  test('are kept where the site cannot be asked, and that is said', async () => {
    const home = unmadeHome();
    await call(['init', ...JIRA], { home });
    const { url, close } = await site();
    await close();
    const { status, stderr } = await call(auth(url), { home });
    expect(status).toBe(0);
    expect(stderr).toContain('They could not be tried: ');
    expect(readCredentials(home).jira?.token).toBe('secret-1');
  });

  test('on standard input, which no list of processes shows', async () => {
    const home = unmadeHome();
    await call(['init', ...JIRA], { home });
    const { url } = await site();
    await call(['task', 'auth'], { home, input: `${url}/\r\nann@example.org\r\nsecret-1\r\n\n` });
    expect(readCredentials(home).jira).toMatchObject({ site: url, email: 'ann@example.org', token: 'secret-1' });
    for (const input of ['', 'acme\nann@example.org\n', 'acme\nann@example.org\nx\ny\n']) {
      const { status, stderr } = await call(['task', 'auth'], { home, input });
      expect(status).toBe(2);
      expect(stderr).toContain('Standard input must have three lines');
    }
  });

  test('are shown by no answer', async () => {
    const home = unmadeHome();
    await call(['init', ...JIRA], { home });
    const { url } = await site();
    for (const args of [auth(url), auth(url, 'secret-3'), auth(url, 'secret-3', 'nobody'), auth('http://x.y', 'secret-3')]) {
      for (const extra of [[], ['--json']]) expect(JSON.stringify(await call([...args, ...extra], { home }))).not.toMatch(/secret-\d/);
    }
  });
});

test('a home that lost its config.yaml is not sent to init, which would refuse', async () => {
  const home = unmadeHome();
  await call(['init'], { home });
  unlinkSync(home.config);
  expect(() => readConfig(home)).toThrow(expect.objectContaining({ code: 'config_invalid', hint: 'Put it back, or make an empty one: every setting has a default.' }) as Error);
});

test('files need no credentials, and a home is needed to know', async () => {
  const home = unmadeHome();
  expect(await call(['task', 'auth'], { home })).toMatchObject({ status: 1, stderr: expect.stringContaining('Make one with `relay-flow init`.') as string });
  await call(['init'], { home });
  expect(await call(['task', 'auth'], { home })).toMatchObject({ status: 0, stdout: 'Tickets are in files, which needs no credentials.\n' });
  expect(await call(['task', 'auth', '--site', 'a', '--email', 'b', '--token', 'c'], { home })).toMatchObject({ status: 2, stderr: expect.stringContaining('are for Jira, and this home has files') as string });
});
