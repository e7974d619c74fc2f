import type { NodeEnvironment } from '../environment.js';
import { correction, type Report } from '../report/index.js';
import { reportIdOf, type FinishedTurn } from '../turn.js';
import { systemClock } from './backoff.js';
import { commandRunner } from './command.js';
import { kindOf, pluginLog, type Log } from './log.js';
import { notesOnDisk, type Notes } from './notes.js';
import { createRelay, type Relay } from './relay.js';

/** What a plugin runs with inside its host; tests give their own. */
export interface HostParts {
  readonly node: NodeEnvironment;
  readonly relay: Relay;
  readonly notes: Notes;
  readonly log: Log;
}

export function hostParts(node: NodeEnvironment, host: string): HostParts {
  const log = pluginLog(node.home, host);
  const notes = notesOnDisk(node, log);
  const relay = createRelay(node, { run: commandRunner(node.command, node.home), clock: systemClock, random: Math.random, log, notes });
  return { node, relay, notes, log };
}

/** Delivers in the background; what the server refuses for good goes back to the agent. */
export function deliverInBackground(parts: HostParts, turn: FinishedTurn, report: Report, send: (text: string) => unknown): void {
  const { node, relay, log } = parts;
  inBackground(log, async () => {
    const delivered = await relay.deliver(reportIdOf(turn), report);
    if (delivered.outcome === 'rejected') correctInBackground(parts, correction([delivered.message], node.reportFormat), send);
  });
}

/** Tells the agent what is wrong with what it gave, as often as it takes. The server shows a person when it takes long. */
export function correctInBackground({ notes, log }: HostParts, text: string, send: (text: string) => unknown): void {
  inBackground(log, () => notes.corrected());
  inBackground(log, () => send(text));
}

/** Starts something nobody waits for. What it throws is logged: an error in a plugin can take a session down. */
export function inBackground(log: Log, work: () => unknown): void {
  void (async () => {
    try {
      await work();
    } catch (error) {
      log('failed', { error: kindOf(error) });
    }
  })();
}
