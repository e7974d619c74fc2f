import { readdirSync } from 'node:fs';
import { describe, it } from 'vitest';
import { eventually, run, start } from './harness.js';

const count = (): { files: number; listeners: number; resources: string[] } => ({
  files: readdirSync('/proc/self/fd').length,
  listeners: process.listenerCount('exit') + process.listenerCount('SIGCHLD'),
  resources: process.getActiveResourcesInfo().filter((name) => name !== 'Immediate').toSorted(),
});

const timers = ({ resources }: ReturnType<typeof count>): number => resources.filter((name) => name === 'Timeout').length;
const handles = ({ resources }: ReturnType<typeof count>): number => resources.filter((name) => name === 'ProcessWrap' || name === 'PipeWrap').length;

describe.runIf(process.platform === 'linux')('processes leave nothing behind', () => {
  it.each<[string, number, (signal: AbortSignal) => Promise<unknown>]>([
    ['200 that end well', 200, (signal) => run('echo out; echo err >&2', { timeoutMs: 600_000, signal })],
    ['60 with input', 60, (signal) => run('cat', { input: 'some text', signal })],
    ['60 with open input', 60, (signal) => {
      const child = start('cat', { input: { open: true }, signal });
      child.write('x');
      child.closeInput();
      return child.outcome;
    }],
    ['200 that cannot be started', 200, (signal) => run('true', { cwd: '/no/such/folder', signal, timeoutMs: 600_000, input: 'x' })],
    ['20 that are stopped', 20, (signal) => {
      const child = start('exec sleep 600', { timeoutMs: 600_000, signal });
      child.stop('canceled');
      return child.outcome;
    }],
  ])('%s', async (_, times, once) => {
    const { signal } = new AbortController();
    const four = (): Promise<unknown> => Promise.all(Array.from({ length: 4 }, () => once(signal)));
    await four();
    const before = count();
    for (let index = 0; index < times; index += 4) await four();
    // Closing takes a turn of the event loop or two. Idle pipes are kept for the next process: a few files, however many processes there were.
    await eventually(() => {
      const after = count();
      return after.files <= before.files + 10 && after.listeners === before.listeners && timers(after) <= timers(before) + 1 && handles(after) <= handles(before);
    }, 'everything to be closed');
  });
});
