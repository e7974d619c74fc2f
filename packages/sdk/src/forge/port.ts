/**
 * The forge port: where the change requests of one repository (pull requests, merge requests) are opened and kept.
 *
 * Every call names a branch of the repository, and acts on *its change*: the open one whose commits come from that branch of the same repository. Changes
 * of forks, and those that were merged or closed, are none of it. A forge keeps no state between calls, and every call may be repeated: one that was
 * carried out before its answer was lost is found the next time, not carried out twice. Every implementation passes `forgeConformance`.
 *
 * Each call rejects with a `FlowsError`: `forge_unauthenticated` (no credentials, or the forge refuses them), `forge_refused` (the forge says no; the text
 * holds its own words), `forge_limited` (it takes no more requests for longer than is waited), `forge_unreachable` (no connection, or no answer that can be
 * used, after several attempts), `canceled` (the signal was aborted). No error holds a token.
 */
export interface Forge {
  /** What messages call it: `GitHub`, `GitLab at gitlab.example.com`. */
  readonly name: string;
  /** The change of a branch; `undefined` when it has none. */
  find(request: BranchRequest): Promise<Change | undefined>;
  /**
   * Opens the change of a branch. One that is open already is brought to what was asked: title, description, whether it is a draft, and the base when one
   * is named. Two calls at once open one. The branch must have been pushed, with commits that the base lacks: `forge_refused` otherwise.
   */
  open(request: OpenRequest): Promise<OpenedChange>;
  /** Turns the change into a draft. One that is a draft stays as it is. Rejects with `change_not_found`; with `forge_refused` where the forge has no drafts. */
  draft(request: BranchRequest): Promise<Change>;
  /** Marks the change as ready for review. One that is ready stays as it is. Rejects with `change_not_found`. */
  ready(request: BranchRequest): Promise<Change>;
  /**
   * Posts a comment on the change, Markdown. A text that one of its newest comments has already is not posted again, so that a step which is
   * repeated after a crash says nothing twice. Rejects with `change_not_found`.
   */
  comment(request: CommentRequest): Promise<void>;
  /** Asks somebody to review the change. Asking who was asked already changes nothing. Rejects with `change_not_found`; with `forge_refused` for a person who cannot review it. */
  requestReview(request: ReviewRequest): Promise<void>;
}

export interface BranchRequest {
  /** Without `refs/heads/`. */
  readonly branch: string;
  /** Aborting gives up waiting. What was sent may be carried out. */
  readonly signal?: AbortSignal;
}

export interface OpenRequest extends BranchRequest {
  /** One line. */
  readonly title: string;
  /** The description, Markdown. One that is longer than the forge takes is cut, and keeps the lines that refer to a ticket. */
  readonly body: string;
  /** The branch to merge into. Default: the default branch of the repository; for a change that is open, the base that it has. */
  readonly base?: string;
  /** Default false. Where the repository has no drafts the change is opened ready, and `draft` of the answer says so. */
  readonly draft?: boolean;
}

export interface CommentRequest extends BranchRequest {
  /** Markdown. Cut like a description. */
  readonly body: string;
}

export interface ReviewRequest extends BranchRequest {
  /** A user name of the forge, or `organization/team` where it has teams. A leading `@` is taken off. */
  readonly reviewer: string;
}

export interface Change {
  /** What the forge counts it with. */
  readonly number: number;
  /** Where people read it. */
  readonly url: string;
  readonly branch: string;
  readonly base: string;
  /** Without a mark that it is a draft. */
  readonly title: string;
  readonly draft: boolean;
}

export interface OpenedChange extends Change {
  /** False when it was open already. */
  readonly created: boolean;
}
