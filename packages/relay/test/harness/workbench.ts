import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identityOf } from '@relayflows/sdk/process';
import { onTestFinished } from 'vitest';
import { reportContract } from 'relay-flow-plugin/report';
import { createCommandHarness } from '../../src/harness/command/harness.js';
import type { Clock } from '../../src/harness/headless/clock.js';
import { createHeadlessRunner, type HeadlessRunner, type HeadlessRunnerOptions } from '../../src/harness/headless/runner.js';
import type { HeadlessEvent, HeadlessProcess, HeadlessVisit } from '../../src/harness/headless/visit.js';
import type { HeadlessHarness, Launch } from '../../src/harness/port.js';
import { ROUTES } from './reports.js';

/** A folder that is gone after the test. */
export async function folder(): Promise<string> {
  const made = await realpath(await mkdtemp(join(tmpdir(), 'relay-harness-')));
  onTestFinished(async () => await rm(made, { recursive: true, force: true, maxRetries: 5 }));
  return made;
}

/** An executable shell script. */
export async function script(path: string, ...lines: readonly string[]): Promise<string> {
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, ['#!/bin/sh', ...lines, ''].join('\n'));
  await chmod(path, 0o755);
  return path;
}

export interface Workbench {
  readonly home: string;
  readonly runId: string;
  readonly cwd: string;
  readonly runner: HeadlessRunner;
  readonly events: HeadlessEvent[];
  readonly processes: HeadlessProcess[];
  readonly launch: Launch;
  visit(harness: HeadlessHarness, changes?: Partial<HeadlessVisit>): HeadlessVisit;
  /** Starts a visit and waits for its last event. */
  bring(harness: HeadlessHarness, changes?: Partial<HeadlessVisit>): Promise<HeadlessEvent>;
  /** Resolves once an event passes. */
  seen(test: (event: HeadlessEvent) => boolean): Promise<void>;
}

export async function workbench(options: Partial<HeadlessRunnerOptions> = {}): Promise<Workbench> {
  const home = await folder();
  const cwd = await folder();
  const runner = createHeadlessRunner({ home, env: process.env, graceMs: 200, ...options });
  onTestFinished(async () => await runner.close());
  const events: HeadlessEvent[] = [];
  const processes: HeadlessProcess[] = [];
  const waiting = new Set<() => void>();
  // Processes are known by these, and other tests run at the same time.
  const runId = `repo/flow/${randomUUID()}`;
  const launch: Launch = { cwd, title: 'T-1:build', agent: 'coder', nodeType: 'agent', prompt: 'Build it.', purpose: 'initial', env: { RELAY_FLOW_TICKET: 'T-1', RELAY_FLOW_NODE: 'build' } };
  const visit = (harness: HeadlessHarness, changes: Partial<HeadlessVisit> = {}): HeadlessVisit => ({
    key: 'build', runId, visitId: '0123456789abcdef0123456789abcdef', harness, launch, contract: reportContract(ROUTES), routes: ROUTES,
    onProcess: (process_) => void processes.push(process_),
    onEvent: (event) => {
      events.push(event);
      for (const look of waiting) look();
    },
    ...changes,
  });
  const seen = async (test: (event: HeadlessEvent) => boolean): Promise<void> =>
    await new Promise((resolve) => {
      const look = (): void => {
        if (!events.some(test)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  const isLast = ({ type }: HeadlessEvent): boolean => type === 'report' || type === 'exhausted' || type === 'failed';
  return {
    home, runId, cwd, runner, events, processes, launch, visit, seen,
    async bring(harness, changes) {
      const before = events.length;
      runner.start(visit(harness, changes));
      await seen((event) => isLast(event) && events.indexOf(event) >= before);
      const last = events.at(-1);
      if (last === undefined) throw new Error('No event.');
      return last;
    },
  };
}

export function commandHarness(...command: readonly string[]): HeadlessHarness {
  return createCommandHarness({ config: { command }, env: process.env });
}

/** A clock that stands still, and on which waiting takes no time. */
export function quickClock(): Clock & { readonly waits: readonly number[] } {
  let now = Date.now();
  const waits: number[] = [];
  return {
    waits,
    now: () => now,
    async until(time) {
      const ms = Math.max(0, time - now);
      waits.push(ms);
      now += ms;
      await Promise.resolve();
    },
  };
}

/** Whether a process lives; one that only waits to be collected does not. */
export function isAlive(pid: number): boolean {
  return identityOf(pid) !== undefined;
}
