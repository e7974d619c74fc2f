import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RelayError } from '../../src/errors/relay-error.js';
import type { Home } from '../../src/host/home.js';
import { socketServer, type Received } from '../client/socket-server.js';
import { madeHome, scratch } from '../scratch.js';
import { answer, REPO } from './answers.js';
import { call, document, type Called } from './in-process.js';
import { detail, GIVEN_UP, NOW, row, WAITS_FOR_APPROVAL } from './runs.js';

async function served(respond: (call: Received) => unknown = answer): Promise<{ readonly home: Home; readonly calls: readonly Received[]; readonly call: (line: string, input?: string) => Promise<Called>; readonly document: (line: string) => ReturnType<typeof document> }> {
  const home = madeHome();
  const { calls } = await socketServer(home.socket, respond);
  const words = (line: string): string[] => line.match(/"[^"]*"|\S+/g)?.map((word) => word.replace(/^"(.*)"$/, '$1')) ?? [];
  return { home, calls, call: (line, input = '') => call(words(line), { home, input, now: NOW }), document: (line) => document(words(line), { home, now: NOW }) };
}

describe('what a server shows', () => {
  test.each(['repo list', 'repo get --name app', 'repo remove --name app', 'workflow list', 'workflow get --name change', 'workflow remove --name app', 'run list', 'run list --workflow none', 'run get --ticket ABC-12', 'run cancel --ticket ABC-12', 'run restart --ticket ABC-12 --repo app', 'run claim --ticket ABC-12', 'run reject --ticket ABC-12 --reason "No tests."', 'run approve --ticket ABC-12 --report-id ses_1:msg_4', 'run approve --ticket ABC-12 --yes'])('%s', async (line) => {
    const server = await served();
    const { status, stdout, stderr } = await server.call(line);
    expect(status).toBe(0);
    expect(stdout + stderr).not.toMatch(/\u001B/);
    expect(`${stdout}--- stderr\n${stderr}`).toMatchSnapshot();
    const { ok, data } = await server.document(line);
    expect(ok).toBe(true);
    expect(data).toEqual(JSON.parse(JSON.stringify(await answer(server.calls.at(-1)!))));
  });

  test('a restart of what was not canceled says that nothing was begun', async () => {
    const server = await served((received) => (received.name === 'restartRun' ? row({ state: 'blocked' }) : answer(received)));
    expect(await server.call('run restart --ticket ABC-12')).toEqual({ status: 0, stdout: 'ABC-12 is in its attempt 1 (blocked).\n', stderr: 'Only a canceled run is begun again: this one goes on as it was.\n' });
  });

  test('filters are passed on', async () => {
    const server = await served();
    await server.call('run list --repo app --workflow change --ticket "A 1" --active');
    expect(server.calls).toMatchObject([{ name: 'listRuns', query: { repo: 'app', workflow: 'change', ticket: 'A 1', active: 'true' } }]);
  });

  test.each(['repo list', 'run get --ticket A', 'workflow list', 'stop', 'run logs --ticket A', 'run approve --ticket A --yes'])('%s without a server says how to start one', async (line) => {
    const home = madeHome();
    expect(await call(line.split(' '), { home })).toEqual({ status: 1, stdout: '', stderr: 'FAILED [server_unreachable] The server is not running.\n  Start it with `relay-flow serve`, or with `relay-flow serve --background` to go on in this terminal.\n' });
    expect(await document(line.split(' '), { home })).toMatchObject({ status: 1, ok: false, error: { code: 'server_unreachable', message: 'The server is not running.', hint: expect.stringContaining('serve') as string } });
  });

  test('a refusal of the server is printed once, with its code', async () => {
    const server = await served(() => {
      throw new RelayError('repo_busy', 'The repository app is named by change.', { hint: 'Remove that workflow first.', evidence: { workflows: ['change'] } });
    });
    expect(await server.call('repo remove --name app')).toEqual({ status: 1, stdout: '', stderr: 'FAILED [repo_busy] The repository app is named by change.\n  Remove that workflow first.\n' });
    expect(await server.document('repo remove --name app')).toEqual({ status: 1, ok: false, error: { code: 'repo_busy', message: 'The repository app is named by change.', hint: 'Remove that workflow first.', evidence: { workflows: ['change'] } } });
  });
});

