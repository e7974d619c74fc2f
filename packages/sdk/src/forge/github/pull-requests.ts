import { member, textOf } from '../http/exchange.js';
import type { Change } from '../port.js';

/** A pull request as the interface describes it: what the port tells of it, and what the other interface knows it by. */
export interface PullRequest {
  readonly change: Change;
  readonly nodeId: string;
}

/** The pull request in an answer of the REST interface, if it is an open one that comes from this branch of this very repository, not of a fork. */
export function pullRequestOf(value: unknown, { branch, repositoryId }: { readonly branch: string; readonly repositoryId: number }): PullRequest | undefined {
  const number = member(value, 'number');
  if (typeof number !== 'number' || member(value, 'state') !== 'open') return undefined;
  if (member(value, 'head', 'ref') !== branch || member(value, 'head', 'repo', 'id') !== repositoryId) return undefined;
  return {
    nodeId: textOf(member(value, 'node_id')),
    change: {
      number,
      url: textOf(member(value, 'html_url')),
      branch,
      base: textOf(member(value, 'base', 'ref')),
      title: textOf(member(value, 'title')),
      draft: member(value, 'draft') === true,
    },
  };
}

/** Whether GitHub refuses to open one because it has one: `A pull request already exists for owner:branch.` */
export function existsAlready(saying: string): boolean {
  return /\bpull request already exists\b/i.test(saying);
}

/** Private repositories of some plans have no drafts. */
export function hasNoDrafts(saying: string): boolean {
  return /\bdraft pull requests are not supported\b/i.test(saying);
}
