import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What happened, in words of the plugin's own: no texts of people, agents or the environment, since anything may stand in those. */
export type Log = (event: string, details?: Readonly<Record<string, string | number | boolean>>) => void;

/** Appends a JSON object a line to `plugin.log` in the state folder, readable by its owner only. What cannot be written is lost. */
export function pluginLog(home: string, host: string): Log {
  const file = join(home, 'plugin.log');
  let last: Promise<void> = Promise.resolve();
  return (event, details = {}) => {
    const line = `${JSON.stringify({ time: new Date().toISOString(), host, event, ...details })}\n`;
    last = last.then(() => appendFile(file, line, { mode: 0o600 })).catch(() => {});
  };
}

/** What may be logged of something thrown: its kind. Messages of errors can quote what they were about. */
export function kindOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
