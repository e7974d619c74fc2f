import type { Wait } from '../journal/port.js';

/** The mailbox name of a request to cancel. */
export const CANCEL_SIGNAL = 'run:cancel';

const ANSWER_PREFIX = 'answer:';
/** Names that begin so are the runtime's own. */
const RESERVED = ['run:', ANSWER_PREFIX];
const LONGEST_NAME = 512;

/** The mailbox name of the answer to a question. */
export function answerSignal(stepId: string): string {
  return `${ANSWER_PREFIX}${stepId}`;
}

/** The name of the message that ends a wait; `undefined` when none does. */
export function messageOf(stepId: string, wait: Wait): string | undefined {
  return wait.type === 'human' ? answerSignal(stepId) : wait.signal;
}

/** What is wrong with a name that a host gives to a message, as the rest of a sentence. Names are identifiers: they are compared as they are and not redacted. */
export function signalNameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string' || name === '') return 'the name of the message is empty';
  if (name.length > LONGEST_NAME) return `the name of the message has more than ${LONGEST_NAME} characters`;
  if (/[\p{Cc}\p{Cs}]/u.test(name)) return 'the name of the message contains control characters';
  if (name === 'cancel' || RESERVED.some((prefix) => name.startsWith(prefix))) return `the name ${JSON.stringify(name)} is reserved`;
  return undefined;
}
