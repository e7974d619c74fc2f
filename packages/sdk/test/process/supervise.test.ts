import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { superviseProcess } from '../../src/process/supervise.js';
import { needs } from '../tools.js';
import { marker, PATH, run, start, tempFolder } from './harness.js';

const linux = process.platform === 'linux';

describe('a command', () => {
  it('that ends well', async () => {
    const { durationMs, ...outcome } = await run('echo out; echo err >&2');
    expect(outcome).toEqual({ exitCode: 0, stdout: { text: 'out\n', dropped: 0 }, stderr: { text: 'err\n', dropped: 0 }, leftRunning: [], survivors: [] });
    expect(Number.isInteger(durationMs)).toBe(true);
  });

  it.each([[1], [3], [255]])('that exits with %i', async (code) => {
    expect(await run(`echo said; exit ${code}`)).toMatchObject({ exitCode: code, stdout: { text: 'said\n' } });
  });

  it('that dies by a signal', async () => {
    const outcome = await run('echo said; kill -9 $$');
    expect(outcome).toMatchObject({ signal: 'SIGKILL', stdout: { text: 'said\n' } });
    expect(outcome).not.toHaveProperty('exitCode');
    expect(outcome).not.toHaveProperty('stopped');
  });

  it.each(['-x', '+x', '--help'])('that begins like an option: %s', async (command) => {
    expect(await run(command)).toMatchObject({ exitCode: 127, stderr: { text: expect.stringContaining('not found') as string } });
  });

  it.each(['with space', "quote's \"double\"", 'two\nlines', 'ünïcode 🦊', '-dash', '$(touch x)'])('in a directory called %j', async (name) => {
    const cwd = join(tempFolder(), name);
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'here'), '');
    expect(await run('ls; pwd', { cwd })).toMatchObject({ exitCode: 0, stdout: { text: `here\n${cwd}\n` } });
  });

  it('gets exactly the environment of its request and the marker', async () => {
    const env = { PATH, ODD: `"'\\$\n`, UNICODE: 'é🦊', EMPTY: '', RELAYFLOW_RUN_ID: 'outer', RELAYFLOW_SCOPE: 'outer/run-1/1' };
    const own = marker();
    const { stdout } = await run(`node -p 'JSON.stringify(process.env)'`, { env, marker: own });
    const { PWD, OLDPWD, SHLVL, _, ...seen } = JSON.parse(stdout.text) as Record<string, string>;
    expect(seen).toEqual({ ...env, RELAYFLOW_RUN_ID: own.runId, RELAYFLOW_STEP_ID: 'run-1', RELAYFLOW_ATTEMPT: '1', RELAYFLOW_SCOPE: `outer/run-1/1;${own.runId}/run-1/1` });
  });

  it('leads a process group of its own', async () => {
    const child = start('ps -o pgid= -p $$');
    expect(Number((await child.outcome).stdout.text)).toBe(child.identity?.pid);
  });
});