describe('approving', () => {
  test('where nobody can be asked, the report is shown and the command that accepts it', async () => {
    const server = await served();
    const { status, stdout, stderr } = await server.call('run approve --ticket ABC-12');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('  STATUS: success\n  NEXT STEP: end\n\n  SUMMARY:\n  COMPLETED: Looked at everything.\n');
    expect(stderr).toContain('REFUSED [usage] Nobody can be asked here whether the report shall be accepted.\n  Read it, then add `--report-id ses_1:msg_4`, or `--yes`');
    expect(server.calls.map(({ name }) => name)).toEqual(['getRun']);
  });

  test('what is approved is what was read', async () => {
    const server = await served();
    await server.call('run approve --ticket ABC-12 --yes --repo app');
    expect(server.calls).toMatchObject([{ name: 'getRun', query: { repo: 'app' } }, { name: 'approveRun', params: { key: 'ABC-12' }, query: { repo: 'app' }, body: '{"reportId":"ses_1:msg_4"}' }]);
  });

  test('a report that is named is not asked for', async () => {
    const server = await served();
    await server.call('run approve --ticket ABC-12 --report-id other');
    expect(server.calls).toMatchObject([{ name: 'approveRun', body: '{"reportId":"other"}' }]);
  });

  test.each(['approve --yes', 'reject --reason x'])('run %s where nothing waits', async (line) => {
    const server = await served((received) => (received.name === 'getRun' ? detail() : answer(received)));
    expect(await server.call(`run ${line} --ticket ABC-12`)).toMatchObject({ status: 1, stderr: expect.stringContaining('FAILED [run_conflict] No report of ABC-12 waits for a decision.') as string });
    expect(server.calls.map(({ name }) => name)).toEqual(['getRun']);
  });

  test('an agent that was given up is started again, as `run get` says, and the server is the one who refuses', async () => {
    const server = await served((received) => (received.name === 'getRun' ? GIVEN_UP : answer(received)));
    expect(await server.call('run reject --ticket ABC-12 --reason "End with the report."')).toEqual({ status: 0, stdout: 'The agent of implement is started again.\n', stderr: '' });
    expect(server.calls.at(-1)).toMatchObject({ name: 'rejectRun', body: '{"reason":"End with the report."}' });

    const refusing = await served((received) => {
      if (received.name === 'getRun') return GIVEN_UP;
      throw new RelayError('run_conflict', 'No report of ABC-12 waits for a decision.', { hint: 'Decide in its dialog.' });
    });
    expect(await refusing.call('run reject --ticket ABC-12')).toEqual({ status: 1, stdout: '', stderr: 'FAILED [run_conflict] No report of ABC-12 waits for a decision.\n  Decide in its dialog.\n' });
  });

  test('a rejection names the report that it is about', async () => {
    const server = await served();
    await server.call('run reject --ticket ABC-12 --reason "No tests."');
    expect(server.calls.at(-1)).toMatchObject({ name: 'rejectRun', body: JSON.stringify({ reportId: WAITS_FOR_APPROVAL.proposal?.reportId, reason: 'No tests.' }) });
  });
});

