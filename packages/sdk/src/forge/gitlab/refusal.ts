import { FlowsError } from '../../errors/flows-error.js';
import { member, type Answer } from '../http/exchange.js';
import type { GitLabToken } from './tokens.js';

export interface RefusalFacts {
  readonly name: string;
  /** `group/project`. */
  readonly project: string;
  readonly token: GitLabToken;
  readonly redact: (text: string) => string;
}

/** What GitLab means by an answer that is no success. */
export function gitLabRefusal({ status, headers, body }: Answer, { name, project, token, redact }: RefusalFacts): FlowsError {
  const said = redact(sayingOf(body));
  const evidence = { status, ...(said === '' ? {} : { message: said }), ...(headers['x-request-id'] === undefined ? {} : { requestId: headers['x-request-id'] }) };
  const because = said === '' ? ` (status ${status})` : `: ${said.replace(/\.$/, '')}`;
  // GitLab lets the token of a job do little, and says about the rest that it is unauthorized, forbidden or does not exist.
  if (token.kind === 'job' && [401, 403, 404].includes(status)) {
    return new FlowsError('forge_unauthenticated', `${name} refuses the token of the CI job${because}.`, { hint: 'The token of a job may not open merge requests. Put an access token with the scope api into GITLAB_TOKEN.', evidence });
  }
  if (status === 401) return new FlowsError('forge_unauthenticated', `${name} refuses the token from ${token.from}${because}.`, { hint: `Put a token that is valid into ${token.from}.`, evidence });
  if (status === 404) {
    return new FlowsError('forge_refused', `${name} has no project ${project}, or does not show it to the owner of the token from ${token.from}${because}.`, { hint: 'Check the remote origin, and that the token may read the project and write merge requests.', evidence });
  }
  if (status >= 300 && status < 400) {
    return new FlowsError('forge_refused', `${name} has the project ${project} in another place: ${redact(headers['location'] ?? 'it does not say where')}.`, { hint: 'Name the new address: `git remote set-url origin <url>`.', evidence });
  }
  const hint = status === 403 ? 'Give the token the scope api, and its owner the role of a developer in the project.' : 'Do what its message asks for, and repeat it.';
  return new FlowsError('forge_refused', `${name} refuses${because}.`, { hint, evidence });
}

/** All that GitLab says, in one line: a text, a list, or an object that gives a list for each member. */
export function sayingOf(body: unknown): string {
  if (typeof body === 'string') return /<\w/.test(body) ? '' : body.replaceAll(/\s+/g, ' ').trim().slice(0, 300);
  const parts = [member(body, 'message'), member(body, 'error_description') ?? member(body, 'error')].flatMap((part) => saidBy(part));
  return parts.join(': ').replaceAll(/\s+/g, ' ').trim();
}

function saidBy(value: unknown): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (Array.isArray(value)) return value.flatMap(saidBy);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, said]) => saidBy(said).map((text) => (key === 'base' ? text : `${key} ${text}`)));
}
