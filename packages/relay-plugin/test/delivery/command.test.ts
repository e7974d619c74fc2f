import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { commandRunner } from '../../src/delivery/command.js';
import { kindOf, pluginLog } from '../../src/delivery/log.js';

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'relay-plugin-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

/** An executable whose body is this JavaScript; `bytes` is its standard input. */
async function executable(home: string, body: string): Promise<string> {
  const file = join(home, 'relay flow');
  await writeFile(file, `#!${process.execPath}\nconst bytes = require('node:fs').readFileSync(0, 'utf8');\n${body}\n`);
  await chmod(file, 0o755);
  return file;
}

it('gives the command its verb and its bytes, without a shell, in the state folder', async () => {
  const home = await folder();
  const file = await executable(home, `process.stdout.write(JSON.stringify({ accepted: true, bytes, argv: process.argv.slice(2), cwd: process.cwd() }))`);
  const bytes = `{"text":"$HOME 'quoted' \u00e9 ${'x'.repeat(300_000)}"}`;
  expect(await commandRunner(file, home)('report', bytes)).toEqual({ ok: true, answer: { accepted: true, bytes, argv: ['report'], cwd: expect.stringContaining('relay-plugin-') as string } });
});
it.each([
  ['an error', `process.stderr.write('{"code":"invalidReport","message":"No."}\\n'); process.exitCode = 1;`, { ok: false, code: 'invalidReport', message: 'No.' }],
  ['an error below other lines', `process.stderr.write('(node:1) Warning: old\\n{"code":"conflict","message":"No."}\\n'); process.exitCode = 1;`, { ok: false, code: 'conflict', message: 'No.' }],
  ['an error on several lines', `process.stderr.write(JSON.stringify({ code: 'conflict', message: 'No.' }, null, 2)); process.exitCode = 1;`, { ok: false, code: 'conflict', message: 'No.' }],
  ['an error without a code', `process.stderr.write('Server is not running.\\n'); process.exitCode = 1;`, { ok: false, code: 'malformed', message: 'relay-flow ended with exit code 1 and said nothing that can be read.' }],
  ['no JSON', `process.stdout.write('ok\\n')`, { ok: false, code: 'malformed', message: 'relay-flow answered with something that is no JSON object.' }],
  ['nothing', ``, { ok: false, code: 'malformed', message: 'relay-flow answered with something that is no JSON object.' }],
  ['a signal', `process.kill(process.pid, 'SIGKILL')`, { ok: false, code: 'malformed', message: 'relay-flow ended with exit code none and said nothing that can be read.' }],
])('reads %s', async (_name, body, answer) => {
  const home = await folder();
  expect(await commandRunner(await executable(home, body), home)('report', '{}')).toEqual(answer);
});
it('says when there is no such command, or no such folder', async () => {
  const home = await folder();
  const nowhere = join(home, 'nowhere');
  const answer = { ok: false, code: 'unreachable', message: expect.stringMatching(/ could not be started\.$/) as string };
  expect(await commandRunner(nowhere, home)('report', '{}')).toEqual(answer);
  expect(await commandRunner(await executable(home, ''), nowhere)('report', '{}')).toEqual(answer);
});
it('does not mind a command that leaves its input unread', async () => {
  const home = await folder();
  const file = join(home, 'deaf');
  await writeFile(file, `#!${process.execPath}\nprocess.stderr.write('{"code":"conflict","message":""}'); process.exit(1);\n`);
  await chmod(file, 0o755);
  expect(await commandRunner(file, home)('report', 'x'.repeat(1_000_000))).toMatchObject({ ok: false, code: 'conflict' });
});
it('does not wait for ever', async () => {
  const home = await folder();
  expect(await commandRunner(await executable(home, `setInterval(() => {}, 1_000)`), home, 200)('report', '{}')).toMatchObject({ ok: false, code: 'timeout' });
});

it('logs lines of JSON that only their owner reads', async () => {
  const home = await folder();
  const log = pluginLog(home, 'pi');
  log('report', { reportId: 'a:b', failures: 2 });
  log('session');
  const file = join(home, 'plugin.log');
  await expect.poll(async () => (await readFile(file, 'utf8').catch(() => '')).split('\n').length).toBe(3);
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n').map((line) => JSON.parse(line) as unknown);
  expect(lines).toEqual([{ time: expect.any(String) as string, host: 'pi', event: 'report', reportId: 'a:b', failures: 2 }, { time: expect.any(String) as string, host: 'pi', event: 'session' }]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});
it('loses what it cannot log, and says of errors only their kind', async () => {
  const home = await folder();
  pluginLog(join(home, 'nowhere'), 'pi')('report');
  expect([kindOf(new TypeError('secret')), kindOf('secret')]).toEqual(['TypeError', 'string']);
});
