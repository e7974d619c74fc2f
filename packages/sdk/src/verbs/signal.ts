import { signalNameProblem } from '../run/mailbox-names.js';
import type { StepSpec } from '../run/step-spec.js';
import { invalidOption } from './options.js';

/** `f.signal` of a host's flow: waits, without keeping a process, for a message of this name. Throws at the call. */
export function lowerSignal(name: string): StepSpec {
  const problem = signalNameProblem(name);
  if (problem !== undefined) throw invalidOption('f.signal', problem, "Name the message: f.signal('approved').");
  return { kind: 'signal', label: name, action: { mode: 'wait', wait: () => ({ type: 'signal', signal: name }) } };
}
