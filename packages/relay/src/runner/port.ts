/**
 * The runner port: where the work on a ticket happens. One workspace per ticket, shared by all of its nodes; terminals, where a runner has them, run a
 * coding agent's own interface.
 *
 * Obligations, which `runnerConformance` checks: every call may happen twice; what must be made is looked for first, also after an unclear failure; what a person or
 * another program put into a workspace is never deleted; errors are `RelayError`s without arguments of commands, which hold prompts and environments.
 */
export interface Runner {
  /** As in config.yaml: `worktree`, `orca`. */
  readonly name: string;
  /** At most 5 s, no retries. Throws `runner_unavailable`, `runner_malformed`, `runner_missing`. */
  probe(args: { readonly signal: AbortSignal }): Promise<void>;
  /** Makes a repository known. Throws `runner_rejected` when it cannot be used. */
  ensureRepo(repo: RunnerRepo): Promise<void>;
  /** Whether a repository can still be used. Throws `runner_rejected`, `runner_missing`. */
  validateRepo(repo: RunnerRepo): Promise<void>;
  /** Repositories that the runner knows of, to be offered when one is registered. */
  discoverRepos(): Promise<readonly RunnerRepo[]>;
  /** The ticket's workspace, made when it is missing. Throws `runner_conflict` when something else is in its place. */
  ensureWorkspace(at: WorkspaceRef): Promise<Workspace>;
  /** Shows people where the ticket stands. May do nothing. */
  setStatus(args: WorkspaceRef & { readonly status: WorkspaceStatus }): Promise<void>;
  /** Removes the workspace after its terminals were closed. Refused with `runner_unsaved_work`, which says where it is, while it holds what is not committed or not pushed. Nothing to remove is a success. */
  removeWorkspace(at: WorkspaceRef): Promise<void>;
  /** All workspaces of a repository, those of tickets nobody works on too. */
  listWorkspaces(repo: RunnerRepo): Promise<readonly Workspace[]>;
  /** Forgets registrations whose folder is gone. Answers with what was forgotten. */
  prune(repo: RunnerRepo): Promise<readonly string[]>;
  /** Absent: only headless harnesses can be used. */
  readonly terminals?: Terminals;
}

export interface RunnerRepo {
  readonly name: string;
  /** Absolute, real. */
  readonly path: string;
}

export interface WorkspaceRef {
  readonly repo: RunnerRepo;
  /** The ticket's key. */
  readonly ticket: string;
}

export interface Workspace {
  readonly ticket: string;
  /** Absolute. */
  readonly path: string;
  /** Without `refs/heads/`; absent: no branch. */
  readonly branch?: string;
  /** A sentence for people, when something about it is unusual: another branch than the ticket's is checked out. */
  readonly note?: string;
}

export type WorkspaceStatus = 'todo' | 'in-progress' | 'in-review' | 'completed';

/** Terminals are found by title, `<ticket>:<node>`. */
export interface Terminals {
  /** The terminal of this title, a live one first; `undefined` when there is none. More than one: the others are closed. */
  find(args: WorkspaceRef & { readonly title: string }): Promise<Terminal | undefined>;
  /** Starts a command in a new terminal in the workspace. */
  create(args: WorkspaceRef & { readonly title: string; readonly command: TerminalCommand }): Promise<Terminal>;
  /** `undefined` when it is gone. */
  show(args: { readonly handle: string }): Promise<Terminal | undefined>;
  /**
   * Types text and enters it, and looks whether it arrived. `mark` is a word at the end of the text that no other text has: where it can be seen already, an earlier call
   * typed it whose answer nobody got, and it is entered at most. What has left the screen is not seen. Throws `runner_missing` when the terminal is gone, `runner_conflict`
   * when its program asks something else.
   */
  send(args: { readonly handle: string; readonly text: string; readonly mark?: string }): Promise<void>;
  /** Gone already is a success. */
  close(args: { readonly handle: string }): Promise<void>;
  /** Closes every terminal of the ticket: those whose title begins with `<ticket>:`. */
  closeAll(at: WorkspaceRef): Promise<void>;
}

export interface Terminal {
  readonly handle: string;
  readonly title: string;
  readonly live: boolean;
}

export interface TerminalCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}
