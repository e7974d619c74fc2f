import { countOf, listOf, recordOf, textOf, type JsonRecord } from '../../driver/record.js';
import { failureKind } from '../../driver/failure-kind.js';
import type { CliResult, FailureKind } from '../../driver/turn-record.js';
import type { AgentTurn } from '../../port.js';

/** What `api_error` of the result and `error` of the last message call a reason. They are always right. */
const NAMED_REASONS: Readonly<Record<string, FailureKind>> = {
  api_key_auth_disabled: 'unauthenticated', invalid_credential_header: 'unauthenticated', named_profile_unusable: 'unauthenticated', oauth_org_not_allowed: 'unauthenticated',
  oauth_refresh_store_refused: 'unauthenticated', org_disabled_credential: 'unauthenticated', provider_credentials: 'unauthenticated', stored_login_refused: 'unauthenticated',
  billing_error: 'usage_limited', long_context_credits_required: 'usage_limited', model_requires_usage_credits: 'usage_limited', usage_limit_reached: 'usage_limited',
  connection_failed: 'lost', stream_idle_timeout: 'lost',
  model_not_found: 'model_unknown',
};

/** Other names, for what neither the status nor the text tells: a model that an account may not use is `authentication_failed` too, a lost connection `server_error`. */
const VAGUE_REASONS: Readonly<Record<string, FailureKind>> = { authentication_failed: 'unauthenticated', rate_limit: 'usage_limited', overloaded: 'outage', server_error: 'outage' };

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
  const stated = countOf(record['api_error_status']);
  const status = stated === undefined ? {} : { status: stated };
  const named = NAMED_REASONS[textOf(record['api_error']) ?? ''] ?? NAMED_REASONS[known.error ?? ''];
  const told = named ?? failureKind({ text, ...status });
  const kind = told === 'other' ? (VAGUE_REASONS[known.error ?? ''] ?? told) : told;
  return {
    ok: false,
    text: text === '' ? (textOf(record['subtype']) ?? '') : text,
    ...status,
    kind,
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
