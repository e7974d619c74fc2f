import { describe, expect, it } from 'vitest';
import { identityOf } from '../../src/process/identity.js';
import { descend } from '../../src/process/ladder.js';
import { isRunning, startSleeper } from './harness.js';

describe('the ladder on a look at the system that is old', () => {
  it('takes who is gone for gone', async () => {
    const child = await startSleeper();
    const entry = { pid: child.pid, parent: process.pid, group: child.pid, startTime: identityOf(child.pid)?.startTime ?? '' };
    const { stopped, survivors } = await descend({ find: () => [entry], signal: (signal) => void process.kill(child.pid, signal), graceMs: 50 });
    expect({ stopped, survivors }).toEqual({ stopped: [{ pid: child.pid, command: 'sleep 600' }], survivors: [] });
    expect(isRunning(child.pid)).toBe(false);
    await child.outcome;
  });

  it('goes on to the next one when all who were found are gone: one of them may have started another', async () => {
    const [first, second] = [await startSleeper(), await startSleeper()];
    const entryOf = ({ pid }: { readonly pid: number }) => ({ pid, parent: process.pid, group: pid, startTime: identityOf(pid)?.startTime ?? '' });
    const entries = [first, second].map(entryOf);
    let looks = 0;
    const find = () => {
      looks += 1;
      // The first is gone by the second look, which is as old as the one before.
      return looks <= 2 ? entries.slice(0, 1) : entries.slice(1).filter(({ pid }) => isRunning(pid));
    };
    const signal = (name: NodeJS.Signals, processes: readonly { readonly pid: number }[]): void => {
      for (const { pid } of processes) process.kill(pid, name === 'SIGCONT' ? name : 'SIGKILL');
      const [leader] = processes;
      while (name === 'SIGTERM' && leader !== undefined && isRunning(leader.pid)) continue;
    };
    const { stopped, survivors } = await descend({ find, signal, graceMs: 60_000 });
    expect({ stopped: stopped.map(({ pid }) => pid), survivors }).toEqual({ stopped: [first.pid, second.pid], survivors: [] });
    await Promise.all([first.outcome, second.outcome]);
  });

  it('signals nobody who has the number of one that is gone', async () => {
    const child = await startSleeper();
    const signal = (): never => {
      throw new Error('it was signaled');
    };
    expect(await descend({ find: () => [{ pid: child.pid, parent: 1, group: 1, startTime: '1' }], signal, graceMs: 50 })).toEqual({ stopped: [], survivors: [] });
    child.stop('canceled');
    await child.outcome;
  });
});
