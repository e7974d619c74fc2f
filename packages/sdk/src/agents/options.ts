import type { AgentOptions } from '@relayflows/surface';
import { FlowsError } from '../errors/flows-error.js';
import type { ErrorCode } from '../errors/codes.js';
import { checkStepDirectory } from '../process/step-directory.js';
import { AGENT_TIMEOUT_MAX, parseDuration } from '../run/duration.js';
import { globProblem } from './permissions/rule.js';
import type { AgentPermissions } from './port.js';

/** The options of one agent step, checked and with their defaults. */
export interface AgentPlan {
  readonly name: string;
  readonly task: string;
  readonly cli: string | undefined;
  readonly model: string | undefined;
  readonly cwd: string | undefined;
  readonly timeoutMs: number | undefined;
  readonly transport: 'direct' | 'relay';
  readonly maxIterations: number;
  readonly transportRetries: number;
  readonly recoveryMode: 'reset' | 'inspect' | 'manual';
  readonly permissions: AgentPermissions | undefined;
  readonly resume: string | undefined;
  readonly onCrash: 'rerun' | 'fail' | 'park';
}

const OPTIONS = ['task', 'cli', 'model', 'cwd', 'timeout', 'transport', 'maxIterations', 'transportRetries', 'recoveryMode', 'workspace', 'permissions', 'resume', 'onCrash'] as const;
const PERMISSIONS = ['fileGlobs', 'networkAllowlist', 'accessPreset'] as const;
const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$/;

/** Checks a call of `f.agent`. Throws `agent_cli_unresolved`, and `unsupported_workspace_permission` for a workspace with a permission suffix. */
export function planAgent(name: unknown, options: unknown): AgentPlan {
  if (typeof name !== 'string' || name.trim() === '') throw refusal('f.agent', 'the name is blank', 'Give the agent a name: f.agent("coder", { task }).');
  const verb = `f.agent(${JSON.stringify(name)})`;
  const given = knownMembers(verb, 'the options', options, OPTIONS) as { readonly [K in keyof AgentOptions]?: unknown };

  if (!isText(given.task)) throw refusal(verb, 'task is missing or blank', 'Say what the agent is to do: { task: "…" }.');
  for (const option of ['cli', 'model'] as const) {
    if (given[option] !== undefined && !isText(given[option])) throw refusal(verb, `${option} is blank or no text`, `Leave ${option} out, or name one.`);
  }
  if (given.cwd !== undefined) checkStepDirectory({ cwd: given.cwd, code: CODE });
  const transport = oneOf(verb, 'transport', given.transport, ['direct', 'relay'], 'direct');
  const maxIterations = count(verb, 'maxIterations', given.maxIterations, 1, 1);
  const timeoutMs = given.timeout === undefined ? undefined : parseDuration(given.timeout as string | number, { what: `the timeout of ${verb}`, max: AGENT_TIMEOUT_MAX, code: CODE });
  if (timeoutMs !== undefined && (transport !== 'direct' || maxIterations !== 1)) {
    throw refusal(verb, "timeout needs transport: 'direct' and maxIterations: 1", 'Leave the timeout out, or use one direct attempt.');
  }
  if (given.workspace !== undefined) refuseWorkspace(verb, given.workspace);
  if (given.resume !== undefined) {
    if (typeof given.resume !== 'string' || !SESSION_ID.test(given.resume)) throw refusal(verb, 'resume is no session id', 'Pass the sessionId of an earlier agent result.');
    if (transport === 'relay') throw refusal(verb, "resume cannot be combined with transport: 'relay'", "Use transport: 'direct'.");
  }
  return {
    name,
    task: given.task,
    cli: (given.cli as string | undefined)?.trim(),
    model: given.model as string | undefined,
    cwd: given.cwd as string | undefined,
    timeoutMs,
    transport,
    maxIterations,
    transportRetries: count(verb, 'transportRetries', given.transportRetries, 0, 1),
    recoveryMode: oneOf(verb, 'recoveryMode', given.recoveryMode, ['reset', 'inspect', 'manual'], 'reset'),
    permissions: given.permissions === undefined ? undefined : permissionsOf(verb, given.permissions),
    resume: given.resume,
    onCrash: oneOf(verb, 'onCrash', given.onCrash, ['rerun', 'fail', 'park'], 'rerun'),
  };
}

const CODE: ErrorCode = 'agent_cli_unresolved';

function refusal(verb: string, what: string, hint: string): FlowsError {
  return new FlowsError(CODE, `${verb}: ${what}.`, { hint });
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function knownMembers(verb: string, what: string, value: unknown, known: readonly string[]): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refusal(verb, `${what} are not an object`, `Known members: ${known.join(', ')}.`);
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  if (unknown.length > 0) throw refusal(verb, `${what} have unknown members: ${unknown.join(', ')}`, `Known members: ${known.join(', ')}.`);
  return value;
}

function oneOf<T extends string>(verb: string, option: string, value: unknown, allowed: readonly T[], fallback: T): T {
  if (value === undefined) return fallback;
  const found = allowed.find((word) => word === value);
  if (found === undefined) throw refusal(verb, `${option} is ${JSON.stringify(value) ?? typeof value}`, `Use one of ${allowed.map((word) => `'${word}'`).join(', ')}.`);
  return found;
}

function count(verb: string, option: string, value: unknown, least: number, fallback: number): number {
  if (value === undefined) return fallback;
  if (!Number.isSafeInteger(value) || (value as number) < least) throw refusal(verb, `${option} is ${JSON.stringify(value) ?? typeof value}`, `Give a whole number from ${least} up.`);
  return value as number;
}

function refuseWorkspace(verb: string, workspace: unknown): never {
  if (typeof workspace === 'string' && /:\s*(?:readonly|readwrite)\s*$/.test(workspace)) {
    throw new FlowsError('unsupported_workspace_permission', `${verb}: the workspace ${JSON.stringify(workspace)} carries a permission.`, {
      hint: 'Name the workspace alone; what the agent may do belongs into permissions.',
    });
  }
  throw refusal(verb, 'workspace is for hosts that provide workspaces, and this agent runs on this machine', 'Leave workspace out; choose the directory with cwd.');
}

function permissionsOf(verb: string, value: unknown): AgentPermissions {
  const given = knownMembers(verb, 'the permissions', value, PERMISSIONS) as { readonly [K in (typeof PERMISSIONS)[number]]?: unknown };
  for (const list of ['fileGlobs', 'networkAllowlist'] as const) {
    const entries = given[list];
    if (entries !== undefined && !(Array.isArray(entries) && entries.every(isText))) throw refusal(verb, `permissions.${list} is no list of texts`, `Give ${list} as an array of non-blank strings.`);
  }
  const problem = globProblem((given.fileGlobs ?? []) as readonly string[]);
  if (problem !== undefined) throw refusal(verb, `permissions.fileGlobs ${problem}`, 'Name files relative to the directory of the agent: "src/**", "docs/*.md", and "!src/secret/**" to take some out again.');
  if (given.accessPreset !== undefined) oneOf(verb, 'permissions.accessPreset', given.accessPreset, ['readonly', 'readwrite'], 'readwrite');
  return structuredClone(value) as AgentPermissions;
}