describe('logs', () => {
  const entry = (text: string): object => ({ at: NOW, node: 'implement', nodeVisitId: 'v', stream: 'engine', text });

  test('everything there is, page by page', async () => {
    const pages: Readonly<Record<string, object>> = { '': { entries: [entry('one'), entry('two')], next: '2' }, 2: { entries: [entry('three')], next: '3' }, 3: { entries: [], next: '3' } };
    const server = await served(({ query }) => ({ runId: 'r', ended: false, ...pages[query['after'] ?? ''] }));
    expect(await server.call('run logs --ticket A')).toEqual({ status: 0, stdout: '14:05:00 implement · one\n14:05:00 implement · two\n14:05:00 implement · three\n', stderr: '' });
    expect(server.calls.every(({ query }) => query['wait'] === undefined)).toBe(true);
    expect((await server.call('run logs --ticket A --json')).stdout.trim().split('\n').map((line) => (JSON.parse(line) as { text: string }).text)).toEqual(['one', 'two', 'three']);
  });

  test('following waits at the server, goes on with another attempt, and ends with the run', async () => {
    const answers = [
      { runId: 'r', entries: [entry('one')], next: '1', ended: false },
      { runId: 'r', entries: [], next: '1', ended: false },
      { runId: 'r~attempt~2', entries: [], next: '1', ended: false },
      { runId: 'r~attempt~2', entries: [entry('again')], next: '5', ended: false },
      { runId: 'r~attempt~2', entries: [entry('end')], next: '6', ended: true },
      { runId: 'r~attempt~2', entries: [], next: '6', ended: true },
    ];
    const server = await served(() => answers.shift());
    expect(await server.call('run logs --ticket A --follow')).toEqual({ status: 0, stdout: '14:05:00 implement · one\n14:05:00 implement · again\n14:05:00 implement · end\n', stderr: '' });
    expect(server.calls.map(({ query }) => [query['after'], query['wait'] !== undefined])).toEqual([[undefined, false], ['1', true], ['1', true], [undefined, false], ['5', true], ['6', true]]);
  });

  test('nothing', async () => {
    const server = await served(() => ({ runId: 'r', entries: [], next: '0', ended: true }));
    expect(await server.call('run logs --ticket A')).toEqual({ status: 0, stdout: '', stderr: 'Nothing has happened yet.\n' });
  });
});

describe('registering a repository', () => {
  const asksForFolder = (received: Received): unknown => {
    if (received.name !== 'nextTaskFields') return answer(received);
    const { values } = JSON.parse(received.body) as { values: Record<string, string> };
    if (values['ticketsDir'] === undefined) return [{ name: 'ticketsDir', prompt: 'Where are the tickets?' }];
    return values['ticketsDir'] === 'odd' && values['kind'] === undefined ? [{ name: 'kind', prompt: 'Of what kind?', choices: [{ value: 'a', label: 'A' }, { value: 'b', label: 'B' }] }] : [];
  };

  test('with everything said', async () => {
    const server = await served(asksForFolder);
    const folder = scratch();
    expect(await server.call(`repo register --name app --path ${folder} --set ticketsDir=a=b`)).toMatchObject({ status: 0, stdout: 'The repository app is registered.\n' });
    expect(server.calls.map(({ name, body }) => [name, JSON.parse(body) as unknown])).toEqual([
      ['ensureRepo', { name: 'app', path: folder }],
      ['nextTaskFields', { name: 'app', path: folder, values: { ticketsDir: 'a=b' } }],
      ['registerRepo', { name: 'app', path: folder, values: { ticketsDir: 'a=b' } }],
    ]);
    expect(await server.document(`repo register --name app --path ${folder} --set ticketsDir=x`)).toMatchObject({ ok: true, data: REPO });
  });

  test.each([
    ['--name app', '`--path` is missing'],
    ['--path /', '`--name` is missing'],
    ['--path / --name "a b"', 'The name of a repository has letters'],
    ['--path / --name app', 'The task system must know more about the repository:\n  --set ticketsDir=<…>  Where are the tickets?'],
    ['--path / --name app --set ticketsDir=odd', '--set kind=<…>  Of what kind? (a, b)'],
    ['--path / --name app --set odd', '`--set odd` has no key and value.'],
    ['--path / --name app --set a=1 --set a=2', '`--set a=…` was given twice.'],
  ])('%s is not enough for a script', async (options, why) => {
    const server = await served(asksForFolder);
    const { status, stderr } = await server.call(`repo register ${options}`);
    expect(status).toBe(2);
    expect(stderr).toContain(why);
    expect(server.calls.some(({ name }) => name === 'registerRepo')).toBe(false);
  });

  test('a folder that is not there', async () => {
    const server = await served(asksForFolder);
    expect(await server.call('repo register --name app --path /no/such/folder')).toMatchObject({ status: 1, stderr: expect.stringContaining('FAILED [repo_invalid] There is no folder /no/such/folder.') as string });
    expect(server.calls).toEqual([]);
  });

  test('a path is where it really is', async () => {
    const server = await served(asksForFolder);
    const folder = scratch();
    mkdirSync(join(folder, 'repo'));
    await call(['repo', 'register', '--name', 'app', '--path', './repo/../repo', '--set', 'ticketsDir=x'], { home: server.home, cwd: folder });
    expect(JSON.parse(server.calls[0]!.body)).toEqual({ name: 'app', path: join(folder, 'repo') });
  });
});

