import type { AgentOptions, Ctx, FlowHeader, LlmOptions, RunOptions } from '@relayflows/surface';
import { attribute, FlowsError } from '../errors/flows-error.js';
import { lowerAgent } from '../verbs/agent.js';
import { lowerDispatch } from '../verbs/dispatch.js';
import { checkDone } from '../verbs/done.js';
import { lowerHook } from '../verbs/hook.js';
import { lowerHuman } from '../verbs/human.js';
import { lowerLlm } from '../verbs/llm.js';
import { lowerRun } from '../verbs/run.js';
import { lowerSleep } from '../verbs/sleep.js';
import { lowerNow, lowerUuid } from '../verbs/values.js';
import type { BodyScope } from './body-scope.js';
import { hostVerbs } from './host-verbs.js';
import type { SessionFacts } from './services.js';
import type { VerbScope } from './verb-scope.js';

/** The keys of `header.tools` that are no service helpers. */
const NO_HELPERS = ['relayfile', 'mcp'];

/** The context of one body: each verb checks its call, lowers it to a step, and starts nothing. */
export function createContext(args: { readonly scope: BodyScope; readonly facts: SessionFacts; readonly isReplaying: () => boolean }): Ctx {
  const { scope, facts } = args;
  const { header } = scope.flow.definition;
  // Whatever a child asks for is paid by the root.
  const paid = facts.budget === undefined || header.budget !== undefined ? header : { ...header, budget: facts.budget };
  const verbs: VerbScope = { header: paid, config: facts.config, run: facts.run, agents: facts.services.agents };

  const context: Ctx = {
    ...(scope.flow.host === true ? hostVerbs(scope, facts) : {}),
    run: ((command: string, options?: RunOptions) => scope.create(lowerRun(command, options))) as Ctx['run'],
    llm: ((prompt: TemplateStringsArray | string, ...rest: unknown[]) =>
      scope.create(lowerLlm(verbs, prompt as string, ...(rest as [LlmOptions])))) as Ctx['llm'],
    agent: (name: string, options: AgentOptions) => scope.create(lowerAgent(verbs, name, options)),
    human: (question, options) => {
      if (scope.depth > 1) throw unsupported('f.human', 'a dispatched child may not ask; only the root flow may', 'Return the question to the parent and ask there.');
      return scope.create(lowerHuman(question, options));
    },
    dispatch: (name, input) => scope.create(lowerDispatch({ flow: scope.flow, depth: scope.depth, name, input })),
    hook: (name, input) => scope.create(lowerHook({ declared: header.hooks ?? [], implementations: facts.services.hooks.get(name) ?? [], name, input })),
    sleep: (duration) => scope.create(lowerSleep(duration)),
    now: () => scope.create(lowerNow()),
    uuid: () => scope.create(lowerUuid()),
    phase: (name) => {
      const word = facts.services.redact.text(String(name).replace(/\s+/g, ' ').trim());
      scope.phase = word;
      if (!args.isReplaying()) facts.emit({ type: 'phase', name: word });
    },
    done: (reason, options) => {
      const checked = checkDone({ reason, options, redact: facts.services.redact });
      scope.complete(checked.reason, checked.detail);
    },
    on: () => {
      throw unsupported('f.on', 'no host routes events to this run', 'Wait with f.human or f.sleep.');
    },
    get memory(): Ctx['memory'] {
      throw attribute(unsupported('f.memory', 'this runtime keeps no history', 'Leave it out.'), facts.run.runId);
    },
    get mcp(): Ctx['mcp'] {
      throw attribute(unsupported('f.mcp', 'this runtime has no MCP client', 'Call the tool through f.run or an agent.'), facts.run.runId);
    },
  };
  // A body may leave the refusal of a call unhandled; whose it was must be known then.
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(context))) {
    if (typeof value === 'function') Object.defineProperty(context, name, { value: attributed(value as (...args: unknown[]) => unknown, facts.run.runId) });
  }
  for (const helper of helpersOf(header)) {
    Object.defineProperty(context, helper, {
      enumerable: true,
      get: () => {
        throw attribute(unsupported(`f.${helper}`, 'this runtime has no such service helper', 'Call the service through f.run.'), facts.run.runId);
      },
    });
  }
  return Object.freeze(context);
}

function attributed(verb: (...args: unknown[]) => unknown, runId: string): (...args: unknown[]) => unknown {
  return (...args) => {
    try {
      return verb(...args);
    } catch (error) {
      throw attribute(error, runId);
    }
  };
}

function helpersOf(header: FlowHeader): string[] {
  return Object.keys(header.tools ?? {}).filter((key) => !NO_HELPERS.includes(key));
}

function unsupported(verb: string, what: string, hint: string): FlowsError {
  return new FlowsError('unsupported_verb', `${verb}: ${what}.`, { hint });
}
