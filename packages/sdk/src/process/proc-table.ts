import { closeSync, openSync, readFileSync, readSync, readdirSync, readlinkSync } from 'node:fs';
import { SCOPE_VARIABLE } from './marker.js';
import { exists } from './signals.js';
import { oneLine } from './one-line.js';
import type { MarkedEntry, ProcessEntry, ProcessTable } from './process-table.js';

const scratch = Buffer.allocUnsafeSlow(4096);
let boot: string | undefined;

/** Linux: read from `/proc`. */
export const procTable: ProcessTable = {
  find(pid) {
    const stat = readStat(pid);
    // With `hidepid` the folder of somebody else's process is invisible although the process exists.
    return stat === undefined ? (exists(pid) ? 'hidden' : undefined) : parseStat(stat);
  },

  all() {
    return pids().flatMap((pid) => entryOf(pid) ?? []);
  },

  marked() {
    for (let attempt = 1; ; attempt += 1) {
      const { entries, lost } = scan();
      // A process that ended during the scan may have left a child behind which was not listed yet.
      if (!lost || attempt === 3) return entries;
    }
  },

  command(pid) {
    try {
      return oneLine(readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '));
    } catch {
      return '';
    }
  },

  bootId() {
    return (boot ??= `${read('/proc/sys/kernel/random/boot_id')}/${namespace()}`);
  },
};

/** The fields of `/proc/<pid>/stat` that matter, or `undefined` for a zombie. The name in parentheses may contain anything, so it is skipped from the end. */
export function parseStat(stat: string): ProcessEntry | undefined {
  const [state, parent, group, , , , , , , , , , , , , , , , , startTime] = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 20);
  if (state === undefined || state === 'Z' || state === 'X' || state === 'x') return undefined;
  return { pid: Number.parseInt(stat, 10), parent: Number(parent), group: Number(group), startTime: startTime ?? '' };
}

function entryOf(pid: number): ProcessEntry | undefined {
  const stat = readStat(pid);
  return stat === undefined ? undefined : parseStat(stat);
}

function scan(): { entries: MarkedEntry[]; lost: boolean } {
  const entries: MarkedEntry[] = [];
  const bare: number[] = [];
  let lost = false;
  const look = (pid: number): boolean => {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`);
      const scope = scopeIn(environment);
      const entry = scope === undefined ? undefined : entryOf(pid);
      if (scope !== undefined && entry !== undefined) entries.push({ ...entry, scope });
      return environment.length > 0;
    } catch (error) {
      lost ||= isGone(error);
      return true;
    }
  };
  for (const pid of pids()) if (!look(pid)) bare.push(pid);
  // A process that is just changing its program shows no environment for a moment.
  bare.forEach(look);
  return { entries, lost };
}

function scopeIn(environment: Buffer): string | undefined {
  const name = `${SCOPE_VARIABLE}=`;
  let at = environment.indexOf(name);
  while (at > 0 && environment[at - 1] !== 0) at = environment.indexOf(name, at + 1);
  if (at === -1) return undefined;
  const end = environment.indexOf(0, at);
  return environment.toString('utf8', at + name.length, end === -1 ? environment.length : end);
}

function pids(): number[] {
  return readdirSync('/proc').flatMap((name) => (/^\d/.test(name) ? [Number(name)] : []));
}

/** Read on the way of every step, so without the two calls more that `readFileSync` makes. */
function readStat(pid: number): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(`/proc/${pid}/stat`, 'r');
    return scratch.toString('latin1', 0, readSync(file, scratch, 0, scratch.length, 0));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function isGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ESRCH';
}

function namespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}
