import { FlowsError } from '../../errors/flows-error.js';
import type { JsonValue } from '../../ports/json.js';
import { fitBody } from '../body/fit-body.js';
import { NEWEST, sameText } from '../body/same-text.js';
import { items, member, textOf, type Answer, type ForgeRequest } from '../http/exchange.js';
import { Operation, type OperationOptions } from '../http/operation.js';
import { missingChange } from '../missing-change.js';
import type { BranchRequest, Change, Forge, OpenRequest } from '../port.js';
import { existsAlready, hasNoDrafts, pullRequestOf, type PullRequest } from './pull-requests.js';
import { NEWEST_COMMENTS, TO_DRAFT, TO_READY } from './queries.js';
import { sayingOf } from './refusal.js';

export interface GitHubForgeOptions extends Omit<OperationOptions, 'signal'> {
  readonly owner: string;
  readonly repository: string;
}

/** The repository as it is called now; the remote may hold a name that it had before. */
interface Home {
  readonly id: number;
  /** `/repos/owner/name`. */
  readonly path: string;
  readonly owner: string;
  readonly defaultBranch: string;
}

/** Pull requests of GitHub, over any transport of its interfaces. */
export function gitHubForge(options: GitHubForgeOptions): Forge {
  const { name, owner, repository } = options;
  const begin = ({ signal }: BranchRequest): Operation => new Operation({ ...options, signal });

  const home = async (operation: Operation): Promise<Home> => {
    const { body } = await operation.ask({ method: 'GET', path: `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(repository)}` });
    const [ownerNow, nameNow] = [textOf(member(body, 'owner', 'login')) || owner, textOf(member(body, 'name')) || repository];
    return { id: Number(member(body, 'id')), owner: ownerNow, path: `/repos/${encodeURIComponent(ownerNow)}/${encodeURIComponent(nameNow)}`, defaultBranch: textOf(member(body, 'default_branch')) };
  };

  const find = async (operation: Operation, { id, path, owner: ownerNow }: Home, branch: string, base?: string): Promise<PullRequest | undefined> => {
    const { body } = await operation.ask({ method: 'GET', path: `${path}/pulls?state=open&head=${encodeURIComponent(`${ownerNow}:${branch}`)}&per_page=100` });
    const found = items(body).flatMap((value) => pullRequestOf(value, { branch, repositoryId: id }) ?? []);
    // A branch can have one for each base. The newest stands first.
    return found.find(({ change }) => change.base === base) ?? found[0];
  };

  const required = async (operation: Operation, place: Home, branch: string): Promise<PullRequest> => {
    const found = await find(operation, place, branch);
    if (found === undefined) throw missingChange(name, branch);
    return found;
  };

  const graphql = async (operation: Operation, query: string, variables: JsonValue): Promise<unknown> => {
    const answer = await operation.ask({ method: 'POST', path: 'graphql', body: { query, variables } });
    if (items(member(answer.body, 'errors')).length > 0) throw options.refusal({ ...answer, status: 422 });
    return member(answer.body, 'data');
  };

  const setDraft = async (operation: Operation, { change, nodeId }: PullRequest, draft: boolean): Promise<Change> => {
    if (change.draft !== draft) await graphql(operation, draft ? TO_DRAFT : TO_READY, { id: nodeId });
    return { ...change, draft };
  };

  const changeDraft = async (request: BranchRequest, draft: boolean): Promise<Change> => {
    const operation = begin(request);
    return await setDraft(operation, await required(operation, await home(operation), request.branch), draft);
  };

  const update = async (operation: Operation, place: Home, found: PullRequest, { title, body, base, draft = false }: OpenRequest): Promise<Change> => {
    const { change: { number, branch }, nodeId } = found;
    const answer = await operation.ask({ method: 'PATCH', path: `${place.path}/pulls/${number}`, body: { title, body: fitBody(body), ...(base === undefined ? {} : { base }) } });
    const updated = pullRequestOf(answer.body, { branch, repositoryId: place.id }) ?? { nodeId, change: { ...found.change, title } };
    try {
      return await setDraft(operation, updated, draft);
    } catch (error) {
      if (draft && error instanceof FlowsError && hasNoDrafts(error.text)) return updated.change;
      throw error;
    }
  };

  return {
    name,

    async find(request) {
      const operation = begin(request);
      return (await find(operation, await home(operation), request.branch))?.change;
    },

    async open(request) {
      const { branch, title, base } = request;
      const operation = begin(request);
      const place = await home(operation);
      let draft = request.draft ?? false;
      const creation = (): ForgeRequest => ({ method: 'POST', path: `${place.path}/pulls`, body: { title, body: fitBody(request.body), head: branch, base: base ?? place.defaultBranch, draft } });
      let sent = false;
      return await operation.once(
        async () => {
          const found = await find(operation, place, branch, base);
          // What this very call opened, and did not hear of, needs no change.
          return found === undefined ? undefined : { ...(await update(operation, place, found, { ...request, draft })), created: sent };
        },
        async () => {
          let answer = await operation.tell(creation(), [422]);
          if (answer?.status === 422 && draft && hasNoDrafts(sayingOf(answer.body))) {
            draft = false;
            answer = await operation.tell(creation(), [422]);
          }
          sent ||= answer === undefined;
          return answer === undefined ? undefined : opened(answer, branch, place, operation);
        },
      );
    },

    draft: async (request) => await changeDraft(request, true),
    ready: async (request) => await changeDraft(request, false),

    async comment(request) {
      const operation = begin(request);
      const place = await home(operation);
      const { change: { number }, nodeId } = await required(operation, place, request.branch);
      const body = fitBody(request.body);
      await operation.once(
        async () => {
          const data = await graphql(operation, NEWEST_COMMENTS, { id: nodeId, last: NEWEST });
          const newest = items(member(data, 'node', 'comments', 'nodes'));
          return newest.some((comment) => sameText(textOf(member(comment, 'body')), body)) ? true : undefined;
        },
        async () => (await operation.tell({ method: 'POST', path: `${place.path}/issues/${number}/comments`, body: { body } })) && true,
      );
    },

    async requestReview(request) {
      const operation = begin(request);
      const place = await home(operation);
      const { change: { number } } = await required(operation, place, request.branch);
      const [first = '', team] = request.reviewer.replace(/^@/, '').split('/');
      const reviewers = team === undefined ? { reviewers: [first] } : { team_reviewers: [team] };
      await operation.ask({ method: 'POST', path: `${place.path}/pulls/${number}/requested_reviewers`, body: reviewers });
    },
  };

  function opened(answer: Answer, branch: string, place: Home, operation: Operation) {
    const change = answer.status === 201 ? pullRequestOf(answer.body, { branch, repositoryId: place.id })?.change : undefined;
    if (change !== undefined) return { ...change, created: true };
    // Somebody else was faster: the next look finds it.
    if (existsAlready(sayingOf(answer.body)) || answer.status === 201) return operation.unclear(answer);
    throw options.refusal(answer);
  }
}
