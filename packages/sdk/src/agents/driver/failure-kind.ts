import type { CliFailure, FailureKind } from './turn-record.js';

/*
 * What providers and CLIs say when they refuse. The status decides where there is one; the words are for everything else. Each row was seen in the
 * output of a CLI or stands in a provider's documentation; a text that fits none is `other`, and is quoted.
 */

const OUTAGE_STATUS = new Set([408, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529]);

const MODEL = /\bmodels?\b/i;
const NOT_ALLOWED = /not (?:have )?(?:access|allowed|available|enabled|permitted|supported)|no access|does not support|requires? (?:a|an) /i;

const WORDS: readonly (readonly [FailureKind, RegExp])[] = [
  ['usage_limited', /usage limit|hit your limit|(?:5-hour|weekly|session) limit reached|rate[_ ]limit|too many requests|API Error: 429|credit balance is too low|insufficient_quota|quota (?:exceeded|will reset|exhausted)|exceeded your current quota|RESOURCE_EXHAUSTED/i],
  ['unauthenticated', /not logged in|please run \/login|(?:invalid|incorrect|missing|no) (?:x-)?api[_ ]key|authentication_error|UNAUTHENTICATED|unauthorized|oauth token (?:has )?expired|token (?:has )?expired|no credentials|please set an auth method/i],
  ['model_unknown', /model_not_found|model (?:metadata|not found|is not found)|unknown model|no such model|model "?[^ "]+"? (?:does not exist|was not found)|issue with the selected model|ProviderModelNotFound/i],
  ['session_unknown', /no conversation found|no (?:such )?session|session (?:not found|does not exist)|no rollout found|invalid session identifier/i],
  ['outage', /overloaded|internal server error|bad gateway|service unavailable|gateway time-?out|server had an error/i],
  ['lost', /ECONNRESET|ECONNREFUSED|ECONNABORTED|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|socket hang up|connection (?:dropped|error|closed|refused|reset|lost|terminated)|stream (?:disconnected|closed|ended)|fetch failed|network error|terminated|other side closed|premature close/i],
];

/** Why a CLI refused. Pure. */
export function failureKind(failure: CliFailure): FailureKind {
  if (failure.kind !== undefined) return failure.kind;
  const { status, text } = failure;
  if (status === 429) return 'usage_limited';
  if (status === 402) return 'usage_limited';
  if (status === 401) return 'unauthenticated';
  if (status === 403) return MODEL.test(text) ? 'model_unavailable' : 'unauthenticated';
  if ((status === 400 || status === 404) && MODEL.test(text)) return NOT_ALLOWED.test(text) ? 'model_unavailable' : 'model_unknown';
  if (status !== undefined && OUTAGE_STATUS.has(status)) return 'outage';
  return WORDS.find(([, words]) => words.test(text))?.[0] ?? 'other';
}
