import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { superviseProcess } from '../../process/supervise.js';
import { createRedactor } from '../../redaction/redactor.js';
import type { AgentEvent } from '../../run/events.js';
import type { AgentRequest } from '../port.js';
import type { AgentSetUp, Stage } from './scenario.js';
import { remains } from './traces.js';

let stages = 0;

export interface Measures {
  readonly startMs: number;
  readonly crowd: number;
}

/** Gives a scenario its agent and empty directories, sees that no process of it is left, and takes everything away again. */
export async function onStage(setUp: AgentSetUp, measures: Measures, play: (stage: Stage) => Promise<void>): Promise<void> {
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'relayflows-conformance-')));
  const [cwd, elsewhere] = [path.join(folder, 'work'), path.join(folder, 'elsewhere')];
  await Promise.all([cwd, elsewhere].map(async (directory) => await mkdir(directory)));
  const { adapter, executable, hostEnv } = setUp;
  const redact = createRedactor({ env: hostEnv });
  const runId = `conformance-${process.pid}-${(stages += 1)}`;
  let attempts = 0;
  let scripts = 0;
  const shared = () => ({
    cwd, hostEnv,
    marker: { runId, stepId: `agent-${(attempts += 1)}`, attempt: 1 },
    now: Date.now,
    supervise: superviseProcess,
    redaction: () => redact.stream(),
  });
  const identityOf = async () => setUp.identity ?? (await stage.probe());
  const stage: Stage = {
    ...setUp,
    ...measures,
    cwd,
    elsewhere,
    probe: async (more) => await adapter.probe({ executable, ...shared(), ...more }),
    execute: async (more) => {
      const events: AgentEvent[] = [];
      const identity = more?.identity ?? (await identityOf());
      const request: AgentRequest = { mode: 'agent', identity, task: 'Do your part.', runEnv: {}, ...shared(), ...more, onEvent: (event) => events.push(event) };
      const turn = await adapter.execute(request);
      assert.deepEqual(remains({ runId: `${runId}/${request.marker.stepId}`, directories: [] }), [], 'no process of the turn is alive after it');
      return { ...turn, events };
    },
    inPlaceOf: async (script) => {
      const file = path.join(folder, `stand-in-${(scripts += 1)}`);
      await writeFile(file, `#!/bin/sh\nCLI='${executable}'\n${script}\n`);
      await chmod(file, 0o755);
      return { ...(await identityOf()), executable: file };
    },
  };
  try {
    await play(stage);
    assert.deepEqual(remains({ runId, directories: [folder] }), [], 'no process is left');
  } finally {
    await rm(folder, { recursive: true, force: true });
    await setUp.tearDown();
  }
}

/** Nothing that is waited for takes so long, however busy the machine is. */
const LONGEST_WAIT_MS = 180_000;

/** Waits until a file holds something. */
export async function untilWritten(file: string): Promise<string> {
  for (const deadline = Date.now() + LONGEST_WAIT_MS; !existsSync(file) || readFileSync(file, 'utf8') === ''; ) {
    if (Date.now() > deadline) throw new Error(`the agent did not write ${file}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return readFileSync(file, 'utf8').trim();
}
