import { countOf, listOf, recordOf, textOf, type JsonRecord } from '../../driver/record.js';
import type { CliResult, FailureKind } from '../../driver/turn-record.js';
import type { AgentTurn } from '../../port.js';

/**
 * What `error` of the last message and `api_error` of the result call a reason that neither the status nor the text tells. Only where they are right: a model
 * that an account may not use is called `authentication_failed`, and a lost connection `server_error`.
 */
const ERRORS: Readonly<Record<string, FailureKind>> = { billing_error: 'usage_limited', model_not_found: 'model_unknown' };
const API_ERRORS: Readonly<Record<string, FailureKind>> = { connection_failed: 'lost', org_disabled_credential: 'unauthenticated', usage_limit_reached: 'usage_limited' };

export interface Known {
  readonly error: string | undefined;
  readonly resetsAt: number | undefined;
  /** Whether a model has answered in this turn. */
  readonly wasAsked: boolean;
  /** The whole message that ends with a text. */
  readonly whole: (text: string) => string;
}

/** How a turn ended. `is_error` decides: `subtype` says `success` for a refused request too, and the exit status may be 0. Pure. */
export function resultOf(record: JsonRecord, known: Known): CliResult {
  const text = textOf(record['result']) ?? listOf(record['errors']).map((error) => textOf(error) ?? '').join('; ');
  if (record['is_error'] !== true && record['subtype'] === 'success') {
    if (known.wasAsked || record['num_turns'] !== 0) return { ok: true, message: known.whole(text) };
    // A hook of the user's settings refused the task, or it was taken for a command: a success in which nothing was done.
    return { ok: false, kind: 'other', text: `Its model was not asked. ${text}` };
  }
  const status = countOf(record['api_error_status']);
  const kind = API_ERRORS[textOf(record['api_error']) ?? ''] ?? ERRORS[known.error ?? ''];
  return {
    ok: false,
    text: text === '' ? (textOf(record['subtype']) ?? '') : text,
    ...(status === undefined ? {} : { status }),
    ...(kind === undefined ? {} : { kind }),
    ...(known.resetsAt === undefined ? {} : { resetsAt: known.resetsAt }),
  };
}

/** How many denials a warning names. */
const NAMED = 5;

/** The tools that the agent was not let use, as a warning. Pure. */
export function deniedTools(record: JsonRecord, summaryOf: (input: JsonRecord) => string): AgentTurn['warnings'] {
  const denials = listOf(record['permission_denials']).map((denial) => {
    const { tool_name: name, tool_input: input } = recordOf(denial);
    return `${textOf(name) ?? 'a tool'} (${summaryOf(recordOf(input))})`;
  });
  if (denials.length === 0) return [];
  const distinct = [...new Set(denials)];
  const more = distinct.length > NAMED ? ` and ${distinct.length - NAMED} more` : '';
  return [{ code: 'tools_denied', text: `claude was not let use ${distinct.slice(0, NAMED).join(', ')}${more}. Rules of its settings deny it.` }];
}