const WORKFLOW = `name: change
repos: [app]
nodes:
  start:
    onSuccess: [{target: implement}]
  implement:
    type: agent
    agent: coder
    description: Work on {{ticket}}.
    onSuccess: [{target: end, when: it is done}]
    onFailure: [{target: implement}]
  end: {}
`;

describe('workflows', () => {
  test('the exact text of a file is submitted, and warnings are told', async () => {
    const server = await served();
    const file = join(scratch(), 'change.yaml');
    writeFileSync(file, `${WORKFLOW}# é\n`);
    expect(await server.call(`workflow submit --file ${file}`)).toEqual({ status: 0, stdout: 'The workflow change is stored. Tickets of app are taken from now on.\n', stderr: 'warning A failure cannot end a ticket.\n' });
    expect(server.calls).toMatchObject([{ name: 'submitWorkflow', body: `${WORKFLOW}# é\n` }]);
  });

  test('mistakes are found before a server is needed, with every place', async () => {
    const file = join(scratch(), 'change.yaml');
    writeFileSync(file, WORKFLOW.replace('target: implement}', 'target: implment}').replace('agent: coder', 'agnet: coder'));
    const home = madeHome();
    for (const verb of ['check', 'submit', 'graph']) {
      const { status, stdout, stderr } = await call(['workflow', verb, '--file', file], { home });
      expect(status).toBe(1);
      expect(stdout + stderr).toContain(`${file}:8:5 error`);
      expect(stdout + stderr).toContain(`${file}:5:26 error`);
    }
    expect(await document(['workflow', 'check', '--file', file], { home })).toMatchObject({ status: 1, ok: false, data: { valid: false, problems: expect.arrayContaining([expect.objectContaining({ line: 8, column: 5 })]) as unknown } });
    expect(await document(['workflow', 'submit', '--file', file], { home })).toMatchObject({ status: 1, ok: false, error: { code: 'workflow_invalid' } });
  });

  test('check and graph need no server and no home', async () => {
    const folder = scratch();
    writeFileSync(join(folder, 'change.yaml'), WORKFLOW);
    expect(await call(['workflow', 'check', '--file', 'change.yaml'], { cwd: folder })).toMatchObject({ status: 0, stdout: expect.stringContaining('change.yaml is a workflow: change, 3 nodes, for app.') as string });
    expect(await call(['workflow', 'check', '--file', '-'], { input: WORKFLOW })).toMatchObject({ status: 0, stdout: expect.stringContaining('standard input is a workflow') as string });
    expect((await call(['workflow', 'graph', '--file', 'change.yaml'], { cwd: folder })).stdout).toMatch(/^(---|flowchart|graph|%%)[\s\S]*implement/);
    expect(await call(['workflow', 'graph', '--file', 'change.yaml', '--format', 'svg', '--output', 'a.svg'], { cwd: folder })).toMatchObject({ status: 0, stdout: `The graph of change is in ${join(folder, 'a.svg')}.\n` });
    expect(readFileSync(join(folder, 'a.svg'), 'utf8')).toMatch(/^(<\?xml[^>]*>\s*)?<svg /);
    expect(await call(['workflow', 'graph', '--file', 'change.yaml', '--output', 'no/such/a.mmd'], { cwd: folder })).toMatchObject({ status: 1, stderr: expect.stringContaining('cannot be written: ENOENT') as string });
  });

  test('no file', async () => {
    expect(await call(['workflow', 'check', '--file', '/no/such.yaml'])).toEqual({ status: 1, stdout: '', stderr: 'FAILED [workflow_invalid] There is no file /no/such.yaml.\n  Name the YAML of the workflow with --file.\n' });
  });
});

