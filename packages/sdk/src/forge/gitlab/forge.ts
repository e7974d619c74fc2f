import { FlowsError } from '../../errors/flows-error.js';
import { fitBody } from '../body/fit-body.js';
import { NEWEST, sameText } from '../body/same-text.js';
import { items, member, textOf, type Answer } from '../http/exchange.js';
import { Operation, type OperationOptions } from '../http/operation.js';
import { missingChange } from '../missing-change.js';
import type { BranchRequest, Change, Forge, OpenRequest } from '../port.js';
import { sayingOf } from './refusal.js';
import { draftTitle, withoutDraftMark, withoutQuickActions } from './texts.js';

export interface GitLabForgeOptions extends Omit<OperationOptions, 'signal'> {
  /** `group/subgroup/project`. */
  readonly project: string;
}

interface MergeRequest {
  readonly change: Change;
  /** The ids of those who are asked to review it. */
  readonly reviewers: readonly number[];
}

/** Merge requests of GitLab. */
export function gitLabForge(options: GitLabForgeOptions): Forge {
  const { name, project } = options;
  const root = `/projects/${encodeURIComponent(project)}`;
  const begin = ({ signal }: BranchRequest): Operation => new Operation({ ...options, signal });

  const find = async (operation: Operation, branch: string, base?: string): Promise<MergeRequest | undefined> => {
    const { body } = await operation.ask({ method: 'GET', path: `${root}/merge_requests?state=opened&source_branch=${encodeURIComponent(branch)}&order_by=created_at&sort=desc&per_page=100` });
    const found = items(body).flatMap((value) => mergeRequestOf(value, branch) ?? []);
    return found.find(({ change }) => change.base === base) ?? found[0];
  };

  const required = async (operation: Operation, branch: string): Promise<MergeRequest> => {
    const found = await find(operation, branch);
    if (found === undefined) throw missingChange(name, branch);
    return found;
  };

  const edit = async (operation: Operation, { change }: MergeRequest, members: Readonly<Record<string, string | readonly number[]>>): Promise<Change> => {
    const { body } = await operation.ask({ method: 'PUT', path: `${root}/merge_requests/${change.number}`, body: { ...members } });
    return mergeRequestOf(body, change.branch)?.change ?? change;
  };

  const changeDraft = async (request: BranchRequest, draft: boolean): Promise<Change> => {
    const operation = begin(request);
    const found = await required(operation, request.branch);
    return found.change.draft === draft ? found.change : await edit(operation, found, { title: draftTitle(found.change.title, draft) });
  };

  const opened = (answer: Answer, branch: string, operation: Operation) => {
    const change = answer.status === 201 ? mergeRequestOf(answer.body, branch)?.change : undefined;
    if (change !== undefined) return { ...change, created: true };
    // Somebody else was faster: the next look finds it.
    if (answer.status === 409) return operation.unclear(answer);
    throw options.refusal(answer);
  };

  return {
    name,
    find: async (request) => (await find(begin(request), request.branch))?.change,

    async open(request: OpenRequest) {
      const { branch, base, draft = false } = request;
      const operation = begin(request);
      const title = draftTitle(request.title, draft);
      const description = fitBody(withoutQuickActions(request.body));
      let target = base;
      let sent = false;
      return await operation.once(
        async () => {
          const found = await find(operation, branch, base);
          return found && { ...(await edit(operation, found, { title, description, ...(base === undefined ? {} : { target_branch: base }) })), created: sent };
        },
        async () => {
          target ??= textOf(member((await operation.ask({ method: 'GET', path: root })).body, 'default_branch'));
          const answer = await operation.tell({ method: 'POST', path: `${root}/merge_requests`, body: { source_branch: branch, target_branch: target, title, description } }, [409]);
          sent ||= answer === undefined;
          return answer && opened(answer, branch, operation);
        },
      );
    },

    draft: async (request) => await changeDraft(request, true),
    ready: async (request) => await changeDraft(request, false),

    async comment(request) {
      const operation = begin(request);
      const { change: { number } } = await required(operation, request.branch);
      const notes = `${root}/merge_requests/${number}/notes`;
      const body = fitBody(withoutQuickActions(request.body));
      await operation.once(
        async () => {
          const { body: newest } = await operation.ask({ method: 'GET', path: `${notes}?order_by=created_at&sort=desc&per_page=${NEWEST}` });
          return items(newest).some((note) => sameText(textOf(member(note, 'body')), body)) ? true : undefined;
        },
        async () => (await operation.tell({ method: 'POST', path: notes, body: { body } })) && true,
      );
    },

    async requestReview(request) {
      const operation = begin(request);
      const found = await required(operation, request.branch);
      const user = request.reviewer.replace(/^@/, '');
      const { body } = await operation.ask({ method: 'GET', path: `/users?username=${encodeURIComponent(user)}` });
      const id = member(body, 0, 'id');
      if (typeof id !== 'number') throw new FlowsError('forge_refused', `${name} knows no user ${user}.`, { hint: 'Name a user by the name that stands behind the @.', evidence: { reviewer: user } });
      if (found.reviewers.includes(id)) return;
      const answer = await operation.ask({ method: 'PUT', path: `${root}/merge_requests/${found.change.number}`, body: { reviewer_ids: [...found.reviewers, id] } });
      // Whoever may not see the project is left out without a word.
      if (reviewersOf(answer.body).includes(id)) return;
      throw new FlowsError('forge_refused', `${name} did not take ${user} as a reviewer.`, { hint: 'Name a member of the project.', evidence: { reviewer: user, message: sayingOf(answer.body) } });
    },
  };
}

/** The merge request in an answer, if it is an open one that comes from this branch of the very project. */
function mergeRequestOf(value: unknown, branch: string): MergeRequest | undefined {
  const number = member(value, 'iid');
  if (typeof number !== 'number' || member(value, 'state') !== 'opened' || member(value, 'source_branch') !== branch) return undefined;
  if (member(value, 'source_project_id') !== member(value, 'target_project_id')) return undefined;
  const title = textOf(member(value, 'title'));
  return {
    reviewers: reviewersOf(value),
    change: {
      number,
      url: textOf(member(value, 'web_url')),
      branch,
      base: textOf(member(value, 'target_branch')),
      title: withoutDraftMark(title),
      draft: (member(value, 'draft') ?? member(value, 'work_in_progress')) === true,
    },
  };
}

function reviewersOf(value: unknown): readonly number[] {
  return items(member(value, 'reviewers')).flatMap((reviewer) => {
    const id = member(reviewer, 'id');
    return typeof id === 'number' ? [id] : [];
  });
}
