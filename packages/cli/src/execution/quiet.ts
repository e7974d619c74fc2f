import type { Output } from '../io.js';
import { phaseLine, type Observer } from './observer.js';

/** For a reader of the document on stdout: stderr carries what the flow itself says, nothing else. */
export function quietObserver(stderr: Output): Observer {
  return {
    event(event) {
      if (event.type === 'phase') stderr.write(`${phaseLine(event.name)}\n`);
    },
    print: (text) => stderr.write(text),
    close() {},
  };
}
