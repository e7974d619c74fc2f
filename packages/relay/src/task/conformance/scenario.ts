import assert from 'node:assert/strict';
import { isRelayError, type RelayError } from '../../errors/relay-error.js';
import type { RelayErrorCode } from '../../errors/codes.js';
import type { RepoBinding, TaskRepo, TaskSystem, Transition } from '../port.js';

/** What not every task system has, or not every set-up can bring about. */
export type TaskSystemNeed =
  | 'failing requests'
  | 'half-done creates'
  | 'duplicate mailboxes'
  | 'blocking tickets'
  | 'status rules'
  | 'known statuses'
  | 'refused settings'
  | 'one writer at a time'
  | 'exact text'
  | 'long comments';

/** What an implementation contributes to the suite: a repository of its own in a task system, without tickets. */
export interface TaskSystemSetUp {
  readonly tasks: TaskSystem;
  /** Called several times, it makes a task system that keeps nothing in common with the others but what is stored: as another process, or after a restart. */
  readonly another: () => TaskSystem;
  /** A binding that opens. Its settings are the least that is needed. */
  readonly repo: RepoBinding;
  /** Answers to `registrationFields` from which a repository of the same name and path can be registered. */
  readonly registration: Readonly<Record<string, string>>;
  /** Somebody to whom a mailbox can be given, and somebody else, in the words of `taskConfig.assignee`. */
  readonly people: readonly [string, string];
  /** Words that no error may contain: tokens, passwords. */
  readonly secrets: readonly string[];

  // What a person does, past the implementation.
  /** Makes a ticket in the state in which new tickets are; resolves to its key. */
  readonly makeTicket: (ticket: NewTicket) => Promise<string>;
  /** A ticket or a mailbox, with the mailboxes below it. Fails when it is not there. */
  readonly look: (key: string) => Promise<SeenTicket>;
  /** Changes a ticket or a mailbox. Absent members are left alone; `labels` replaces those that people see, but not what the system itself needs. */
  readonly edit: (key: string, change: PersonsEdit) => Promise<void>;
  /** Writes a comment on a ticket or mailbox. */
  readonly comment: (key: string, text: string) => Promise<void>;
  /** Makes another mailbox of the same title. Need: `duplicate mailboxes`. */
  readonly duplicateMailbox?: (ticket: string, node: string) => Promise<void>;
  /** Brings the ticket and its mailbox to where a state is out of reach. `says` is what the error must name. Need: `status rules`. */
  readonly outOfReach?: (at: { readonly ticket: string; readonly mailbox: string }) => Promise<{ readonly transition: Transition; readonly says: RegExp }>;
  /** Bindings that `openRepo` refuses, and how. Need: `refused settings`. */
  readonly refusedRepos?: readonly { readonly repo: RepoBinding; readonly code: RelayErrorCode }[];

  // What the world does to the next call.
  /** The next request that writes fails: before it had its effect, or after it (its answer is lost). Need: `failing requests`. */
  readonly failNext?: (when: 'before' | 'after') => void;
  /** The next request that creates mailboxes makes only the first of them and fails. Need: `half-done creates`. */
  readonly halfDone?: () => void;

  /** Removes everything. */
  readonly tearDown: () => Promise<void>;
}

export interface NewTicket {
  readonly title: string;
  readonly labels?: readonly string[];
  /** Keys of tickets that must be done first. */
  readonly blockedBy?: readonly string[];
  /** One of `people`. */
  readonly assignee?: string;
}

export interface PersonsEdit {
  readonly status?: string;
  readonly labels?: readonly string[];
  /** Markdown. */
  readonly description?: string;
}

export interface SeenTicket {
  readonly key: string;
  readonly title: string;
  readonly status: string;
  readonly labels: readonly string[];
  /** In the words of `people`; empty: nobody. */
  readonly assignee: string;
  /** As Markdown or plain text. */
  readonly description: string;
  /** Every comment, in order, with its marker where it has one: the text a person would read in an editor. */
  readonly comments: readonly string[];
  /** By node. Several of one title follow each other. */
  readonly mailboxes: readonly SeenTicket[];
}

export interface Scenario {
  readonly name: string;
  readonly needs?: readonly TaskSystemNeed[];
  readonly play: (stage: Stage) => Promise<void>;
}

export interface Stage extends TaskSystemSetUp {
  /** The repository, opened by `tasks`. */
  readonly tickets: TaskRepo;
  /** The repository, opened by another. */
  readonly afresh: () => Promise<TaskRepo>;
  /** A ticket with a mailbox for `implement` and one for `review`. */
  readonly withMailboxes: () => Promise<{ readonly ticket: string; readonly implement: string; readonly review: string }>;
}

/** The labels of a claim, as the engine gives them. */
export const CLAIM = [`wf-owner:ship:${'0a'.repeat(32)}`, 'wf:ship'] as const;

export const NODES = ['implement', 'review'] as const;

export function mailboxes(ticket: string, description = 'Do what the ticket says.', assignee?: string) {
  return NODES.map((node) => ({ node, title: `${ticket}:${node}`, description: `${description} (${node})`, ...(assignee === undefined ? {} : { assignee }) }));
}

/** The call is refused with one of these codes; resolves to the error. */
export async function refuses(codes: RelayErrorCode | readonly RelayErrorCode[], call: Promise<unknown>): Promise<RelayError> {
  const error = await call.then(
    (value) => assert.fail(`expected ${String(codes)}, but the call succeeded with ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  assert.ok(isRelayError(error), `expected ${String(codes)}, got ${String(error)}`);
  assert.ok([codes].flat().includes(error.code), `expected ${String(codes)}, got ${error.code}: ${error.text}`);
  assert.match(error.text, /^\S.*\.$/s, 'the text is a sentence');
  return error;
}

/** As the engine does: calls again while the failure is transient. Resolves to how often it failed. */
export async function untilDone(call: () => Promise<unknown>): Promise<number> {
  for (let failures = 0; ; failures += 1) {
    try {
      await call();
      return failures;
    } catch (error) {
      assert.ok(isRelayError(error), `expected a RelayError, got ${String(error)}`);
      assert.equal(error.kind, 'transient', `${error.code}: ${error.text}`);
      assert.ok(failures < 3, `still failing: ${error.text}`);
    }
  }
}

export function markersIn(seen: SeenTicket): readonly string[] {
  return seen.comments.flatMap((comment) => {
    const marker = /<!-- (\S+) -->\s*$/.exec(comment)?.[1];
    return marker === undefined ? [] : [marker];
  });
}

/** What a person sees of a mailbox. */
export function mailboxOf(seen: SeenTicket, node: string): SeenTicket {
  const [mailbox, ...more] = seen.mailboxes.filter(({ title }) => title === `${seen.key}:${node}`);
  assert.ok(mailbox !== undefined, `${seen.key} has a mailbox for ${node}`);
  assert.deepEqual(more, [], `${seen.key} has one mailbox for ${node}`);
  return mailbox;
}
