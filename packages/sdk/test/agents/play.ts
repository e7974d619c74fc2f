import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { flow, type AgentOptions, type AgentResult, type Ctx, type FlowHeader } from '@relayflows/surface';
import { afterEach } from 'vitest';
import { createMemoryJournal, createMemoryStore, type MemoryStore } from '../../src/journal/memory.js';
import { createRuntime } from '../../src/run/create-runtime.js';
import type { RunEvent } from '../../src/run/events.js';
import type { RunReport } from '../../src/run/report.js';
import type { Runtime, RuntimeOptions } from '../../src/run/runtime.js';
import { adoptable, REPLAY_STALL_MS } from '../run/harness.js';
import { folder, scriptedAgent, type Act, type Script } from './fixture.js';

export interface Played<T = AgentResult> {
  readonly report: RunReport;
  readonly value: T | undefined;
  readonly error: { readonly code: string; readonly message: string; readonly evidence?: Record<string, unknown>; readonly completionReason?: string } | undefined;
  readonly events: RunEvent[];
  readonly agent: ReturnType<typeof scriptedAgent>;
  readonly cwd: string;
  readonly warnings: string[];
}

const runtimes: Runtime[] = [];
afterEach(async () => {
  await Promise.all(runtimes.splice(0).map((runtime) => runtime.close()));
});

/** A runtime on a journal whose earlier owners count as dead. Closed after the test. */
export function runtimeOn(store: MemoryStore, dataDir: string, name: string, body: (f: Ctx) => Promise<void>, options: Partial<RuntimeOptions> & { readonly header?: FlowHeader } = {}): Runtime {
  const { header, ...rest } = options;
  const handle = flow(name, header ?? {}, body);
  const runtime = createRuntime({ journal: adoptable(createMemoryJournal({ store })), dataDir, flows: { [name]: { version: '1.0.0', flow: handle } }, replayStallMs: REPLAY_STALL_MS, ...rest });
  runtimes.push(runtime);
  return runtime;
}

/** Runs a flow with one agent step, whose agent plays a script. */
export async function play<T = AgentResult>(script: Script, options: Partial<AgentOptions> = {}, on: { readonly cwd?: string; readonly header?: FlowHeader; readonly runtime?: Partial<RuntimeOptions> } = {}): Promise<Played<T>> {
  const agent = scriptedAgent(script);
  const cwd = on.cwd ?? folder();
  const events: RunEvent[] = [];
  let value: T | undefined;
  let error: Played['error'];
  const runtime = runtimeOn(createMemoryStore(), join(folder(), 'data'), 'subject', async (f) => {
    try {
      value = (await f.agent('coder', { task: 'Do it.', cli: agent.path, ...options })) as T;
    } catch (caught) {
      error = caught as Played['error'];
    }
    f.done('success');
  }, { ...on.runtime, ...(on.header === undefined ? {} : { header: on.header }), onEvent: (event) => events.push(event) });
  const report = await runtime.run('subject', { cwd }).result;
  const warnings = events.flatMap((event) => (event.type === 'warning' ? [event.code] : []));
  return { report, value, error, events, agent, cwd, warnings };
}

export const turns = (...played: Act[][]): Script => ({ turns: played });

/** A repository with one commit. */
export function repository(files: Readonly<Record<string, string>>): string {
  const root = folder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(root, name), content);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'pipe' });
  git('init', '-q');
  git('add', '-A');
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'first');
  return root;
}
