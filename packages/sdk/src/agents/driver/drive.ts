import type { AgentRequest, AgentTurn } from '../port.js';
import { stepEnvironment } from '../../process/environment.js';
import type { SupervisedProcess } from '../../process/port.js';
import { parseRecord } from './record.js';
import type { TurnReader, TurnRecord } from './turn-record.js';
import { verdict } from './verdict.js';
import type { CliWords } from './words.js';

/** How a CLI is called for one turn. */
export interface CliCall {
  readonly args: readonly string[];
  /** Variables in addition to those of the host. */
  readonly env?: Readonly<Record<string, string>>;
  /** Written to its standard input, which is then closed. The task belongs here. */
  readonly input: string;
  /** Called once after its tree is gone, to remove what was made for the call. */
  readonly cleanUp?: () => Promise<void>;
}

export interface Drive {
  readonly request: AgentRequest;
  readonly words: CliWords;
  readonly call: CliCall;
  readonly reader: TurnReader;
}

/** How long a CLI may go on after it gave its result: some wait for background work that never ends. */
const OUTCOME_GRACE_MS = 30_000;
/** Between TERM and KILL. CLIs use it to write their session down. */
const STOP_GRACE_MS = 5_000;
/** What is quoted of each stream. */
const QUOTED_BYTES = 16_384;

/**
 * Lets a CLI that writes one JSON object a line take a turn. What it writes decides how the turn ended; nothing of it runs on afterwards.
 *
 * Lines that are no record are kept as evidence only. The session id and the usage are reported whenever the reader's turn shows a new one.
 */
export async function driveCli({ request, words, call, reader }: Drive): Promise<AgentTurn> {
  const { identity, cwd, onEvent } = request;
  let grace: NodeJS.Timeout | undefined;
  let reported: TurnRecord = {};

  const tell = (): void => {
    const { turn } = reader;
    if (turn.sessionId !== undefined && turn.sessionId !== reported.sessionId) onEvent({ type: 'session', sessionId: turn.sessionId });
    if (turn.usage !== undefined && JSON.stringify(turn.usage) !== JSON.stringify(reported.usage)) onEvent({ type: 'usage', ...turn.usage });
    reported = turn;
  };
  const take = (line: string): void => {
    const record = parseRecord(line);
    if (record === undefined) return;
    const events = reader.read(record);
    tell();
    for (const event of events) onEvent(event);
    clearTimeout(grace);
    if (reader.turn.stop === true) child.stop('outcome_known');
    else if (reader.turn.result !== undefined) grace = setTimeout(() => child.stop('outcome_known'), request.outcomeGraceMs ?? OUTCOME_GRACE_MS);
  };

  reader.watch?.(tell);
  const child: SupervisedProcess = request.supervise({
    file: identity.executable,
    args: call.args,
    cwd,
    env: stepEnvironment({ host: request.hostEnv, secrets: 'inherit', env: call.env, runVariables: request.runEnv }),
    marker: request.marker,
    input: call.input,
    graceMs: STOP_GRACE_MS,
    sweep: 'environment',
    ...(request.timeoutMs === undefined ? {} : { timeoutMs: request.timeoutMs }),
    ...(request.signal === undefined ? {} : { signal: request.signal }),
    ...(request.onSpawn === undefined ? {} : { onSpawn: request.onSpawn }),
    stdout: { redaction: request.redaction(), retainBytes: QUOTED_BYTES, onRawLine: take },
    stderr: { redaction: request.redaction(), retainBytes: QUOTED_BYTES, onText: (text) => onEvent({ type: 'other', name: 'stderr', detail: text }) },
  });
  const process = await child.outcome;
  clearTimeout(grace);
  await call.cleanUp?.();
  await reader.end?.(process);
  tell();

  const { turn } = reader;
  const judged = verdict({ words, executable: identity.executable, args: call.args, cwd, turn, process, redact: (text) => redacted(request, text), now: request.now() });
  return {
    ...judged,
    warnings: [...judged.warnings, ...(turn.warnings ?? [])],
    ...(turn.sessionId === undefined ? {} : { sessionId: turn.sessionId }),
    ...(turn.usage === undefined ? {} : { usage: turn.usage }),
    ...(turn.model === undefined ? {} : { model: turn.model }),
    process,
  };
}

function redacted(request: AgentRequest, text: string): string {
  const redaction = request.redaction();
  return redaction.push(text) + redaction.end();
}
