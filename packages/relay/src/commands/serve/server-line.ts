import type { LogLine } from '../../host/server-log.js';
import { clock } from '../text/amounts.js';
import { oneLine } from '../text/clean.js';
import type { Paint } from '../text/paint.js';

/** A record of the server's log for a terminal: `14:05:00 warn a repository cannot be used repo=app code=task_missing`. */
export function serverLine({ time, level, message, pid: _, ...fields }: LogLine, paint: Paint): string {
  const word = level === 'error' ? paint.red(level) : level === 'warn' ? paint.yellow(level) : paint.dim(level);
  const told = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [`${paint.dim(`${name}=`)}${valueOf(value)}`]));
  const at = Date.parse(time);
  return [paint.dim(clock(at, at)), word, oneLine(message), ...told].join(' ');
}

function valueOf(value: string | number | boolean | readonly string[]): string {
  const text = oneLine(typeof value === 'object' ? value.join(',') : String(value));
  return text === '' || text.includes(' ') ? JSON.stringify(text) : text;
}
