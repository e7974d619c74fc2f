import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runLogFolder } from '../../harness/headless/turn-log.js';
import type { RunLogEntry } from '../api.js';

/** How much of one file is answered at once, in bytes. */
const AT_ONCE = 64 * 1024;

/** How far each file has been read, by `<visit>/<file>`. */
export type OutputPlaces = Readonly<Record<string, number>>;

export interface AgentOutput {
  readonly entries: readonly RunLogEntry[];
  readonly places: OutputPlaces;
}

/**
 * What headless agents of a run wrote since it was looked at last, whole lines where there is more to come. Lines carry no time of their own: theirs is when the file was
 * written last. `nodeOf` tells the node of a visit.
 */
export async function agentOutput(args: { readonly home: string; readonly runId: string; readonly places: OutputPlaces; readonly nodeOf: (visit: string) => string | null; /** Nobody writes any more. */ readonly ended: boolean }): Promise<AgentOutput> {
  const folder = runLogFolder(args.home, args.runId);
  const entries: RunLogEntry[] = [];
  const places: Record<string, number> = { ...args.places };
  for (const visit of await names(folder)) {
    for (const file of await names(join(folder, visit))) {
      const stream = file.endsWith('.out') ? 'stdout' : file.endsWith('.err') ? 'stderr' : undefined;
      if (stream === undefined) continue;
      const key = `${visit}/${file}`;
      const read = await piece(join(folder, visit, file), places[key] ?? 0, args.ended);
      if (read === undefined) continue;
      places[key] = read.end;
      entries.push({ at: read.at, node: args.nodeOf(visit), nodeVisitId: visit, stream, text: read.text });
    }
  }
  return { entries, places };
}

async function names(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  } catch {
    return [];
  }
}

async function piece(path: string, from: number, ended: boolean): Promise<{ readonly text: string; readonly end: number; readonly at: number } | undefined> {
  const { size, mtimeMs } = await stat(path).catch(() => ({ size: 0, mtimeMs: 0 }));
  if (size <= from) return undefined;
  const handle = await open(path, 'r');
  try {
    const bytes = Buffer.alloc(Math.min(AT_ONCE, size - from));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
    const got = bytes.subarray(0, bytesRead);
    const lastLine = got.lastIndexOf(0x0a);
    // A line that is still being written waits for its end, unless it is longer than a piece.
    const whole = lastLine < 0 ? (bytesRead < AT_ONCE && !ended && Date.now() - mtimeMs < 1_000 ? 0 : bytesRead) : lastLine + 1;
    if (whole === 0) return undefined;
    return { text: got.subarray(0, whole).toString('utf8').replace(/\r?\n$/, ''), end: from + whole, at: Math.round(mtimeMs) };
  } finally {
    await handle.close();
  }
}
