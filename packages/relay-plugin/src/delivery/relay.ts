import type { NodeEnvironment } from '../environment.js';
import type { Report, ReportMessage } from '../report/index.js';
import { waitAfter, type Clock } from './backoff.js';
import type { RunCommand } from './command.js';
import type { Log } from './log.js';
import type { Notes } from './notes.js';

export interface RelayParts {
  readonly run: RunCommand;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  readonly notes: Notes;
}

export type Delivered =
  /** The server has it: taken now, taken before, or of no interest any more. */
  | { readonly outcome: 'accepted' }
  /** The server will never take it; `message` is for the agent. */
  | { readonly outcome: 'rejected'; readonly message: string }
  /** A newer report of the same node is on its way instead. */
  | { readonly outcome: 'superseded' };

/**
 * The way from one session to the server. Both calls return at once in the sense that matters to hosts: what they promise may take hours, so nobody
 * who draws a screen may wait for it. They never reject, and never start a turn of the model.
 */
export interface Relay {
  /** Delivers a report until the server has taken it or refused it for good. One at a time: a newer one takes the place of one that waits to be tried again. */
  readonly deliver: (reportId: string, report: Report) => Promise<Delivered>;
  /** Tells the server which session the node has, until it has answered. */
  readonly register: (sessionId: string) => Promise<void>;
}

interface InFlight {
  readonly reportId: string;
  readonly done: Promise<Delivered>;
}

/** An accepted session is not announced again for so long: hosts have many events for one change. */
const REGISTERED_FOR_MS = 60_000;

export function createRelay(node: NodeEnvironment, parts: RelayParts): Relay {
  const { runId } = node;
  const { run, clock, random, log, notes } = parts;
  // One process serves one node of one run, so this is the one slot of `runId:node`.
  let current: InFlight | undefined;
  /** Ends the wait between two attempts. */
  let wake: (() => void) | undefined;
  let registering: string | undefined;
  let registered: { readonly sessionId: string; readonly at: number } | undefined;

  const deliver = (reportId: string, report: Report): Promise<Delivered> => {
    if (current?.reportId === reportId) return current.done;
    const before = current?.done;
    const message: ReportMessage = { runId, node: node.node, reportId, report };
    // Once: every attempt sends the same bytes.
    const bytes = JSON.stringify(message);
    const noted = notes.underWay(bytes);
    const done = (async (): Promise<Delivered> => {
      // The slot is free when the attempt that runs, if one does, is over: the one before sees that it is not wanted any more.
      await before;
      await noted;
      const delivered = await attempts(reportId, bytes);
      if (current?.reportId === reportId) {
        current = undefined;
        // What is noted is this one.
        if (delivered.outcome !== 'superseded') await notes.answered(delivered.outcome);
      }
      log('report', { reportId, outcome: delivered.outcome });
      return delivered;
    })();
    current = { reportId, done };
    wake?.();
    return done;
  };

  const attempts = async (reportId: string, bytes: string): Promise<Delivered> => {
    for (let failures = 1; current?.reportId === reportId; failures += 1) {
      const answer = await run('report', bytes);
      if (answer.ok) return { outcome: 'accepted' };
      if (answer.code === 'invalidReport') return { outcome: 'rejected', message: answer.message };
      const wait = waitAfter(failures, random());
      log('report failed', { reportId, code: answer.code, failures, nextInMs: wait });
      // One that came during the attempt has found nobody to wake.
      if (current?.reportId !== reportId) break;
      await Promise.race([clock.sleep(wait), new Promise<void>((resolve) => { wake = resolve; })]);
      wake = undefined;
    }
    return { outcome: 'superseded' };
  };

  const register = async (sessionId: string): Promise<void> => {
    const known = registered?.sessionId === sessionId && clock.now() - registered.at < REGISTERED_FOR_MS;
    if (known || registering === sessionId) return;
    registering = sessionId;
    const bytes = JSON.stringify({ runId, node: node.node, sessionId });
    for (let failures = 1; registering === sessionId; failures += 1) {
      const answer = await run('runtime-register', bytes);
      if (answer.ok) {
        const accepted = answer.answer['accepted'] === true;
        // One that was not accepted is announced again with the next event: the server may not have known of the visit yet.
        if (accepted) registered = { sessionId, at: clock.now() };
        if (registering === sessionId) registering = undefined;
        log('session', { sessionId, accepted });
        return;
      }
      const wait = waitAfter(failures, random());
      log('session failed', { sessionId, code: answer.code, failures, nextInMs: wait });
      await clock.sleep(wait);
    }
  };

  return { deliver, register };
}
