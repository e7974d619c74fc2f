import type { FlowHeader } from '@relayflows/surface';
import { FlowsError } from '../errors/flows-error.js';
import { executableName } from './executable.js';
import type { AgentAdapter } from './port.js';

/** CLIs that speak a protocol of their own: without an adapter they cannot be driven, while any other executable is a wrapper. */
export const KNOWN_CLIS: ReadonlySet<string> = new Set(['claude', 'codex', 'opencode', 'gemini', 'pi', 'cursor', 'cursor-agent']);

export interface AgentChoice {
  readonly cli: string;
  readonly model?: string;
  /** Where the CLI was named, for messages. */
  readonly cliFrom: string;
}

/** What decides which CLI and model a step gets. */
export interface ChoiceInput {
  /** The agent's name; absent for a model call. */
  readonly name?: string;
  /** From the step's options. */
  readonly cli?: string | undefined;
  readonly model?: string | undefined;
  readonly header: FlowHeader;
  readonly config: AgentConfig | undefined;
}

/** The part of `flows.json` that concerns agents. */
export interface AgentConfig {
  readonly cli?: string | undefined;
  readonly models?: readonly string[] | undefined;
}

/**
 * The CLI and the model of a step. CLI: the step's, the named agent's, the default of `flows.json`. Model: the step's, the named agent's; the
 * adapter's default comes later. Pure. Throws `cli_unresolved` and `model_unknown`.
 */
export function chooseAgent(input: ChoiceInput): AgentChoice {
  const named = input.name === undefined ? undefined : Object.hasOwn(input.header.agents ?? {}, input.name) ? input.header.agents?.[input.name] : undefined;
  const cli = input.cli ?? named?.cli ?? input.config?.cli;
  const who = input.name === undefined ? 'the model call' : `agent "${input.name}"`;
  if (cli === undefined) {
    throw new FlowsError('cli_unresolved', `No coding-agent CLI is named for ${who}.`, {
      hint: `Name one: cli in the step's options, ${input.name === undefined ? '' : 'agents in the header, '}or cli in flows.json.`,
    });
  }
  const model = input.model ?? named?.model;
  if (model !== undefined) requireModelName(model, who);
  return {
    cli,
    cliFrom: input.cli !== undefined ? 'the step' : named === undefined ? 'flows.json' : 'the header',
    ...(model === undefined ? {} : { model }),
  };
}

/** Throws `model_unknown` for a name that no provider can have. */
function requireModelName(model: string, who: string): void {
  // eslint-disable-next-line no-control-regex -- control characters are what it looks for.
  if (model !== '' && !/[\s\u0000-\u001f\u007f-\u009f]/u.test(model)) return;
  throw new FlowsError('model_unknown', `${JSON.stringify(model)}, asked for by ${who}, is not a usable model name.`, {
    hint: 'A model name is not empty and has no blanks or control characters.',
  });
}

/**
 * Applies the allow list of `flows.json`, which is exact and case-sensitive. Without a list everything is allowed; with one, a step that leaves the
 * choice of the model to its CLI is refused, since nobody could say what it uses. Throws `model_unavailable`.
 */
export function requireAllowedModel(request: { readonly model: string | undefined; readonly cli: string; readonly config: AgentConfig | undefined }): void {
  const allowed = request.config?.models;
  if (allowed === undefined || (request.model !== undefined && allowed.includes(request.model))) return;
  const list = allowed.length === 0 ? 'no model at all' : allowed.join(', ');
  throw new FlowsError(
    'model_unavailable',
    request.model === undefined
      ? `No model is named for ${request.cli}, and flows.json allows ${list}.`
      : `The model ${request.model} is not allowed: flows.json allows ${list}.`,
    { hint: allowed.length === 0 ? 'Add the model to models in flows.json.' : 'Name an allowed model, or add this one to models in flows.json.', evidence: { allowed: [...allowed] } },
  );
}

/** The adapter that drives a CLI. Throws `cli_unsupported` for a known CLI without one. */
export function adapterFor(cli: string, adapters: readonly AgentAdapter[]): AgentAdapter {
  const name = executableName(cli);
  const adapter = adapters.find((candidate) => candidate.matches(name));
  if (adapter !== undefined) return adapter;
  throw new FlowsError('cli_unsupported', `There is no adapter for the coding-agent CLI "${name}".`, {
    hint: `Give the runtime an adapter for it, or wrap it in a program that speaks relayflows-agent-cli-v1 and is not called ${[...KNOWN_CLIS].join(', ')}.`,
    evidence: { cli, adapters: adapters.map((candidate) => candidate.name) },
  });
}
