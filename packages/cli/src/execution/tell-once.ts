import type { RunEvent } from '@relayflows/sdk';
import type { Observer } from './observer.js';

/** A run that sleeps for long is put down and taken up again by the same command. Whoever watches it knows already how it began and what it waits for. */
export function tellOnce(observer: Observer): Observer {
  let began = false;
  let woken = false;
  const waits = new Set<string>();
  const isKnown = (event: RunEvent): boolean => {
    switch (event.type) {
      case 'run.started':
        woken = began;
        began = true;
        return woken;
      case 'run.replayed':
        return woken;
      case 'wait.opened': {
        const known = waits.has(event.stepId);
        waits.add(event.stepId);
        return known;
      }
      default:
        return false;
    }
  };
  return {
    event(event) {
      if (!isKnown(event)) observer.event(event);
    },
    print: (text) => observer.print(text),
    close: () => observer.close(),
  };
}