describe('for plugins', () => {
  const REPORT = { runId: 'r', node: 'n', reportId: 's:m', report: { status: 'success', nextStep: 'end', summary: { completed: 'x', commits: 'None', notCompleted: 'None', issuesDiscovered: 'None', verification: 'None', notes: 'None' }, feedback: { reasonForNextStep: 'None', requiredActions: 'None', relevantContext: 'None', expectedResult: 'None' } } };

  test('a report arrives to the byte, and the bare answer comes back', async () => {
    const server = await served();
    const bytes = ` ${JSON.stringify(REPORT, null, 1)}\n`;
    expect(await server.call('report', bytes)).toEqual({ status: 0, stdout: '{"accepted":true,"duplicate":false}\n', stderr: '' });
    expect(server.calls).toMatchObject([{ name: 'deliverReport', body: bytes }]);
    expect(await server.call('runtime-register', '{"runId":"r","node":"n","sessionId":"s"}')).toEqual({ status: 0, stdout: '{"accepted":true}\n', stderr: '' });
  });

  test('a report that is wrong below its address is for the server to judge: it may have been accepted before', async () => {
    const server = await served(() => ({ accepted: true, duplicate: true }));
    expect(await server.call('report', JSON.stringify({ ...REPORT, report: { status: 'maybe' } }))).toMatchObject({ status: 0, stdout: '{"accepted":true,"duplicate":true}\n' });
  });

  test.each([
    ['report', '', 'invalidReport'],
    ['report', '{', 'invalidReport'],
    ['report', JSON.stringify({ ...REPORT, reportId: '' }), 'invalidReport'],
    ['report', JSON.stringify({ RunID: 'r', node: 'n', reportId: 'x', report: REPORT.report }), 'invalidReport'],
    ['runtime-register', '{"runId":"r","node":"n","sessionID":"s"}', 'invalid'],
    ['runtime-register', '[]', 'invalid'],
  ])('%s with %s is final, and no server is asked', async (verb, input, code) => {
    const server = await served();
    const { status, stdout, stderr } = await server.call(verb, input);
    expect({ status, stdout, code: (JSON.parse(stderr) as { code: string }).code }).toEqual({ status: 1, stdout: '', code });
    expect(Object.keys(JSON.parse(stderr) as object)).toEqual(['code', 'message']);
    expect(server.calls).toEqual([]);
  });

  test.each([
    [new RelayError('report_invalid', 'NEXT STEP must be one of end, review.'), 'invalidReport'],
    [new RelayError('internal_error', 'Odd.'), 'internalError'],
  ])('what the server refuses: %s', async (error, code) => {
    const server = await served(() => {
      throw error;
    });
    expect(await server.call('report', JSON.stringify(REPORT))).toEqual({ status: 1, stdout: '', stderr: `${JSON.stringify({ code, message: error.text })}\n` });
  });

  test('no server: to be tried again', async () => {
    expect(JSON.parse((await call(['report'], { home: madeHome(), input: JSON.stringify(REPORT) })).stderr)).toEqual({ code: 'internalError', message: 'The server is not running.' });
  });
});

test('a failure of ours is a bug with a report that hides the folders of the user', async () => {
  const home = madeHome();
  await socketServer(home.socket, () => 7);
  const { status, stderr } = await call(['repo', 'list'], { home, env: { HOME: home.root }, cwd: process.cwd() });
  expect(status).toBe(1);
  expect(stderr).toContain('FAILED [internal_error] This is a bug in relay-flow: TypeError');
  expect(stderr).toContain(`relay-flow 1.2.3, node ${process.versions.node}`);
  expect(stderr).not.toContain(process.cwd());
});
