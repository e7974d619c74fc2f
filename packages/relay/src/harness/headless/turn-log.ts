import { createHash } from 'node:crypto';
import { mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { RelayError } from '../../errors/relay-error.js';

/** Where the output of a turn goes: everything it printed, for people. */
export interface TurnLog {
  /** From 1, over all servers that worked at the visit: a report of an earlier one keeps its id. */
  readonly turn: number;
  readonly outPath: string;
  readonly errPath: string;
}

/** The folder of a run's logs: one folder per visit in it. */
export function runLogFolder(home: string, runId: string): string {
  return join(home, 'logs', segment(runId));
}

/** The folder of a visit's logs. */
export function visitLogs(home: string, at: { readonly runId: string; readonly visitId: string }): string {
  return join(runLogFolder(home, at.runId), segment(at.visitId));
}

/** Takes the next number of a visit. Throws `home_unusable`. */
export async function nextTurnLog(folder: string): Promise<TurnLog> {
  try {
    return await take(folder);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new RelayError('home_unusable', `The output of an agent cannot be kept in ${folder}: ${code}.`, { hint: 'See that the home of relay-flow can be written and its disk has room.', evidence: { path: folder, code } });
  }
}

async function take(folder: string): Promise<TurnLog> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const numbers = (await readdir(folder)).map((name) => Number(/^turn-(\d+)\.out$/.exec(name)?.[1] ?? 0));
  for (let turn = Math.max(0, ...numbers) + 1; ; turn += 1) {
    const outPath = join(folder, `turn-${turn}.out`);
    try {
      await (await open(outPath, 'wx', 0o600)).close();
      return { turn, outPath, errPath: join(folder, `turn-${turn}.err`) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

const LONGEST_SEGMENT = 150;

/** An id as one name of a folder: its slashes escaped, and no longer than a file system takes. */
function segment(id: string): string {
  const name = encodeURIComponent(id).replace(/^\.+$/, (dots) => dots.replaceAll('.', '%2E'));
  return name.length <= LONGEST_SEGMENT ? name : `${name.slice(0, LONGEST_SEGMENT)}~${createHash('sha256').update(id).digest('hex').slice(0, 16)}`;
}
