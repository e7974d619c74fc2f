import { FlowsError } from '../errors/flows-error.js';
import type { LoadedFlow } from '../flow/loaded.js';
import type { StepSpec } from '../run/step-spec.js';
import { jsonInput } from './options.js';

/** The root is at depth 1; its children's children's children are the last. */
const DEEPEST = 4;

/** `f.dispatch`: a child flow as a step. `flow` is the flow that calls, `depth` its own. Throws at the call. */
export function lowerDispatch(args: { readonly flow: LoadedFlow; readonly depth: number; readonly name: string; readonly input: unknown }): StepSpec {
  const { flow, name } = args;
  if (typeof name !== 'string' || name.trim() === '') throw new FlowsError('dispatch_invalid', 'f.dispatch: the name of the child is empty.', { hint: 'Name the child as its own flow() call does.' });
  if (!flow.children.has(name)) {
    const known = [...flow.children.keys()];
    throw new FlowsError('dispatch_unknown', `f.dispatch: ${flow.name} has no child called ${JSON.stringify(name)}.`, {
      hint: known.length === 0 ? "List the child's file in the header: use: ['./child.flow.ts']." : `Its children are ${known.map((child) => JSON.stringify(child)).join(', ')}.`,
    });
  }
  if (args.depth >= DEEPEST) {
    throw new FlowsError('dispatch_depth_exceeded', `f.dispatch: ${name} would be nested ${args.depth} deep.`, { hint: 'Children may be nested three deep.' });
  }
  const input = jsonInput({ verb: 'f.dispatch', value: args.input, code: 'dispatch_invalid' });
  return { kind: 'dispatch', label: name, request: { flow: name, input }, action: { mode: 'child', flowName: name } };
}