describe('output', () => {
  it('of 100 MB is bounded in memory and in its log, and its producer ends', async () => {
    const logPath = join(tempFolder(), 'out.log');
    let seen = 0;
    const { stdout, exitCode } = await run(`head -c 100000000 /dev/zero | tr '\\0' x; echo end`, {
      stdout: { retainBytes: 10, logPath, logBytes: 1_000, onText: (text) => (seen += text.length) },
    });
    expect({ exitCode, seen, stdout }).toEqual({ exitCode: 0, seen: 100_000_004, stdout: { text: 'xxxxxxend\n', dropped: 99_999_994, logPath, logCut: 'limit' } });
  });

  it('waits for a slow reader instead of growing', async () => {
    const { rss } = process.memoryUsage();
    let highest = 0;
    await run('head -c 300000000 /dev/zero', { stdout: { retainBytes: 0, onText: () => (highest = Math.max(highest, process.memoryUsage.rss() - rss)) } });
    expect(highest).toBeLessThan(150 * 1024 * 1024);
  });

  it('keeps characters whole that arrive in two parts', async () => {
    const pieces: string[] = [];
    const { stdout } = await run(`printf 'a\\360\\237'; sleep 0.05; printf '\\246\\212b'`, { stdout: { onText: (text) => pieces.push(text) } });
    expect(stdout.text).toBe('a🦊b');
    expect(pieces.join('')).toBe('a🦊b');
    expect(pieces.some((piece) => piece.includes('\ufffd'))).toBe(false);
  });

  it('that is not UTF-8 does not fail', async () => {
    expect(await run(`printf 'fa\\347ade\\377'`)).toMatchObject({ exitCode: 0, stdout: { text: 'fa\ufffdade\ufffd' } });
  });

  it('goes to both logs, created with their folders', async () => {
    const folder = join(tempFolder(), 'steps', 'run-1');
    const paths = { out: join(folder, 'attempt-1.stdout.log'), err: join(folder, 'attempt-1.stderr.log') };
    const { stdout, stderr } = await run('echo out; echo err >&2', { stdout: { logPath: paths.out }, stderr: { logPath: paths.err } });
    expect([stdout.logPath, stderr.logPath]).toEqual([paths.out, paths.err]);
    expect([readFileSync(paths.out, 'utf8'), readFileSync(paths.err, 'utf8')]).toEqual(['out\n', 'err\n']);
  });

  it('without a byte leaves no log', async () => {
    const logPath = join(tempFolder(), 'steps', 'out.log');
    expect((await run('true', { stdout: { logPath } })).stdout).toEqual({ text: '', dropped: 0 });
    expect(existsSync(logPath)).toBe(false);
  });

  it.runIf(linux)('can be written to by name', async () => {
    expect(await run('echo out > /dev/stdout; echo err > /dev/stderr; echo both | tee /dev/stderr')).toMatchObject({
      exitCode: 0, stdout: { text: 'out\nboth\n' }, stderr: { text: 'err\nboth\n' },
    });
  });

  it('of a process that closes it early and goes on', async () => {
    expect(await run('echo a; exec >&- 2>&-; sleep 0.05; exit 4')).toMatchObject({ exitCode: 4, stdout: { text: 'a\n' } });
  });
});

describe('input', () => {
  it('is nothing when nothing is given', async () => {
    expect(await run('cat; echo end')).toMatchObject({ exitCode: 0, stdout: { text: 'end\n' } });
  });

  it.each([['an empty text', ''], ['the word that opens it elsewhere', 'open'], ['some text', 'a\nb🦊'], ['bytes', Buffer.from([0x61, 0x62])]])('is %s', async (_, input) => {
    expect(await run('cat', { input })).toMatchObject({ exitCode: 0, stdout: { text: input.toString() } });
  });

  it('of several megabytes arrives whole', async () => {
    const input = `${'0123456789'.repeat(500_000)}🦊`;
    expect((await run('wc -c; ', { input })).stdout.text.trim()).toBe('5000004');
  });

  it('need not be read to its end', async () => {
    const outcome = await run('head -c 3; exit 0', { input: 'x'.repeat(5_000_000) });
    expect(outcome).toMatchObject({ exitCode: 0, stdout: { text: 'xxx' } });
    expect(outcome).not.toHaveProperty('inputError');
  });

  it.runIf(linux)('can be read by name', async () => {
    expect(await run('cat /dev/stdin', { input: 'by name' })).toMatchObject({ exitCode: 0, stdout: { text: 'by name' } });
  });

  it('that stays open is written and closed by the caller', async () => {
    const child = start('while read -r line; do echo "got $line"; done', { input: { open: true } });
    child.write('a\n');
    child.write('b\n');
    child.closeInput();
    child.closeInput();
    child.write('too late\n');
    expect(await child.outcome).toMatchObject({ exitCode: 0, stdout: { text: 'got a\ngot b\n' } });
    child.write('after the end');
  });

  it('that stays open to a child that closes it is no error', async () => {
    const child = start('exec <&-; echo closed; sleep 0.2', {
      input: { open: true },
      stdout: { onText: () => { for (let index = 0; index < 50; index += 1) child.write('x'.repeat(100_000)); } },
    });
    const outcome = await child.outcome;
    expect(outcome).toMatchObject({ exitCode: 0 });
    expect(outcome).not.toHaveProperty('inputError');
  });
});

