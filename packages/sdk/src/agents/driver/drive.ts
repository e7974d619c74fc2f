import type { AgentRequest, AgentTurn } from '../port.js';
import { stepEnvironment } from '../../process/environment.js';
import type { StopReason, SupervisedProcess } from '../../process/port.js';
import { Quotes } from './quotes.js';
import { parseRecord } from './record.js';
import type { CliResult, TurnReader, TurnRecord } from './turn-record.js';
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

/** What a turn of a CLI is driven with. */
export interface Drive {
  readonly request: AgentRequest;
  readonly words: CliWords;
  readonly call: CliCall;
  /** Of this turn alone. */
  readonly reader: TurnReader;
}

/** How long a CLI may go on after it gave its result: some wait for background work that never ends. */
const OUTCOME_GRACE_MS = 30_000;
/** Between TERM and KILL. CLIs use it to write their session down. */
const STOP_GRACE_MS = 5_000;
/** What is quoted of standard error. */
const QUOTED_BYTES = 4_096;

/**
 * Lets a CLI that writes one JSON object a line take a turn. What it writes decides how the turn ended; nothing of it runs on afterwards. Never rejects, as
 * long as neither the reader nor `cleanUp` throws.
 *
 *  1. Lines that are no record are kept as evidence only.
 *  2. The session id, the model and the usage are reported whenever the reader's turn shows a new one.
 *  3. A result counts when it was stated before the CLI was told to stop. What it still says then is read for its usage alone: asked to end, one
 *     lets its model close the conversation and calls that a success.
 *  4. After a result the CLI has its grace once, however much it writes meanwhile; a result that is taken back, or another one, begins it anew.
 */
export async function driveCli({ request, words, call, reader }: Drive): Promise<AgentTurn> {
  const { identity, cwd, onEvent } = request;
  const redact = (text: string): string => redacted(request, text);
  const quotes = new Quotes();
  const log = new Quotes();
  let grace: NodeJS.Timeout | undefined;
  let reported: TurnRecord = {};
  let stated: CliResult | undefined;
  let stopping = false;

  const stop = (reason: StopReason): void => {
    stopping = true;
    child.stop(reason);
  };
  const tell = (): void => {
    const { turn } = reader;
    if (turn.sessionId !== undefined && turn.sessionId !== reported.sessionId) onEvent({ type: 'session', sessionId: turn.sessionId });
    // Before the usage, which it gives its price.
    if (turn.model !== undefined && turn.model !== reported.model) onEvent({ type: 'model', model: turn.model });
    if (turn.usage !== undefined && JSON.stringify(turn.usage) !== JSON.stringify(reported.usage)) onEvent({ type: 'usage', ...turn.usage });
    reported = turn;
  };
  const take = (line: string): void => {
    const record = parseRecord(line);
    if (record === undefined || reader.isNoise?.(record) !== true) quotes.add(line, record !== undefined);
    if (record === undefined) return;
    const events = reader.read(record);
    // First: whoever hears of it may stop the turn, and has heard of a result then.
    if (!stopping) judge();
    tell();
    for (const event of events) onEvent(event);
  };
  const takeLog = (line: string): void => {
    const { quoted, events = [] } = reader.readLog?.(line) ?? { quoted: false };
    if (quoted) log.add(line, false);
    if (!stopping) judge();
    tell();
    for (const event of events) onEvent(event);
  };
  const judge = (): void => {
    const { result, stop: atOnce } = reader.turn;
    if (result !== stated) {
      stated = result;
      clearTimeout(grace);
      if (result !== undefined) grace = setTimeout(() => stop('outcome_known'), request.outcomeGraceMs ?? OUTCOME_GRACE_MS);
    }
    if (atOnce === true) stop('outcome_known');
  };
  const aborted = (): void => {
    stopping = true;
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
    ...(request.signal === undefined ? {} : { signal: request.signal }),
    ...(request.onSpawn === undefined ? {} : { onSpawn: request.onSpawn }),
    stdout: { retainBytes: 0, onRawLine: take },
    stderr: reader.readLog === undefined
      ? { redaction: request.redaction(), retainBytes: QUOTED_BYTES, onText: (text) => onEvent({ type: 'other', name: 'stderr', detail: text }) }
      : { retainBytes: 0, onRawLine: takeLog },
  });
  // Its own, not the supervisor's: what is read after it has gone off is known to be late.
  const deadline = request.timeoutMs === undefined ? undefined : setTimeout(() => stop('timeout'), request.timeoutMs);
  request.signal?.addEventListener('abort', aborted, { once: true });
  const ended = await child.outcome;
  const process = reader.readLog === undefined ? ended : { ...ended, stderr: { ...ended.stderr, text: log.all(redact) } };
  clearTimeout(deadline);
  clearTimeout(grace);
  request.signal?.removeEventListener('abort', aborted);
  await call.cleanUp?.();
  const said = reader.turn.result;
  await reader.end?.(process);
  tell();

  const { result: last, ...rest } = reader.turn;
  // Its end may add to a result that counts, the status of a refusal for example.
  const result = process.stopped === undefined || (stated !== undefined && last !== said) ? last : stated;
  const turn: TurnRecord = { ...rest, ...(result === undefined ? {} : { result }) };
  const judged = verdict({
    words, executable: identity.executable, args: call.args, cwd, turn, process, redact, now: request.now(),
    said: { all: quotes.all(redact), plain: quotes.plain(redact) },
  });
  const warnings = (turn.warnings ?? []).map(({ code, text }) => ({ code, text: redact(text) }));
  return {
    ...judged,
    warnings: [...judged.warnings, ...warnings],
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
