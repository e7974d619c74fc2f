import { expect, test } from 'vitest';
import { failureKind } from '../../../src/agents/driver/failure-kind.js';
import type { FailureKind } from '../../../src/agents/driver/turn-record.js';

/*
 * What CLIs write, in their output or their sources (claude 2.1.40, 2.1.197 and 2.1.332; codex 0.171.0; opencode 1.18.33; pi 0.73.1; gemini 0.61.0), and what providers document:
 * Anthropic, "API errors" (docs.claude.com/en/api/errors); OpenAI, "Error codes" (platform.openai.com/docs/guides/error-codes); Google, "Gemini API
 * troubleshooting" (ai.google.dev/gemini-api/docs/troubleshooting).
 */
const ROWS: readonly (readonly [FailureKind, number | undefined, string])[] = [
  // claude
  ['usage_limited', 429, 'API Error: Request rejected (429) · Slow down.'],
  ['usage_limited', undefined, 'API Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"Slow down."}}'],
  ['usage_limited', 429, "You've hit your 5-hour limit · resets 1pm (UTC)"],
  ['usage_limited', undefined, "You've hit your session limit · resets 1pm (UTC)"],
  ['usage_limited', undefined, "You've hit your limit · resets 3pm (Europe/Berlin)"],
  ['usage_limited', undefined, 'Claude AI usage limit reached|1749924000'],
  ['usage_limited', undefined, '5-hour limit reached ∙ resets 3pm'],
  ['usage_limited', undefined, 'Weekly limit reached ∙ resets Dec 4 at 9am'],
  ['usage_limited', undefined, "You've hit your monthly spend limit"],
  ['usage_limited', undefined, 'Your organization is out of usage credits.'],
  ['usage_limited', 400, 'Credit balance is too low'],
  ['unauthenticated', 401, 'Invalid API key · Fix external API key'],
  ['unauthenticated', undefined, 'Not logged in · Please run /login'],
  ['unauthenticated', undefined, 'Invalid API key · Please run /login'],
  ['unauthenticated', undefined, 'Login expired · Please run /login'],
  ['unauthenticated', undefined, 'OAuth token revoked · Please run /login'],
  ['unauthenticated', 400, 'Your ANTHROPIC_API_KEY belongs to a disabled organization · Update or unset the environment variable'],
  ['unauthenticated', undefined, 'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"This organization has been disabled."}}'],
  ['model_unavailable', 403, 'Failed to authenticate. API Error: 403 Your account does not have access to this model.'],
  ['model_unavailable', undefined, 'Failed to authenticate. API Error: 403 {"type":"error","error":{"type":"permission_error","message":"Your account does not have access to this model."}}'],
  ['model_unknown', 404, "There's an issue with the selected model (nope-1). It may not exist or you may not have access to it. Run --model to pick a different model."],
  ['outage', 500, 'API Error: 500 Internal server error. This is a server-side issue, usually temporary — try again in a moment.'],
  ['outage', 529, 'API Error: 529 Overloaded.'],
  ['outage', undefined, 'API Error: 500 {"type":"error","error":{"type":"api_error","message":"Internal server error"}}'],
  ['outage', undefined, 'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'],
  ['lost', undefined, 'API Error: Connection dropped (ECONNRESET). Check the gateway set in ANTHROPIC_BASE_URL, then try again.'],
  ['lost', undefined, 'API Error: Unable to connect to API (ECONNRESET)'],
  ['lost', undefined, 'API Error: Unable to connect to API (UND_ERR_SOCKET)'],
  ['session_unknown', undefined, 'No conversation found with session ID: 602a11d8-23e9-4c4b-b482-ce68eb31ccc4'],
  ['session_unknown', undefined, 'Error: --resume requires a valid session ID or session title when used with --print. Usage: claude -p --resume <session-id|title>.'],
  ['other', 400, 'Prompt is too long'],
  ['other', 413, 'Request too large (max 32MB).'],
  ['other', undefined, "API Error: Claude's response exceeded the 128000 output token maximum. To configure this behavior, set the CLAUDE_CODE_MAX_OUTPUT_TOKENS environment variable."],
  ['other', undefined, 'Error: Session ID d705c384-566a-4827-a749-166964b7bbb8 is already in use.'],
  // codex
  ['unauthenticated', undefined, 'unexpected status 401 Unauthorized: Invalid API key.'],
  ['usage_limited', undefined, 'exceeded retry limit, last status: 429 Too Many Requests'],
  ['usage_limited', undefined, "You've hit your usage limit. Try again in 3 days 4 hours 5 minutes."],
  ['model_unavailable', 400, "The 'gpt-x' model is not supported when using Codex with a ChatGPT account."],
  ['lost', undefined, 'stream disconnected before completion: error sending request'],
  ['session_unknown', undefined, 'no rollout found for conversation id 602a11d8-23e9-4c4b-b482-ce68eb31ccc4'],
  // opencode
  ['model_unknown', undefined, 'ProviderModelNotFoundError'],
  ['model_unknown', undefined, 'Model not found: stub/nope.'],
  ['session_unknown', undefined, 'Session not found: ses_nope'],
  // pi
  ['session_unknown', undefined, "No session found matching 'nope'"],
  // gemini
  ['unauthenticated', undefined, 'Please set an Auth method in your /home/dev/.gemini/settings.json or specify one of the following environment variables before running: GEMINI_API_KEY'],
  ['usage_limited', undefined, 'You exceeded your current quota, please check your plan and billing details.'],
  ['usage_limited', undefined, 'Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 20'],
  ['usage_limited', 429, 'RESOURCE_EXHAUSTED'],
  ['model_unknown', 404, 'models/gemini-x is not found for API version v1beta, or is not supported for generateContent.'],
  ['lost', undefined, '[API Error: terminated]'],
  ['session_unknown', undefined, 'Invalid session identifier "nope".'],
  // Anthropic's documentation
  ['usage_limited', 429, 'rate_limit_error: Your account has hit a rate limit.'],
  ['usage_limited', 402, 'billing_error: There is an issue with your billing or payment information.'],
  ['unauthenticated', 403, 'permission_error: Your API key does not have permission to use the specified resource.'],
  ['model_unknown', 404, 'model: claude-nope'],
  ['outage', 504, 'timeout_error: The request timed out while processing.'],
  // OpenAI's
  ['usage_limited', undefined, 'insufficient_quota'],
  ['model_unknown', 404, 'The model `gpt-x` does not exist or you do not have access to it.'],
  ['outage', 503, 'The engine is currently overloaded, please try again later'],
  ['outage', undefined, 'The server had an error while processing your request'],
  // The system's
  ['lost', undefined, 'connect ECONNREFUSED 127.0.0.1:443'],
  ['lost', undefined, 'getaddrinfo ENOTFOUND api.anthropic.com'],
  ['lost', undefined, 'TypeError: terminated'],
  ['lost', undefined, 'SocketError: other side closed'],
];

test.each(ROWS)('%s: %s %s', (kind, status, text) => {
  expect(failureKind({ text, ...(status === undefined ? {} : { status }) })).toBe(kind);
});

test.each([
  ['a request that is wrong and mentions the model', 400, 'API Error: 400 messages.1.content: a text that mentions the model is invalid'],
  ['a limit of a parameter', 400, 'max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for claude-x'],
  ['a path that is not found below another word', 404, 'no such path: /v1/model-x'],
  ['a word in the middle of a sentence', undefined, 'the job was terminated by hand yesterday'],
  ['an answer that speaks of a connection', 400, 'tool connection refused by policy'],
  ['nothing', undefined, ''],
])('%s is no reason', (_what, status, text) => {
  expect(failureKind({ text, ...(status === undefined ? {} : { status }) })).toBe('other');
});

test('a reason that the CLI names itself wins over status and text', () => {
  expect(failureKind({ kind: 'lost', status: 429, text: 'rate limit' })).toBe('lost');
});
