import { correction } from 'relay-flow-plugin/report';
import type { Launch } from '../port.js';

/**
 * The turn after one without a valid report. An agent that keeps its session is told what was wrong; one that starts anew each time is told that, then what it was
 * asked in the first place. Pure.
 */
export function correctedLaunch(first: Launch, about: { readonly problems: readonly string[]; readonly contract: string; readonly sessionId: string | undefined }): Launch {
  const told = correction(about.problems, about.contract);
  const { sessionId: _first, ...rest } = first;
  return about.sessionId === undefined
    ? { ...rest, purpose: 'correction', prompt: `${told}\n\n${first.prompt}` }
    : { ...rest, purpose: 'correction', prompt: told, sessionId: about.sessionId };
}

/** The turn after one whose session turned out to be gone. Pure. */
export function freshLaunch(first: Launch, prompt: string): Launch {
  const { sessionId: _lost, ...rest } = first;
  return { ...rest, purpose: 'initial', prompt };
}
