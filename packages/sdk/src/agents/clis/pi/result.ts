import type { ProcessOutcome } from '../../../process/port.js';
import { parseRecord, recordOf, textOf, type JsonRecord } from '../../driver/record.js';
import type { CliFailure, CliResult, FailureKind } from '../../driver/turn-record.js';

/** A message of the model, as far as the verdict needs it. */
export interface Answer {
  readonly text: string;
  readonly stopReason: string | undefined;
  readonly error: string | undefined;
}

/** How a turn ended whose last message this is; `undefined` when it was interrupted, which the end of the process tells more about. Pure. */
export function resultOf({ text, stopReason, error }: Answer): CliResult | undefined {
  if (stopReason === 'aborted') return undefined;
  if (stopReason === 'error') return { ok: false, ...providerError(error ?? '') };
  if (stopReason === 'length') return { ok: false, kind: 'other', text: `its answer was cut off, since the model may write no more at once: …${text.slice(-200)}` };
  return { ok: true, message: text };
}

/** `401 Invalid API key.` (0.73.1), `401: {"message":"Invalid API key.",…}` (1.6.0), `401 {"type":"error","error":{"message":…}}` (Anthropic's). Pure. */
function providerError(error: string): CliFailure {
  const [, code, rest] = /^(\d{3})\b:?\s*(.*)$/s.exec(error) ?? [];
  if (code === undefined || rest === undefined) return { text: error };
  const body: JsonRecord = parseRecord(rest) ?? {};
  return { status: Number(code), text: textOf(body['message']) ?? textOf(recordOf(body['error'])['message']) ?? rest };
}

/**
 * How a turn ended that pi itself did not end, from its last message and its process. Status 0 says nothing: it is the status after a question that
 * found its input closed, and after a full context that 0.73.1 began to shorten. Pure.
 */
export function resultWithoutEnd(answer: Answer | undefined, { exitCode, stderr }: ProcessOutcome): CliResult {
  if (answer?.stopReason === 'error' || (answer?.stopReason === 'stop' && exitCode === 0)) return resultOf(answer) ?? nothing(exitCode);
  const said = complaintOf(stderr.text) ?? answer?.error;
  if (said === undefined) return nothing(exitCode);
  const kind = COMPLAINTS.find(([, words]) => words.test(said))?.[0];
  return { ok: false, text: said, ...(kind === undefined ? {} : { kind }) };
}

function nothing(exitCode: number | undefined): CliResult {
  return { ok: false, kind: 'other', text: `it exited with status ${exitCode ?? 'unknown'} and had not come to an end` };
}

/** What it says on its error output when it does not begin. */
const COMPLAINTS: readonly (readonly [FailureKind, RegExp])[] = [
  ['session_unknown', /^(?:No session found|Session found in different project|Stored session working directory)/],
  ['unauthenticated', /^(?:No API key found|No models available|No model selected|Authentication failed for)/],
  ['model_unknown', /^(?:Model ".*" (?:not found|is ambiguous)|Unknown provider)/],
];

/** The first line that is an error, else the first that is neither a warning nor a pointer to a file of the manual. Pure. */
export function complaintOf(output: string): string | undefined {
  const lines = output.split('\n').map((line) => line.trim()).filter((line) => line !== '' && !/^(?:Warning:|\/)/.test(line));
  return (lines.find((line) => line.startsWith('Error:')) ?? lines[0])?.replace(/^Error: | See:$/g, '');
}