describe('a process that cannot be started', () => {
  const attempt = (file: string, options: { args?: string[]; cwd?: string; env?: Record<string, string>; stopped?: false } = {}) => {
    const child = superviseProcess({ file, args: options.args ?? [], cwd: options.cwd ?? '/', env: options.env ?? { PATH }, marker: marker(), sweep: 'group' });
    child.write('nobody reads this');
    // Of what never began there is nothing to stop.
    if (options.stopped !== false) child.stop('canceled');
    return child.outcome.then((outcome) => ({ outcome, identity: child.identity }));
  };

  it.each([
    ['no such program', 'no-such-program-here', {}, 'ENOENT', 'program', /^"no-such-program-here" is not on the PATH$/],
    ['no such file', '/no/such/file', {}, 'ENOENT', 'program', /^there is no file "\/no\/such\/file"$/],
    ['no such directory', 'sh', { cwd: '/no/such/folder' }, 'ENOENT', 'directory', /^the directory "\/no\/such\/folder" does not exist$/],
    ['a file as its directory', 'sh', { cwd: '/etc/passwd' }, 'ENOTDIR', 'directory', /is not a directory/],
    ['an argument over the limit', 'true', { args: ['x'.repeat(200_000)] }, 'E2BIG', undefined, /larger than the system allows/],
    ['a file that is not executable', '/etc/passwd', {}, 'EACCES', undefined, /not executable/],
    ['a NUL in an argument', 'true', { args: ['a\0b'] }, 'ERR_INVALID_ARG_VALUE', undefined, /null bytes/],
  ] as const)('%s', async (_, file, options, code, missing, message) => {
    const { outcome, identity } = await attempt(file, options as { args?: string[]; cwd?: string });
    expect(identity).toBeUndefined();
    expect(outcome.spawnError).toMatchObject({ code, transient: false, message: expect.stringMatching(message) as string });
    expect(outcome.spawnError?.missing).toBe(missing);
    expect(outcome).toMatchObject({ stdout: { text: '' }, leftRunning: [], survivors: [] });
    expect(outcome).not.toHaveProperty('exitCode');
    expect(outcome).not.toHaveProperty('stopped');
  });

  it('a script whose interpreter is missing', async () => {
    const script = join(tempFolder(), 'script');
    writeFileSync(script, '#!/no/such/interpreter\n');
    chmodSync(script, 0o755);
    const { outcome } = await attempt(script);
    expect(outcome.spawnError).toMatchObject({ code: 'ENOENT', missing: 'interpreter' });
  });

  it('is looked for on the PATH of the request', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'only-here'), '#!/bin/sh\necho found\n');
    chmodSync(join(folder, 'only-here'), 0o755);
    const { outcome } = await attempt('only-here', { env: { PATH: folder }, stopped: false });
    const { spawnError, signal, stopped, exitCode, stdout } = outcome;
    expect({ spawnError, signal, stopped, exitCode, text: stdout.text }).toEqual({ exitCode: 0, text: 'found\n' });
  });

  needs('prlimit')('because there are no file numbers left is a failure of the moment', async () => {
    const script = `
      import { systemShell } from ${JSON.stringify(new URL('../../dist/process/shell.js', import.meta.url).href)};
      import { openSync } from 'node:fs';
      const held = [];
      try { for (;;) held.push(openSync('/dev/null')); } catch {}
      const { spawnError } = await systemShell.run({ command: 'true', cwd: '/', env: {}, marker: { runId: 'r', stepId: 's', attempt: 1 }, sweep: 'group' }).outcome;
      process.stdout.write(JSON.stringify(spawnError));`;
    const file = join(tempFolder(), 'starve.mjs');
    writeFileSync(file, script);
    const { stdout } = await run(`prlimit --nofile=128:128 node ${file}`);
    expect(JSON.parse(stdout.text)).toMatchObject({ code: 'EMFILE', transient: true });
  });
});

describe('a machine without a place for pipes and input files', () => {
  const shell = JSON.stringify(new URL('../../dist/process/shell.js', import.meta.url).href);

  it('does with what Node has', async () => {
    const file = join(tempFolder(), 'poor.mjs');
    writeFileSync(file, `
      import { systemShell } from ${shell};
      const run = (command, input) => systemShell.run({ command, input, cwd: '/', env: process.env, marker: { runId: 'r', stepId: 's', attempt: 1 }, sweep: 'group' }).outcome;
      const outcomes = [await run('echo out; echo err >&2'), await run('cat; exit 3', 'é'.repeat(1000000)), await run('exec <&-; sleep 0.1', 'x'.repeat(5000000))];
      process.stdout.write(JSON.stringify(outcomes.map(({ exitCode, stdout, stderr, inputError }) => [exitCode, stdout.text.length + stdout.dropped, stderr.text, inputError ?? null])));`);
    const { stdout } = await run(`node ${file}`, { env: { PATH, TMPDIR: '/no/such/folder' } });
    expect(JSON.parse(stdout.text)).toEqual([[0, 4, 'err\n', null], [3, expect.any(Number), '', null], [0, 0, '', null]]);
  });
});
