import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { NodeEnvironment } from '../environment.js';
import { parsedJson, recordOf } from '../json.js';
import { kindOf, type Log } from './log.js';

/**
 * What is noted on disk about the node, where the server looks for it: a report that is on its way, since the program that holds it may end before the server can be
 * reached, and how often the agent had to be corrected. Calls take effect in their order; what cannot be written is lost, and logged.
 */
export interface Notes {
  /** A report is on its way, as these bytes; it takes the place of one before. */
  underWay(bytes: string): Promise<void>;
  /** The server has answered: it has the report, and with it the node its end; or it will never take it. */
  answered(outcome: 'accepted' | 'rejected'): Promise<void>;
  /** The agent is told that what it gave is no valid report. */
  corrected(): Promise<void>;
}

/** In the state folder. */
const FOLDER = 'reports';

export function notesOnDisk({ home, runId, node }: Pick<NodeEnvironment, 'home' | 'runId' | 'node'>, log: Log): Notes {
  const folder = join(home, FOLDER);
  const slot = createHash('sha256').update(JSON.stringify([runId, node])).digest('hex').slice(0, 32);
  const [report, corrections] = [join(folder, `${slot}.report.json`), join(folder, `${slot}.corrections.json`)];
  let last: Promise<void> = Promise.resolve();
  const next = (act: () => Promise<void>): Promise<void> => {
    last = last.then(act).catch((error: unknown) => log('not noted', { error: kindOf(error) }));
    return last;
  };
  return {
    underWay: (bytes) => next(() => replaceFile(folder, report, bytes)),
    answered: (outcome) => next(async () => {
      for (const path of outcome === 'accepted' ? [report, corrections] : [report]) await rm(path, { force: true });
    }),
    // Counted in the file: the plugins of one program do not know of each other.
    corrected: () => next(async () => {
      const { corrections: before } = recordOf(parsedJson(await readFile(corrections, 'utf8').catch(() => '')));
      await replaceFile(folder, corrections, JSON.stringify({ runId, node, corrections: (typeof before === 'number' ? before : 0) + 1 }));
    }),
  };
}

/** As a whole, and for its owner only: whoever reads it sees the text before or this one. */
async function replaceFile(folder: string, path: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const unfinished = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.new`;
  try {
    const file = await open(unfinished, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
}
