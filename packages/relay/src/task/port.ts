import type { Complaints } from './config/complaints.js';
import type { LifecyclePoint, TaskConfig, TaskConfigLayer, TaskConfigScope } from './task-config.js';

/**
 * The task-system port: where tickets live and where agents find what they have to do.
 *
 * Obligations of every implementation, which `taskSystemConformance` checks:
 * 1. Every writing call may happen twice, also when the answer to the first was lost: it reads, then writes what is missing.
 * 2. What is not there is `undefined` where the type says so, and `task_missing` otherwise.
 * 3. Errors are `RelayError`s whose text names the ticket and never a credential, a prompt or a comment.
 * 4. Nothing is cached across calls that would hide what a person changed meanwhile, except as a poll's own bookkeeping.
 */
export interface TaskSystem extends TaskRules {
  /** As in config.yaml: `files`, `jira`, `beads`. */
  readonly name: string;
  /** As people call it, for prompts: what stands behind "the ticket is kept in". */
  readonly title: string;
  /** Whether it can be reached and who we are there. At most 5 s, no retries. Throws `task_unavailable`, `task_auth`, `task_permission`, `task_malformed`, `credentials_invalid`. */
  probe(args: { readonly repos: readonly RepoBinding[]; readonly signal: AbortSignal }): Promise<void>;
  /** Binds a repository. Decodes its settings strictly and looks whether what they name exists. Throws `task_config_invalid`, `task_missing`, and what `probe` throws. */
  openRepo(repo: RepoBinding): Promise<TaskRepo>;
  /** What must be asked to register a repository, given what is known so far; empty once nothing is missing. */
  registrationFields(args: { readonly repo: { readonly name: string; readonly path: string }; readonly values: Readonly<Record<string, string>> }): Promise<readonly RegistrationField[]>;
  /** The repo layer of `taskConfig` from the answers. Throws `task_config_invalid`. */
  registrationConfig(args: { readonly repo: { readonly name: string; readonly path: string }; readonly values: Readonly<Record<string, string>> }): TaskConfigLayer;
  /** Releases what it holds. */
  close(): Promise<void>;
}

/** What can be said about settings without asking the task system. */
export interface TaskRules {
  /** Keys of `taskConfig` that only this system has, and the scopes in which each may stand. */
  readonly ownKeys: Readonly<Record<string, readonly TaskConfigScope[]>>;
  /** Scopes in which `templates` may stand. */
  readonly templateScopes: readonly TaskConfigScope[];
  /** What is wrong with merged settings that decode, as far as it can be seen by themselves. Absent: nothing. `validate` of a repository says it too. */
  complainOf?(config: TaskConfig, complaints: Complaints): void;
}

export interface RepoBinding {
  readonly name: string;
  /** Absolute, real. */
  readonly path: string;
  /** Root and repo layers merged, and the same without the root's: some keys count only where a repository says them itself. */
  readonly taskConfig: TaskConfigLayer;
  readonly ownTaskConfig: TaskConfigLayer;
}

export interface RegistrationField {
  /** The key of `--set key=value`. */
  readonly name: string;
  readonly prompt: string;
  /** Offered when given. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  readonly initial?: string;
}

/** One repository's tickets. */
export interface TaskRepo {
  readonly repo: RepoBinding;
  /** What it stands for in the task system: no two repositories may stand for the same. */
  readonly identity: string;
  /** The person this server works for, when claims are kept apart by person: trimmed and in lower case. */
  readonly owner?: string;
  /** Claims that name no owner, as versions and programs without owners make them, are this server's as well. Absent: they are left alone until a person gives them to somebody. */
  readonly anonymousClaims?: 'ours';
  /** The longest description and comment it takes, in UTF-16 units, room for the marker included. Absent: any. */
  readonly longestText?: number;
  /** What the states are at a lifecycle point when no layer says otherwise. `undefined` members are left alone. */
  lifecycleDefault(point: LifecyclePoint): Transition;
  /** Whether merged settings can be used: statuses exist, the assignee can be assigned. Throws `task_config_invalid`. */
  validate(config: TaskConfig): Promise<void>;

