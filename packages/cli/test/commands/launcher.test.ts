import { cp, mkdir, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { flowSource, LAUNCHER, Workplace } from '../workplace.js';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

test.each(['--version', '-v', '-V'])('%s', async (flag) => {
  const place = await Workplace.create();
  expect(await place.flows([flag])).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' });
});

test.each([[['--help']], [['run', '--help']], [['help', 'run']], [[]]])('%j is help, on stdout, and succeeds', async (args) => {
  const place = await Workplace.create();
  expect(await place.flows(args)).toMatchObject({ status: 0, stdout: expect.stringContaining('flows run') as string, stderr: '' });
});

test('a command that is not built says so', async () => {
  const place = await Workplace.create();
  await mkdir(join(place.folder, 'package/bin'), { recursive: true });
  await cp(LAUNCHER, join(place.folder, 'package/bin/flows.js'));
  await place.write('package/package.json', JSON.stringify({ type: 'module', version: '9.9.9' }));
  const run = (args: string): Promise<{ stdout: string; stderr: string }> => place.shell(`${process.execPath} package/bin/flows.js ${args}`).ended;
  expect(await run('--version')).toMatchObject({ stdout: '9.9.9\n' });
  expect(await run('runs')).toMatchObject({ stderr: expect.stringMatching(/^REFUSED \[invalid_invocation\] The command is not built/) as string });
  expect(JSON.parse((await run('runs --json')).stdout)).toMatchObject({ ok: false, command: 'runs' });
});

/** Runs before the launcher. */
const before = (code: string): readonly string[] => ['--import', `data:text/javascript,${encodeURIComponent(code)}`];

/** Code that runs as soon as the command listens for what it did not foresee. */
const ONCE_LISTENING = `let waiting = true; process.on('newListener', (name) => { if (name === 'uncaughtException' && waiting) process.nextTick(() => { waiting = false;`;

test('an old Node is named', async () => {
  const place = await Workplace.create();
  const old = before(`Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.19.1' } })`);
  expect(await place.flows(['runs'], { node: old })).toMatchObject({ status: 2, stderr: expect.stringContaining('Node 18.19.1 is too old: flows needs 20.19 or newer.') as string });
});

test.each([
  ['bin/node', 'is not an absolute path'],
  ['/no/such/node', 'cannot be executed: /no/such/node (ENOENT)'],
  ['/etc/passwd', 'cannot be executed: /etc/passwd (EACCES)'],
])('FLOWS_AUTHORED_NODE=%s is refused', async (node, why) => {
  const place = await Workplace.create();
  expect(await place.flows(['runs'], { env: { FLOWS_AUTHORED_NODE: node } })).toMatchObject({ status: 2, stderr: expect.stringContaining(why) as string });
});

test('FLOWS_AUTHORED_NODE runs bodies under another Node, whose end is the end of the command', async () => {
  const place = await Workplace.create();
  await place.write('which.flow.ts', flowSource('which', `console.log(process.execPath, process.env.FLOWS_AUTHORED_NODE); f.done('needs_human');`));
  await mkdir(join(place.folder, 'bin'));
  await symlink(process.execPath, join(place.folder, 'bin/node'));
  const { status, stderr } = await place.flows(['run', 'which.flow.ts', '--input', '{}'], { env: { FLOWS_AUTHORED_NODE: join(place.folder, 'bin/node') } });
  expect({ status, stderr }).toMatchObject({ status: 3, stderr: expect.stringContaining('undefined') as string });
});

test('SIGTERM reaches the other Node', async () => {
  const place = await Workplace.create();
  await place.write('slow.flow.ts', flowSource('slow', `await f.run('sleep 60'); f.done('success');`));
  await symlink(process.execPath, join(place.folder, 'node'));
  const running = place.start(['run', 'slow.flow.ts', '--input', '{}'], { env: { FLOWS_AUTHORED_NODE: join(place.folder, 'node') } });
  await running.printed(/run-1 started/);
  running.child.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ status: 143, stdout: expect.stringContaining('interrupted') as string });
});

test('what nobody foresaw is a bug with a report, never a bare stack', async () => {
  const place = await Workplace.create();
  const odd = before(`${ONCE_LISTENING} throw new RangeError('odd in ' + process.cwd()) }) })`);
  const { status, stderr } = await place.flows(['runs'], { node: odd });
  expect(status).toBe(1);
  expect(stderr).toContain('FAILED [internal_error] This is a bug in flows: RangeError: odd in <cwd>');
  expect(stderr).toContain(`flows ${version}, node ${process.versions.node}`);
  expect(stderr.slice(stderr.indexOf('FAILED'))).not.toContain(place.folder);
});

test('a bug in reporting a bug ends as well', async () => {
  const place = await Workplace.create();
  const worse = before(`${ONCE_LISTENING} Date.now = () => { throw new RangeError('worse') }; throw new RangeError('odd') }) })`);
  expect(await place.flows(['runs'], { node: worse })).toMatchObject({ status: 1 });
});
