import { closeSync, fstatSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { isFlowsError } from '@relayflows/sdk';
import { isRelayError, RelayError } from '../errors/relay-error.js';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * What the server did, as lines of JSON: `{time, pid, level, message, …}`. A message is a sentence of ours, never one that holds an argument of a command, a prompt, a comment
 * or a credential; what it is about stands in fields, and only in those below.
 */
export interface ServerLog {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Names, ids, counts and codes. A field with another name is not written. */
export type LogFields = { readonly [name in LogField]?: string | number | boolean | readonly string[] | undefined };

const FIELDS = [
  'repo', 'workflow', 'ticket', 'node', 'nodeType', 'visit', 'runId', 'attempt', 'reportId', 'sequence', 'plugin', 'call', 'activity', 'outcome', 'claims', 'workflows', 'state', 'status',
  'code', 'kind', 'text', 'hint', 'name', 'path', 'version', 'signal', 'exitCode', 'childPid', 'count', 'bytes', 'durationMs', 'delayMs', 'nextRetryAt',
] as const;
type LogField = (typeof FIELDS)[number];
const ALLOWED: ReadonlySet<string> = new Set(FIELDS);

const LARGEST_FILE = 10 * 1024 * 1024;
const KEPT_FILES = 3;
const LONGEST_TEXT = 4_000;

export interface ServerLogOptions {
  readonly path: string;
  /** Least level that is written. Default `info`. */
  readonly level?: LogLevel;
  /** Bytes after which a new file is begun; the three before it stay as `.1` to `.3`. Default 10 MiB. */
  readonly largestFile?: number;
  readonly now?: () => number;
  /** Gets each line as well: the terminal of a server in the foreground. */
  readonly mirror?: (line: LogLine) => void;
}

export interface LogLine extends LogFields {
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly pid: number;
  readonly level: LogLevel;
  readonly message: string;
}

/**
 * Opens `server.log` (mode 0600) for this process, which must hold the lock of the home: it alone begins new files. A disk that is full loses lines and nothing else.
 * Throws `home_unusable` when the file cannot be opened now.
 */
export function openServerLog({ path, level = 'info', largestFile = LARGEST_FILE, now = Date.now, mirror }: ServerLogOptions): ServerLog & { close(): void } {
  const least = LOG_LEVELS.indexOf(level);
  let open: OpenFile | undefined = openEnd(path);
  let closed = false;

  const shut = (): void => {
    if (open !== undefined) closeSync(open.file);
    open = undefined;
  };
  const write = (line: LogLine): void => {
    mirror?.(line);
    if (closed) return;
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    try {
      if (open !== undefined && open.size > 0 && open.size + bytes.length > largestFile) {
        shut();
        shift(path);
      }
      // What could not be done for a while is tried again with each line.
      open ??= openEnd(path);
      const whole = open.isTorn ? Buffer.concat([Buffer.from('\n'), bytes]) : bytes;
      const written = writeSync(open.file, whole);
      open.size += written;
      open.isTorn = written < whole.length;
    } catch {
      // There is no better place to say so.
    }
  };
  const at = (lineLevel: LogLevel) => (message: string, fields: LogFields = {}): void => {
    if (LOG_LEVELS.indexOf(lineLevel) >= least) write({ time: new Date(now()).toISOString(), pid: process.pid, level: lineLevel, message: cut(message), ...allowed(fields) });
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    close() {
      closed = true;
      shut();
    },
  };
}

interface OpenFile {
  readonly file: number;
  size: number;
  /** Whether it ends in the middle of a line, for which there was no room. */
  isTorn: boolean;
}

function openEnd(path: string): OpenFile {
  try {
    const file = openSync(path, 'a+', 0o600);
    const { size } = fstatSync(file);
    const last = Buffer.alloc(1);
    return { file, size, isTorn: size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last.toString() !== '\n' };
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    throw new RelayError('home_unusable', `${path} cannot be written: ${code}.`, { hint: 'Check the folder, its permissions and the room on the disk.', evidence: { path, errno: code }, cause });
  }
}

/** What may be said about anything that was thrown. Of errors that are not ours only the kind: their texts hold whatever was at hand. */
export function errorFields(error: unknown): LogFields {
  if (isRelayError(error)) return { code: error.code, kind: error.kind, text: error.text, ...(error.hint === undefined ? {} : { hint: error.hint }) };
  if (isFlowsError(error)) return { code: error.code, text: error.text, ...(error.hint === undefined ? {} : { hint: error.hint }) };
  if (!(error instanceof Error)) return { name: typeof error };
  const { code } = error as NodeJS.ErrnoException;
  return { name: error.name, ...(typeof code === 'string' ? { code } : {}) };
}

/** `RELAY_FLOW_LOG_LEVEL`, by default `info`; a word that is no level is treated like none. `debug` wins over it. */
export function logLevelOf(env: Readonly<Record<string, string | undefined>>, debug = false): LogLevel {
  const named = env['RELAY_FLOW_LOG_LEVEL']?.toLowerCase();
  return debug ? 'debug' : (LOG_LEVELS.find((level) => level === named) ?? 'info');
}

function allowed(fields: LogFields): LogFields {
  return Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (!ALLOWED.has(name) || value === undefined ? [] : [[name, typeof value === 'string' ? cut(value) : value]])));
}

function cut(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT - 1)}…`;
}

function shift(path: string): void {
  rmSync(`${path}.${KEPT_FILES}`, { force: true });
  for (let index = KEPT_FILES - 1; index >= 0; index -= 1) {
    try {
      renameSync(index === 0 ? path : `${path}.${index}`, `${path}.${index + 1}`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}
