import { FlowsError } from '../../errors/flows-error.js';
import { items, member, textOf, type Answer } from '../http/exchange.js';

export interface RefusalFacts {
  readonly name: string;
  /** `owner/name`. */
  readonly repository: string;
  /** What the token comes from: `GH_TOKEN`. */
  readonly tokenFrom: string;
  readonly redact: (text: string) => string;
}

/** What GitHub means by an answer that is no success. */
export function gitHubRefusal({ status, headers, body }: Answer, { name, repository, tokenFrom, redact }: RefusalFacts): FlowsError {
  const said = redact(sayingOf(body));
  const evidence = { status, ...(said === '' ? {} : { message: said }), ...(headers['x-github-request-id'] === undefined ? {} : { requestId: headers['x-github-request-id'] }) };
  const because = said === '' ? ` (status ${status})` : `: ${said.replace(/\.$/, '')}`;
  if (status === 401) {
    return new FlowsError('forge_unauthenticated', `${name} refuses the credentials from ${tokenFrom}${because}.`, { hint: tokenFrom.startsWith('gh') ? 'Sign in again: `gh auth login`.' : `Put a token that is valid into ${tokenFrom}.`, evidence });
  }
  if (status === 404) {
    return new FlowsError('forge_refused', `${name} has no repository ${repository}, or does not show it to the owner of the token from ${tokenFrom}${because}.`, { hint: 'Check the remote origin, and that the token may read the repository and write pull requests.', evidence });
  }
  return new FlowsError('forge_refused', `${name} refuses${because}.`, { hint: hintFor(status, said, headers), evidence });
}

/** All that GitHub says, in one line. Details stand in `errors`, and the message above them is often just `Validation Failed`. */
export function sayingOf(body: unknown): string {
  if (typeof body === 'string') return /<\w/.test(body) ? '' : oneLine(body).slice(0, 300);
  const details = items(member(body, 'errors')).map((error) => {
    if (typeof error === 'string') return error;
    const message = textOf(member(error, 'message'));
    return message !== '' ? message : [member(error, 'resource'), member(error, 'field'), member(error, 'code')].filter((part) => typeof part === 'string').join(' ');
  });
  const message = textOf(member(body, 'message'));
  return oneLine([message, ...details].filter((part) => part !== '').join(': '));
}

function hintFor(status: number, said: string, headers: Answer['headers']): string {
  const sso = /url=(\S+)/.exec(headers['x-github-sso'] ?? '')?.[1];
  if (sso !== undefined) return `Authorize the token for the organization: ${sso}`;
  if (/github actions is not permitted/i.test(said)) return 'Allow it in the settings of the repository or its organization, under Actions, or use the token of a user or an app.';
  if (status === 403 || /resource not accessible|must have (push|write)/i.test(said)) return 'Give the token the permissions to write contents and pull requests of this repository.';
  if (/no commits between/i.test(said)) return 'Commit something that the base lacks, and push it first.';
  if (/\bhead\b.*\binvalid\b|head sha can't be blank/i.test(said)) return 'Push the branch first: `git push -u origin HEAD`.';
  if (/\bbase\b.*\binvalid\b/i.test(said)) return 'Name a base that exists in the repository.';
  return 'Do what its message asks for, and repeat it.';
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
