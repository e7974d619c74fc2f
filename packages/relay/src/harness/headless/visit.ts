import type { ProcessIdentity } from '@relayflows/sdk/process';
import type { Report, Routes } from 'relay-flow-plugin/report';
import type { HeadlessHarness, Launch } from '../port.js';

/** A visit that a headless harness is to bring to a report. */
export interface HeadlessVisit {
  /** Names the visit for `live` and `stop`; one visit at a time. */
  readonly key: string;
  readonly runId: string;
  readonly visitId: string;
  readonly harness: HeadlessHarness;
  /** The first turn, in whose workspace and under whose title all of them run. */
  readonly launch: Launch;
  /** The prompt of a fresh session, for when the one to go on with turns out to be gone. Default: that of `launch`. */
  readonly freshPrompt?: string;
  /** What a report must look like at this node; part of every correction. */
  readonly contract: string;
  readonly routes: Routes;
  /** Called synchronously as soon as a process exists, so that it can be written down before anything else happens. Must not throw. */
  readonly onProcess?: (process: HeadlessProcess) => void;
  /**
   * Called with every event, one after the other. A rejection of `report`, `exhausted` or `failed` is tried again with a growing delay until the visit is
   * stopped; one of the others is dropped.
   */
  readonly onEvent: (event: HeadlessEvent) => void | Promise<void>;
}

/** Enough to end a process after the server that started it has died. Plain JSON. */
export interface HeadlessProcess {
  readonly runId: string;
  readonly visitId: string;
  /** From 1, over all servers that worked at the visit. */
  readonly turn: number;
  readonly identity: ProcessIdentity;
}

/** `queued` all places are taken · `running` a process is at work · `waiting` for a limit of use to reset, or for another try. */
export type HeadlessState = 'queued' | 'running' | 'waiting';

export type HeadlessEvent =
  /** So many visits are at work or come before it. */
  | { readonly type: 'queued'; readonly ahead: number }
  | { readonly type: 'started'; readonly turn: number; readonly logPath: string }
  | { readonly type: 'session'; readonly sessionId: string }
  /** Nothing happens until then, milliseconds since the epoch. */
  | { readonly type: 'waiting'; readonly until: number; readonly reason: string; readonly turn: number }
  /** The turn held no valid report; the agent is asked again. */
  | { readonly type: 'invalid'; readonly problems: readonly string[]; readonly turn: number; readonly logPath: string }
  /** The last event of a visit, if it is not one of the following two. `text` is the report as the agent wrote it. */
  | { readonly type: 'report'; readonly reportId: string; readonly report: Report; readonly text: string; readonly turn: number; readonly logPath: string; readonly sessionId?: string }
  /** It was asked as often as is allowed: a person must look. */
  | { readonly type: 'exhausted'; readonly problems: readonly string[]; readonly turn: number; readonly logPath: string }
  /** It could not be started at all. A `RelayError`. */
  | { readonly type: 'failed'; readonly error: Error };

/** The events after which nothing follows. */
export type LastEvent = Extract<HeadlessEvent, { type: 'report' | 'exhausted' | 'failed' }>;
