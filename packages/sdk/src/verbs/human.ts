import { FlowsError } from '../errors/flows-error.js';
import type { StepSpec } from '../run/step-spec.js';
import { assertKnownOptions } from './options.js';

/** `slack:#channel`, `slack:@user`, `github:@user`, or a handle with or without `@`. */
const ADDRESSEE = /^(?:slack:[#@]|github:@|@)?[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** `f.human`: a question to a person. The run parks until somebody answers yes or no. Throws at the call, before a number is taken. */
export function lowerHuman(question: string, options: { readonly to: string }): StepSpec {
  if (typeof question !== 'string' || question.trim() === '') throw new FlowsError('human_answer_invalid', 'f.human: the question is empty.', { hint: 'Ask something that can be answered with yes or no.' });
  const to: unknown = (options as { to?: unknown } | undefined)?.to;
  if (typeof to !== 'string' || to.trim() === '') throw new FlowsError('human_answer_invalid', 'f.human: nobody is asked.', { hint: "Name the person: f.human('Merge?', { to: 'github:@maria' })." });
  assertKnownOptions('f.human', options, ['to']);
  if (!ADDRESSEE.test(to)) {
    throw new FlowsError('human_to_invalid', `f.human: ${JSON.stringify(to)} is nobody that can be asked.`, { hint: "Use 'slack:#channel', 'slack:@user', 'github:@user' or a bare handle." });
  }
  return {
    kind: 'human',
    request: { question, to },
    action: { mode: 'wait', wait: () => ({ type: 'human', question, to }) },
  };
}
