import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { Scratch } from './scratch.js';
import { inEachShell, type Shell } from './shells.js';

const LIMIT = { RELAYFLOW_CHECK_LIMIT: '40' };

function withScript(shell: Shell, script: string): Scratch {
  const scratch = new Scratch(shell);
  scratch.write('.relayflow/check.sh', script);
  return scratch;
}

/** Waits until the processes whose ids are in files do nothing any more: who was killed takes a moment. */
async function gone(scratch: Scratch, ...files: readonly string[]): Promise<void> {
  await vi.waitFor(() => {
    expect(files.filter((name) => lives(Number(scratch.read(name))))).toEqual([]);
  }, { timeout: 60_000, interval: 20 });
}

function lives(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

inEachShell((shell) => {
  test.each([
    ['exit 0', 'pass', '0'],
    ['exit 3', 'fail', '3'],
    ['no-such-program-here', 'unrunnable', '127'],
    ['kill -9 $$', 'fail', '137'],
    // Scripts that clean up behind themselves like to end their whole group.
    ["trap 'kill 0' EXIT; exit 0", 'fail', '143'],
  ])('%s: %s', (script, token, exit) => {
    const scratch = withScript(shell, script);
    expect([scratch.word('check-run', LIMIT), scratch.read('.relayflow/check.exit'), scratch.read('.relayflow/check.limit')]).toEqual([token, `${exit}\n`, '40\n']);
    expect(scratch.read('.relayflow/check.elapsed')).toMatch(/^\d+\n$/);
  });

  test('how it ended cannot be written, on a full disk say: not that it failed', () => {
    expect(withScript(shell, 'mkdir .relayflow/check.exit').word('check-run', LIMIT)).toBe('unrunnable');
  });

  test('no script: none', () => {
    expect(new Scratch(shell).word('check-run')).toBe('none');
    expect(withScript(shell, '').word('check-run')).toBe('none');
  });

  test('the output is in the log, its last 40 lines on standard error, and nothing of it is the answer', () => {
    const scratch = withScript(shell, 'i=0; while [ $i -lt 50 ]; do i=$((i+1)); echo "line $i"; done; echo err >&2');
    const { answer, stderr } = scratch.run('check-run', LIMIT);
    expect([answer, stderr]).toEqual(['pass', `${Array.from({ length: 39 }, (_, index) => `line ${index + 12}\n`).join('')}err\n`]);
    expect(scratch.read('.relayflow/check.log').split('\n')).toHaveLength(52);
  });

  test('without a terminal, without input, without the git configuration of the host', () => {
    const scratch = withScript(shell, 'if read -r line; then exit 9; fi; if (: </dev/tty) 2>/dev/null; then exit 8; fi; env | grep -E "^GIT_(CONFIG|DIR=|INDEX_FILE=)" && exit 7; git config --get protocol.allow && exit 6; exit 0');
    const env = { ...LIMIT, GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'protocol.allow', GIT_CONFIG_VALUE_0: 'never\nof=\u00ff', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_DIR: '/nonexistent', GIT_INDEX_FILE: '/nonexistent' };
    expect(scratch.word('check-run', env), scratch.read('.relayflow/check.log')).toBe('pass');
  });

  test('a script for bash is run by bash', () => {
    expect(withScript(shell, '#!/usr/bin/env bash\nwords=(a b)\n[[ ${#words[@]} == 2 ]]').word('check-run', LIMIT)).toBe('pass');
  });

  test('stopped at its limit as a whole group, also what takes no notice', async () => {
    const scratch = withScript(shell, "trap '' TERM; sh -c 'trap \"\" TERM; echo $$ >child; while :; do sleep 1; done' & echo $$ >parent; while :; do sleep 1; done");
    const { answer, stderr } = scratch.run('check-run', { RELAYFLOW_CHECK_LIMIT: '2' });
    expect([answer, scratch.read('.relayflow/check.exit')]).toEqual(['timeout', '124\n']);
    expect(stderr).toContain('relayflow: the checks were stopped after 2 seconds');
    await gone(scratch, 'parent', 'child');
  });

  test('what the script leaves in its group ends with it', async () => {
    const scratch = withScript(shell, 'sleep 1000 & echo $! >left; exit 0');
    expect(scratch.word('check-run', LIMIT)).toBe('pass');
    await gone(scratch, 'left');
  });

  test('without setsid it is stopped all the same', async () => {
    const scratch = withScript(shell, 'echo $$ >parent; exec sleep 1000');
    for (const program of ['git', 'sh', 'bash', 'env', 'sed', 'sleep', 'date', 'cat', 'tail', 'head', 'grep', 'rm', 'mv', 'mkdir', 'ls']) {
      const found = ['/usr/bin', '/bin'].map((folder) => join(folder, program)).find((file) => existsSync(file));
      if (found !== undefined) symlinkSync(found, join(scratch.bin, program));
    }
    expect(scratch.word('check-run', { RELAYFLOW_CHECK_LIMIT: '2', PATH: scratch.bin })).toBe('timeout');
    await gone(scratch, 'parent');
  });
});
