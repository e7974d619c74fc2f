import { spawnSync } from 'node:child_process';
import { SCOPE_VARIABLE } from './marker.js';
import { oneLine } from './one-line.js';
import type { ProcessEntry, ProcessTable } from './process-table.js';

const COLUMNS = 'pid=,ppid=,pgid=,stat=,lstart=,command=';
const ROW = /^\s*(?<pid>\d+)\s+(?<parent>\d+)\s+(?<group>\d+)\s+(?<state>\S+)\s+(?<start>\S+\s+\S+\s+\S+\s+\S+\s+\d{4})\s*(?<command>.*)$/;
let boot: string | undefined;

/** Where there is no `/proc`: asked of `ps`, which costs a process per question. */
export const psTable: ProcessTable = {
  find: (pid) => rows(['-p', String(pid), '-ww', '-o', COLUMNS])[0]?.entry,
  all: () => rows(['-axww', '-o', COLUMNS]).map(({ entry }) => entry),
  marked() {
    // The one letter that makes `ps` print environments behind command lines differs.
    const listing = process.platform === 'darwin' ? ['-axww', '-E', '-o', COLUMNS] : ['axeww', '-o', COLUMNS];
    return rows(listing).flatMap(({ entry, command }) => {
      const scope = scopeIn(command);
      return scope === undefined ? [] : [{ ...entry, scope }];
    });
  },
  command: (pid) => oneLine(ask('ps', ['-p', String(pid), '-ww', '-o', 'command='])),
  bootId: () => (boot ??= process.platform === 'darwin' ? ask('sysctl', ['-n', 'kern.bootsessionuuid']).trim() : ''),
};

/** A line of `ps`, or `undefined` for a zombie and for what is no row. */
export function parsePsRow(line: string): { readonly entry: ProcessEntry; readonly command: string } | undefined {
  const fields = ROW.exec(line)?.groups;
  if (fields === undefined || fields['state']?.startsWith('Z') === true) return undefined;
  const entry = {
    pid: Number(fields['pid']),
    parent: Number(fields['parent']),
    group: Number(fields['group']),
    startTime: (fields['start'] ?? '').replaceAll(/\s+/g, ' '),
  };
  return { entry, command: fields['command'] ?? '' };
}

/** The environment follows the command line, which might mention the variable too: the last one counts. */
function scopeIn(command: string): string | undefined {
  const name = ` ${SCOPE_VARIABLE}=`;
  const at = command.lastIndexOf(name);
  return at === -1 ? undefined : command.slice(at + name.length).split(' ', 1)[0];
}

function rows(args: readonly string[]): { readonly entry: ProcessEntry; readonly command: string }[] {
  return ask('ps', args).split('\n').flatMap((line) => parsePsRow(line) ?? []);
}

function ask(program: string, args: readonly string[]): string {
  // The zone and the language are fixed because start times are compared as text.
  const answer = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin:/usr/sbin:/sbin' },
  });
  return answer.stdout ?? '';
}
