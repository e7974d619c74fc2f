import { RelayError } from '../../errors/relay-error.js';

/**
 * Behaviours of the interpreter that can change a replay, each with a number that is never reused. A run keeps the numbers it was begun with in its input.
 * A change of behaviour gets a new number here and keeps the old path for runs without it; histories in `testdata/histories` are replayed by the tests.
 */
export const INTERPRETER_FLAGS = {
  /** mailboxes, reopen (later attempts), start; per visit its id, enter, then launch and wait until a report, settle; end. A snapshot after every sixteenth visit. */
  firstOrder: 1,
  /** The outcome of mailboxes is recorded as `{ mailboxes }`, by which name the redactor knows that these are no words of anybody. Before, they stood alone. */
  namedMailboxes: 2,
} as const;

export const CURRENT_INTERPRETER_FLAGS: readonly number[] = Object.values(INTERPRETER_FLAGS);

/** Refuses a run begun by a behaviour that this version does not have. */
export function assertKnownBehaviour(flags: readonly number[]): void {
  const unknown = flags.filter((flag) => !CURRENT_INTERPRETER_FLAGS.includes(flag));
  if (unknown.length === 0) return;
  throw new RelayError('run_conflict', `The run was begun with interpreter behaviour ${unknown.join(', ')}, which this version does not have.`, { hint: 'Serve it with the version that began it, or a newer one.' });
}
