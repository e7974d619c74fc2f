import { appendFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { runDirectory } from '../journal/step-files.js';
import type { AttemptContext } from '../run/step-spec.js';

/*
 * Where each session of a run was at home. Some CLIs find a session only from the directory it was begun in, and one does nothing at all elsewhere:
 * the file lets such a step be refused before anything is spent. It is a help, not a record: without it the CLI says the same later.
 */

type RunPlace = Pick<AttemptContext['run'], 'dataDir' | 'runId'>;

export async function noteSession(run: RunPlace, session: { readonly id: string; readonly directory: string }): Promise<void> {
  const file = fileOf(run);
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await appendFile(file, `${JSON.stringify(session)}\n`);
  } catch {
    // A full disk costs the early refusal alone.
  }
}

/** The absolute path of the directory that this run used a session in last; `undefined` when it did not. */
export async function directoryOfSession(run: RunPlace, id: string): Promise<string | undefined> {
  const lines = await readFile(fileOf(run), 'utf8').catch(() => '');
  let found: string | undefined;
  for (const line of lines.split('\n')) {
    try {
      const session = JSON.parse(line) as { readonly id?: unknown; readonly directory?: unknown };
      if (session.id === id && typeof session.directory === 'string') found = session.directory;
    } catch {
      // The last line of a process that was killed while it wrote, or the end of the file.
    }
  }
  return found;
}

function fileOf(run: RunPlace): string {
  return path.join(runDirectory(run), 'sessions.jsonl');
}