  /** Tickets that are not done: those that may be claimed (not blocked by another), and all that carry a claim label. Mailboxes are no tickets. */
  poll(args: { readonly signal: AbortSignal }): Promise<readonly Ticket[]>;
  /** What the last poll could not take for a ticket, or what keeps one from being worked on and only a person can put right. Absent: nothing is ever left out. */
  problems?(): readonly TaskProblem[];
  /** One ticket, read directly (no index that lags), whatever its state. */
  view(args: { readonly key: string }): Promise<Ticket | undefined>;
  /** Adds labels in this order in one request, and reads the ticket again. Labels that are there are left alone. Throws `task_missing`. */
  claim(args: { readonly key: string; readonly labels: readonly string[] }): Promise<Ticket>;

  /**
   * Makes the mailboxes that do not exist, and brings description, assignee and labels of the others up to date. A mailbox is a child of the ticket whose title is
   * exactly `<ticket>:<node>`. Answers with the key of each by node. Two of one title are `task_conflict`.
   */
  ensureMailboxes(args: { readonly ticket: string; readonly mailboxes: readonly MailboxSpec[] }): Promise<Readonly<Record<string, string>>>;
  /** Brings the ticket, and a mailbox when one is given, to a state. Already there: nothing but the assignee, which is the mailbox's (empty: nobody). A state that cannot be reached from here is `task_conflict`, which says to which one a person must move it. */
  transition(args: { readonly ticket: string; readonly transition: Transition; readonly mailbox?: string; readonly assignee?: string }): Promise<void>;
  /** Brings mailboxes of an earlier attempt back to where work can begin. */
  reopenMailboxes(args: { readonly ticket: string; readonly mailboxes: readonly string[] }): Promise<void>;
  /** After the journal was lost: brings ticket and mailboxes back to where the first node can begin. */
  resetForRecovery(args: { readonly ticket: string; readonly mailboxes: readonly string[] }): Promise<void>;

  /** Adds a comment that ends with `<!-- marker -->`, unless one with this marker is there. */
  addComment(args: { readonly key: string; readonly marker: string; readonly body: string }): Promise<{ readonly added: boolean }>;
  /** Those with which the comments of a ticket or mailbox end, in order. What a comment quotes is none. Throws `task_missing`. */
  markers(args: { readonly key: string }): Promise<readonly string[]>;

  /** Variables for the agents of a ticket. */
  agentEnvironment(args: { readonly ticket: string }): Readonly<Record<string, string>>;
}

/** Something in the task system that a person must put right; it is shown and stops nothing else. */
export interface TaskProblem {
  /** Where: a file, or a ticket's key. */
  readonly where: string;
  readonly text: string;
  readonly hint?: string;
}

/** A state to be reached. Absent: left alone. */
export interface Transition {
  readonly parentStatus?: string;
  readonly taskStatus?: string;
}

export interface MailboxSpec {
  readonly node: string;
  /** `<ticket>:<node>` */
  readonly title: string;
  /** Markdown. */
  readonly description: string;
  /** Empty: nobody. Absent: left alone. */
  readonly assignee?: string;
}

export interface Ticket {
  /** What the task system calls it internally; equal to `key` where there is no difference. */
  readonly id: string;
  /** What people call it: `ABC-12`. Unique in its repository. */
  readonly key: string;
  readonly title: string;
  /** What it asks for, in Markdown; only `view` gives it. */
  readonly text?: string;
  readonly status: string;
  /** Nothing is left to do, in the task system's own sense. */
  readonly done: boolean;
  /** Another ticket must be done first. */
  readonly blocked: boolean;
  readonly type?: string;
  readonly labels: readonly string[];
  /** Every word that names the assignee (address, id, display name); empty: nobody. */
  readonly assignee: readonly string[];
}
