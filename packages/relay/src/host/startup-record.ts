import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { isFlowsError } from '@relayflows/sdk';
import { isRelayError } from '../errors/relay-error.js';
import { errorFields, type LogFields, type ServerLog } from './server-log.js';

/** The message of the record by which a server says why it could not start. Whoever started it finds the record by this and by its process id. */
const STARTUP_FAILED = 'server startup failed';

/** Only the end of the log is looked at: the record is the last thing a server writes. */
const LOOKED_AT = 64 * 1024;

export function recordStartupFailure(log: Pick<ServerLog, 'error'>, error: unknown): void {
  log.error(STARTUP_FAILED, isRelayError(error) || isFlowsError(error) ? errorFields(error) : { ...errorFields(error), text: 'This is a bug in relay-flow, or a failure of the machine.' });
}

/** Why the server of a process could not start, in its own words. `undefined` when it did not say: a record of another process never counts. */
export function startupFailure(path: string, pid: number): LogFields | undefined {
  for (const line of endOf(path).split('\n').reverse()) {
    const record = parsed(line);
    if (record?.['pid'] === pid && record['message'] === STARTUP_FAILED) return record;
  }
  return undefined;
}

function endOf(path: string): string {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return '';
  }
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, LOOKED_AT));
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, size - bytes.length));
  } finally {
    closeSync(file);
  }
}

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
