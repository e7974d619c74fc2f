import { backoffMs } from '../../backoff.js';
import { RelayError } from '../../errors/relay-error.js';
import type { HostEnvironment } from '../inherited-environment.js';
import type { Launch, TurnEnd } from '../port.js';
import type { Clock } from './clock.js';
import { judge } from './judge.js';
import { correctedLaunch, freshLaunch } from './next-launch.js';
import type { Places } from './places.js';
import type { ProcessPort } from './processes.js';
import { nextTurnLog, visitLogs, type TurnLog } from './turn-log.js';
import { runTurn } from './turn-process.js';
import type { HeadlessEvent, HeadlessState, HeadlessVisit, LastEvent } from './visit.js';

/** What all visits of a server share. */
export interface Workplace {
  readonly home: string;
  readonly hostEnv: HostEnvironment;
  readonly processes: ProcessPort;
  readonly places: Places;
  readonly clock: Clock;
  readonly graceMs: number;
  readonly timeoutMs?: number;
  readonly resultGraceMs?: number;
}

export interface VisitWork {
  readonly visit: HeadlessVisit;
  readonly signal: AbortSignal;
  /** Called whenever it changes. */
  readonly onState: (state: HeadlessState) => void;
}

/** How often an agent is asked again in one visit. */
export const MOST_CORRECTIONS = 5;

/**
 * Brings a visit to a report, turn by turn. Answers with the last event of the visit, `undefined` once it was stopped. Never rejects.
 *
 *  1. A turn is begun only with a place, which is given back before anything else is waited for.
 *  2. Limits of use and a session that is gone do not count as tries; everything else that is no report does.
 *  3. After `signal` was aborted there are no events.
 */
export async function workVisit(workplace: Workplace, { visit, signal, onState }: VisitWork): Promise<LastEvent | undefined> {
  const { clock, places } = workplace;
  const tell = async (event: HeadlessEvent): Promise<void> => {
    if (signal.aborted) return;
    try {
      await visit.onEvent(event);
    } catch {
      // News that later events make old.
    }
  };
  const pause = async (until: number, reason: string, turn: number): Promise<void> => {
    onState('waiting');
    await tell({ type: 'waiting', until, reason, turn });
    await clock.until(until, signal);
  };

  let launch = visit.launch;
  let corrections = 0;
  let failures = 0;
  while (!signal.aborted) {
    onState('queued');
    const ahead = places.full ? places.ahead : undefined;
    // In line before anybody hears of it: who comes meanwhile comes later.
    const place = places.take(signal);
    if (ahead !== undefined) await tell({ type: 'queued', ahead });
    const release = await place;
    if (release === undefined) return undefined;
    onState('running');
    let ended: Turn | undefined;
    try {
      ended = await takeTurn(workplace, visit, launch, signal, tell);
    } catch (error) {
      return { type: 'failed', error: asError(error) };
    } finally {
      release();
    }
    if (ended === undefined) return undefined;
    const { end, log } = ended;
    const sessionId = end.sessionId ?? launch.sessionId;

    const judged = judge(end, visit.routes, clock.now());
    const about = { turn: log.turn, logPath: log.outPath };
    if (judged.is === 'report') {
      const reportId = [visit.visitId, log.turn, ...(sessionId === undefined ? [] : [sessionId])].join(':');
      return { type: 'report', reportId, report: judged.report, text: judged.text, ...about, ...(sessionId === undefined ? {} : { sessionId }) };
    }
    if (judged.is === 'limited') {
      await pause(judged.until, judged.reason, log.turn);
      // What it was asked is in its session, if the turn came so far; asked once more, it goes on in any case.
      launch = sessionId === undefined ? launch : { ...launch, sessionId };
      continue;
    }
    if (judged.is === 'session lost' && launch.sessionId !== undefined) {
      launch = freshLaunch(visit.launch, visit.freshPrompt ?? visit.launch.prompt);
      continue;
    }
    const problems = judged.is === 'invalid' ? judged.problems : [judged.is === 'failed' ? judged.problem : judged.reason];
    if (corrections === MOST_CORRECTIONS) return { type: 'exhausted', problems, ...about };
    corrections += 1;
    await tell({ type: 'invalid', problems, ...about });
    failures = judged.is === 'invalid' ? 0 : failures + 1;
    if (failures > 0) await pause(clock.now() + backoffMs(failures), problems.join(' '), log.turn);
    launch = correctedLaunch(visit.launch, { problems, contract: visit.contract, sessionId });
  }
  return undefined;
}

interface Turn {
  readonly end: TurnEnd;
  readonly log: TurnLog;
}

async function takeTurn(workplace: Workplace, visit: HeadlessVisit, launch: Launch, signal: AbortSignal, tell: (event: HeadlessEvent) => Promise<void>): Promise<Turn | undefined> {
  const { runId, visitId, harness } = visit;
  const log = await nextTurnLog(visitLogs(workplace.home, visit));
  let told: Promise<void> = Promise.resolve();
  const end = await runTurn({
    ...workplace, runId, visitId, harness, launch, log, signal,
    onSpawn: (identity) => {
      visit.onProcess?.({ runId, visitId, turn: log.turn, identity });
      told = tell({ type: 'started', turn: log.turn, logPath: log.outPath });
    },
    onSession: (sessionId) => {
      told = told.then(() => tell({ type: 'session', sessionId }));
    },
  });
  await told;
  return end === undefined ? undefined : { end, log };
}

function asError(error: unknown): Error {
  if (error instanceof Error) return error;
  return new RelayError('internal_error', 'A turn of an agent failed in a way that nobody foresaw.', { evidence: { thrown: typeof error } });
}
