import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { superviseProcess } from '../../process/supervise.js';
import { createRedactor } from '../../redaction/redactor.js';
import type { AgentEvent } from '../../run/events.js';
import type { AgentRequest } from '../port.js';
import type { AgentSetUp, Stage } from './scenario.js';

let attempts = 0;

/** Gives a scenario its agent and an empty directory, and takes both away again. */
export async function onStage(setUp: AgentSetUp, startMs: number, play: (stage: Stage) => Promise<void>): Promise<void> {
  const cwd = await realpath(await mkdtemp(path.join(os.tmpdir(), 'relayflows-conformance-')));
  const { adapter, executable, hostEnv } = setUp;
  const redact = createRedactor({ env: hostEnv });
  const shared = () => {
    attempts += 1;
    return {
      cwd, hostEnv,
      marker: { runId: `conformance-${process.pid}`, stepId: 'agent-1', attempt: attempts },
      now: Date.now,
      supervise: superviseProcess,
      redaction: () => redact.stream(),
    };
  };
  const stage: Stage = {
    ...setUp,
    cwd,
    startMs,
    probe: async (more) => await adapter.probe({ executable, ...shared(), ...more }),
    execute: async (more) => {
      const events: AgentEvent[] = [];
      const identity = more?.identity ?? (await stage.probe());
      const request: AgentRequest = { mode: 'agent', identity, task: 'Do your part.', runEnv: {}, ...shared(), ...more, onEvent: (event) => events.push(event) };
      return { ...(await adapter.execute(request)), events };
    },
  };
  try {
    await play(stage);
  } finally {
    await rm(cwd, { recursive: true, force: true });
    await setUp.tearDown();
  }
}

/** Waits until a file exists. */
export async function untilWritten(file: string): Promise<string> {
  for (const deadline = Date.now() + 60_000; !existsSync(file) || readFileSync(file, 'utf8') === ''; ) {
    if (Date.now() > deadline) throw new Error(`the agent did not write ${file}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return readFileSync(file, 'utf8').trim();
}

/** Whether a process lives, a zombie not counted. */
export function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch (error) {
    return (error as NodeJS.ErrnoException).syscall === 'open';
  }
}
