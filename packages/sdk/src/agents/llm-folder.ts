import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { runFolder } from '../journal/step-files.js';
import type { AttemptContext } from '../run/step-spec.js';

/*
 * The empty folder in which a model call runs. It lies in the system's folder for temporary files, not below the data directory: CLIs read the
 * instructions of every folder above the one they are started in, and a question belongs to no project.
 */

/** Makes one, after removing what earlier attempts of the step left because their process was killed. */
export async function makeLlmFolder(attempt: AttemptContext): Promise<string> {
  const prefix = `relayflows-llm-${runFolder(attempt.run.runId)}-${attempt.stepId}-`;
  if (attempt.attempt > 1) {
    const names = await readdir(os.tmpdir()).catch((): string[] => []);
    await Promise.all(names.filter((name) => name.startsWith(prefix)).map((name) => rm(path.join(os.tmpdir(), name), { recursive: true, force: true }).catch(() => undefined)));
  }
  return await realpath(await mkdtemp(path.join(os.tmpdir(), prefix)));
}
