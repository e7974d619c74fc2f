import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import type { Home } from '../../src/host/home.js';
import { holderOf, isAlive, takeLock } from '../../src/host/lock.js';
import { madeHome } from '../scratch.js';

const LOCK = pathToFileURL(fileURLToPath(new URL('../../dist/host/lock.js', import.meta.url))).href;

interface Contender {
  readonly child: ChildProcess;
  /** What it said about the lock: `held`, or the code and text of the refusal. */
  readonly said: Promise<string>;
  readonly ended: Promise<void>;
}

/** A process that takes the lock when it is told to, says what came of it, and stays until it is killed. */
function contender(home: Home): Contender {
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', `import { takeLock } from ${JSON.stringify(LOCK)}; process.stdin.once('data', () => { try { takeLock(${JSON.stringify(home)}); console.log('held'); } catch (error) { console.log(error.code + ': ' + error.message); } }); console.log('ready'); setInterval(() => {}, 1000);`],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let text = '';
  const said = new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      const line = /^ready\n(.+)\n/.exec(text)?.[1];
      if (line !== undefined) resolve(line);
      else if (text === 'ready\n') child.stdin.write('go\n');
    });
    child.on('close', () => reject(new Error(`said nothing: ${text}`)));
  });
  return { child, said, ended: new Promise((resolve) => child.on('close', () => resolve())) };
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

async function killed({ child, ended }: Contender): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

test('of processes that start at once exactly one gets it, and the others say who has it or that somebody has', async () => {
  const home = madeHome();
  const all = Array.from({ length: 4 }, () => contender(home));
  const said = await Promise.all(all.map(({ said: one }) => one));
  expect(said.filter((line) => line === 'held')).toHaveLength(1);
  for (const line of said.filter((one) => one !== 'held')) expect(line).toMatch(/^server_running: A server for this home is running/);
  const winner = all[said.indexOf('held')]!;
  expect(holderOf(home)).toBe(winner.child.pid);
  await expect(contender(home).said).resolves.toBe(`server_running: A server for this home is running (process ${winner.child.pid}).`);
});

test('a process that is killed has let go of it, again and again', async () => {
  const home = madeHome();
  for (let round = 0; round < 3; round += 1) {
    const one = contender(home);
    await expect(one.said).resolves.toBe('held');
    await killed(one);
    expect(holderOf(home)).toBeUndefined();
  }
  takeLock(home).release();
});

test('what a holder starts does not hold it', async () => {
  const home = madeHome();
  const lock = takeLock(home);
  const heir = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore', detached: true });
  onTestFinished(() => {
    heir.kill('SIGKILL');
  });
  lock.release();
  takeLock(home).release();
});

test('it is free once released, and taken twice by nobody within a process', async () => {
  const home = madeHome();
  const lock = takeLock(home);
  expect(() => takeLock(home)).toThrow(expect.objectContaining({ code: 'server_running', evidence: { home: home.root, pid: process.pid } }) as Error);
  // The handle of the second try is closed by now, which must not have let go of the first.
  collectGarbage();
  await expect(contender(home).said).resolves.toMatch(/^server_running/);
  expect(statSync(home.lock).mode & 0o777).toBe(0o600);
  expect(statSync(home.holder).mode & 0o777).toBe(0o600);
  lock.release();
  lock.release();
  expect(existsSync(home.holder)).toBe(false);
  takeLock(home).release();
});

test('what cannot be locked is told with why, and only what is no lock is said to be deleted', () => {
  const home = madeHome();
  writeFileSync(home.lock, 'This is no lock. '.repeat(1_000));
  expect(() => takeLock(home)).toThrow(expect.objectContaining({ code: 'home_unusable', text: expect.stringContaining('is damaged'), hint: expect.stringContaining('delete it') }) as Error);
  rmSync(home.lock);
  mkdirSync(home.lock);
  expect(() => takeLock(home)).toThrow(expect.objectContaining({ code: 'home_unusable', text: expect.stringContaining('server.lock'), hint: expect.not.stringContaining('delete') }) as Error);
});

test('a process that has ended is not alive, even while its parent has not asked how', async () => {
  // The shell becomes a sleep, which asks nobody: its child stays in the table of processes.
  const parent = spawn('/bin/sh', ['-c', 'true & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => {
    parent.kill('SIGKILL');
  });
  const pid = await new Promise<number>((resolve) => {
    parent.stdout.setEncoding('utf8').once('data', (text: string) => resolve(Number(text)));
  });
  await expect.poll(() => isAlive(pid)).toBe(false);
  expect(isAlive(parent.pid!)).toBe(true);
});
