import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Execute } from '../../../src/process/execute.js';
import { call } from './fake/call.mjs';

/**
 * Plays `bd` in this process, since most of the time of a process goes into its start. As with processes, a call takes a while in which others may come, and
 * one that comes while another is at the workspace is refused.
 */
export function within(workspace: string): Execute {
  let busy = false;
  return async ({ args, env, cwd = '/', input = '', signal }) => {
    const ended = { stdout: '', stderr: '', timedOut: true };
    const givenUp = (): boolean => signal?.aborted === true;
    if (givenUp()) return ended;
    if (busy) {
      appendFileSync(join(workspace, 'overlaps'), `${args.join(' ')}\n`);
      return { exitCode: 1, stdout: '', stderr: 'Error: database is locked by another process\n', timedOut: false };
    }
    busy = true;
    try {
      await setImmediate();
      const { exitCode, stdout, stderr } = call({ argv: args, env, cwd, input: () => input });
      await setImmediate();
      return givenUp() ? ended : { exitCode, stdout, stderr, timedOut: false };
    } finally {
      busy = false;
    }
  };
}
