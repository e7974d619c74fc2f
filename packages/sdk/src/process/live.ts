import { ofStep } from './marker.js';
import type { StepMarker } from './port.js';
import { killMarkedNow } from './sweep.js';

/** A process that is supervised at the moment. */
export interface LiveProcess {
  readonly marker: StepMarker;
  /** KILL for its group, at once. */
  killNow(): void;
}

const live = new Set<LiveProcess>();
let listening = false;

export function register(process_: LiveProcess): void {
  live.add(process_);
  if (listening) return;
  listening = true;
  // Also after an uncaught error and `process.exit()`: no process outlives its step.
  process.on('exit', killAllNow);
}

export function unregister(process_: LiveProcess): void {
  live.delete(process_);
}

/**
 * Ends every process that this one supervises with KILL, and what left their groups, before the call returns. For a host that must go now: a second
 * Ctrl-C. It also happens by itself whenever the host exits other than by a signal.
 */
export function killAllNow(): void {
  if (live.size === 0) return;
  for (const each of live) each.killNow();
  const tests = [...live].map(({ marker }) => ofStep(marker));
  const ofAny = (scope: string): boolean => tests.some((test) => test(scope));
  // Twice more for what was being started just then.
  for (let round = 0; round < 3 && killMarkedNow(ofAny) > 0; round += 1);
}
