import type { CliFailure, FailureKind } from './turn-record.js';

/*
 * What providers and CLIs say when they refuse. A status that can mean one thing only decides; the words are for everything else. Each row was seen in
 * the output of a CLI or stands in a provider's documentation; a text that fits none is `other`, and is quoted.
 */

const STATUS: ReadonlyMap<number, FailureKind> = new Map<number, FailureKind>([
  [401, 'unauthenticated'],
  [402, 'usage_limited'],
  [429, 'usage_limited'],
  ...[408, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529].map((status) => [status, 'outage'] as const),
]);

/** A request may be refused for anything, and mention the model on the way: only these say that it is about the model. */
const MODEL_UNKNOWN =
  /model_not_found|model metadata|unknown model|no such model|issue with the selected model|ProviderModelNotFound|^model: \S+$|\bmodels?\/?[ :]?\s*["'`]?\S*["'`]? (?:is |was )?(?:not found|does not exist|not exist)/i;
const MODEL_UNAVAILABLE =
  /\bmodel\b.{0,80}(?:is not (?:supported|available|enabled|allowed)|not (?:permitted|entitled)|requires? (?:a|an|the) )|(?:access|permission) to (?:the |this |that )?model|not (?:allowed|authorized|permitted) to (?:use|access) (?:the |this )?model|does not have access to (?:the |this )?model/i;

const WORDS: readonly (readonly [FailureKind, RegExp])[] = [
  ['usage_limited', /usage limit|hit your (?:[\w'’-]+ ){0,4}limit|(?:5-hour|weekly|session|opus|spend) limit reached|out of (?:extra )?usage|requires usage credits|rate[_ ]limit|too many requests|API Error: 429|credit balance is too low|insufficient_quota|quota (?:exceeded|will reset|exhausted)|exceeded your current quota|RESOURCE_EXHAUSTED/i],
  ['unauthenticated', /not logged in|please run \/login|(?:invalid|incorrect|missing|no) (?:x-)?api[_ ]key|authentication_error|UNAUTHENTICATED|unauthorized|(?:oauth )?token (?:has )?expired|no credentials|please set an auth method|disabled organization|organization has been disabled/i],
  ['model_unknown', MODEL_UNKNOWN],
  ['model_unavailable', MODEL_UNAVAILABLE],
  ['session_unknown', /no conversation found|requires a valid session ID|no such session|no session (?:found|matching|with)|session (?:not found|does not exist)|no rollout found|invalid session identifier/i],
  ['outage', /overloaded|internal server error|bad gateway|service unavailable|gateway time-?out|server had an error/i],
  ['lost', /ECONNRESET|ECONNREFUSED|ECONNABORTED|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_\w+|unable to connect to API|socket hang up|connection (?:dropped|error|closed|refused|reset|lost|terminated)|stream (?:disconnected|closed|ended)|fetch failed|network error|(?:^|[: ])terminated\W*$|other side closed|premature close/im],
];

/** Why a CLI refused. Pure. */
export function failureKind({ kind, status, text }: CliFailure): FailureKind {
  if (kind !== undefined) return kind;
  const certain = status === undefined ? undefined : STATUS.get(status);
  if (certain !== undefined) return certain;
  const said = WORDS.find(([, words]) => words.test(text))?.[0];
  if (status === 403) return said === 'model_unavailable' || said === 'model_unknown' ? 'model_unavailable' : said === 'usage_limited' ? said : 'unauthenticated';
  // An answer came, so no connection was lost, whatever it is about.
  if (status !== undefined && said === 'lost') return 'other';
  return said ?? 'other';
}
