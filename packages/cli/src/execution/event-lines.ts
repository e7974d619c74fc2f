import type { Output } from '../io.js';
import { jsonLine } from '../text/clean.js';
import type { Observer } from './observer.js';
import { quietObserver } from './quiet.js';

/** Every event as a line of JSON on stdout, for a program that follows the run. */
export function eventLines(stdout: Output, stderr: Output): Observer {
  const quiet = quietObserver(stderr);
  return {
    ...quiet,
    event(event) {
      quiet.event(event);
      stdout.write(`${jsonLine(event)}\n`);
    },
  };
}
