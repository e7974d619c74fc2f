import { inspect } from 'node:util';
import { FlowsError, isFlowsError } from '../errors/flows-error.js';
import { authorPosition, authorStack } from '../flow/author-position.js';
import type { StepFailure } from '../journal/port.js';
import type { BodyScope } from './body-scope.js';
import { createContext } from './context.js';
import { failureOf, jsonOf } from './failure.js';
import type { SessionFacts } from './services.js';
import type { Cause } from './verdict.js';

/** Calls a body and waits for its end. Never rejects: what it throws, or leaves undone, is the cause it answers with. */
export async function runBody(args: { readonly scope: BodyScope; readonly facts: SessionFacts; readonly isReplaying: () => boolean }): Promise<Cause | undefined> {
  const { scope, facts } = args;
  try {
    const { body } = scope.flow.definition;
    if (body === undefined) {
      throw new FlowsError('unsupported_verb', `The flow ${scope.flow.name} has only .on() handlers, which this runtime does not run.`, { hint: 'Give flow() a body.' });
    }
    // A copy: what a body does to its input must not reach the record or the next execution.
    await body(createContext({ scope, facts, isReplaying: args.isReplaying }), structuredClone(scope.input));
    if (scope.done === undefined) return undefined;
    // One drain lets chains that only needed another microtask come to their end.
    await new Promise<void>((resolve) => facts.services.machine.turn(resolve));
    return scope.inspectDerived();
  } catch (error) {
    if (!isFlowsError(error)) return { failure: bodyFailure(error) };
    return { failure: failureOf(error), ...(error.stepId === undefined ? {} : { stepId: error.stepId }) };
  }
}

function bodyFailure(error: unknown): StepFailure {
  const text = error instanceof Error ? (error.message === '' ? error.name : `${error.name}: ${error.message}`) : `The body threw ${inspect(error, { depth: 1, breakLength: Infinity }).slice(0, 500)}.`;
  const stack = error instanceof Error && error.stack !== undefined ? authorStack(error.stack).split('\n').filter((line) => line.startsWith('    at ')).slice(0, 4).map((line) => line.trim()) : undefined;
  const position = authorPosition(error);
  return {
    code: 'body_failed',
    text,
    hint: 'Mend the flow and start a new run.',
    ...(stack === undefined ? {} : { evidence: jsonOf({ ...position, stack }) }),
  };
}
