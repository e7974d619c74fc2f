import { parseRecord, recordOf, textOf } from '../../driver/record.js';
import type { CliFailure, FailureKind } from '../../driver/turn-record.js';

/*
 * What Codex says when a turn fails: one text, whose form depends on where it comes from. Observed with 0.171.0:
 *
 *   unexpected status 401 Unauthorized: Invalid API key., url: https://…/v1/responses     most statuses, with the message of the provider
 *   exceeded retry limit, last status: 429 Too Many Requests                              429 after its own retries
 *   {"error":{"message":"…","code":"…"}}   {"detail":"…"}                                 the body of a 400, as it came
 *   You’ve hit your usage limit. … try again at Dec 3rd, 2026 7:54 PM.                    the limit of a plan
 *   Quota exceeded. Check your plan and billing details.                                  insufficient_quota
 *   We’re currently experiencing high demand, which may cause temporary errors.           500
 *   Selected model is at capacity. Please try a different model.                          an overloaded server
 *   stream disconnected before completion: …   Connection failed: …                       the network
 *   Missing environment variable: `NAME`.                                                 the key of a provider of config.toml
 *   To use Codex with your ChatGPT plan, upgrade to Plus: …                               an account without Codex
 */

const KINDS: readonly (readonly [FailureKind, RegExp])[] = [
  ['model_unavailable', /model is not supported when using Codex/i],
  ['unauthenticated', /^Missing environment variable|could not be refreshed|(?:log|sign) ?in again|To use Codex with your ChatGPT plan/i],
  ['outage', /experiencing high demand|model is at capacity/i],
  ['lost', /^Connection failed|^(?:request )?timed? ?out/i],
];

const CODES: Readonly<Record<string, FailureKind>> = { model_not_found: 'model_unknown', model_not_supported: 'model_unavailable' };

/** Why a turn failed. Pure. */
export function codexFailure(said: string): CliFailure {
  const body = parseRecord(said.trim());
  const error = recordOf(body?.['error']);
  const text = textOf(error['message']) ?? textOf(body?.['detail']) ?? said;
  const stated = /\b(?:unexpected|last) status:? (\d{3})\b/.exec(text)?.[1];
  const status = stated === undefined ? (body === undefined ? undefined : 400) : Number(stated);
  const kind = CODES[textOf(error['code']) ?? ''] ?? KINDS.find(([, words]) => words.test(text))?.[0];
  return { text, ...(status === undefined ? {} : { status }), ...(kind === undefined ? {} : { kind }) };
}
