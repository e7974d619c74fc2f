import { FlowsError, isFlowsError } from '../errors/flows-error.js';
import type { HookImplementation } from '../run/runtime.js';
import type { StepSpec } from '../run/step-spec.js';
import { jsonInput } from './options.js';

/**
 * `f.hook`: asks what the host registered under a name. All implementations must say `true`; the first that does not ends it. Nobody registered
 * is `true`. The name must be in the header's `hooks`.
 */
export function lowerHook(args: { readonly declared: readonly string[]; readonly implementations: readonly HookImplementation[]; readonly name: string; readonly input: unknown }): StepSpec {
  const { name } = args;
  if (!args.declared.includes(name)) {
    throw new FlowsError('unsupported_verb', `f.hook: ${JSON.stringify(name)} is not declared.`, { hint: `Add it to the header: hooks: [${[...args.declared, name].map((hook) => JSON.stringify(hook)).join(', ')}].` });
  }
  const input = jsonInput({ verb: 'f.hook', value: args.input, code: 'options_invalid' });
  return {
    kind: 'hook',
    label: name,
    request: { hook: name, input },
    action: {
      mode: 'effect',
      execute: async () => {
        for (const implementation of args.implementations) {
          try {
            if ((await implementation(input)) !== true) return { outcome: { ok: true, value: false } };
          } catch (error) {
            const text = isFlowsError(error) ? error.text : error instanceof Error ? error.message : String(error);
            return { outcome: { ok: false, error: { code: 'worker_error', text: `The hook ${name} failed: ${text}`, hint: 'Mend the hook that the host registered.', completionReason: 'worker_error' } } };
          }
        }
        return { outcome: { ok: true, value: true } };
      },
    },
  };
}
