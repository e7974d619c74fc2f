import { describe, expect, it } from 'vitest';
import { identityOf } from '../../src/process/identity.js';
import { descend } from '../../src/process/ladder.js';
import { isRunning, startSleeper } from './harness.js';

describe('the ladder on a look at the system that is old', () => {
  it('takes who is gone for gone', async () => {
    const child = await startSleeper();
    const entry = { pid: child.pid, parent: process.pid, group: child.pid, startTime: identityOf(child.pid)?.startTime ?? '' };
    const { stopped, survivors } = await descend({ find: () => [entry], signal: (signal) => void process.kill(child.pid, signal), graceMs: 60_000 });
    expect({ stopped, survivors }).toEqual({ stopped: [{ pid: child.pid, command: 'sleep 600' }], survivors: [] });
    expect(isRunning(child.pid)).toBe(false);
    await child.outcome;
  });

  it('signals nobody who has the number of one that is gone', async () => {
    const child = await startSleeper();
    const signal = (): never => {
      throw new Error('it was signaled');
    };
    expect(await descend({ find: () => [{ pid: child.pid, parent: 1, group: 1, startTime: '1' }], signal, graceMs: 60_000 })).toEqual({ stopped: [], survivors: [] });
    child.stop('canceled');
    await child.outcome;
  });
});
