import { FlowsError } from '../../../errors/flows-error.js';
import type { JsonValue } from '../../../ports/json.js';
import type { CliCall } from '../../driver/drive.js';
import type { AgentRequest } from '../../port.js';
import { ENVIRONMENT } from './environment.js';

/** What an agent may do by its rules. The last rule that fits decides, so what is not named is denied, tools of plugins and of MCP servers included. */
type Rules = Readonly<Record<string, 'allow' | 'deny'>>;

const NOTHING: Rules = { '*': 'deny' };
/** Everything that changes no file. `task` is not in it: a sub-agent has rules of its own. */
const READING: Rules = {
  '*': 'deny', read: 'allow', glob: 'allow', grep: 'allow', list: 'allow', lsp: 'allow', skill: 'allow',
  todowrite: 'allow', todoread: 'allow', webfetch: 'allow', websearch: 'allow', codesearch: 'allow', external_directory: 'allow',
};

const ANSWERER = 'relayflows-llm';
const READER = 'relayflows-readonly';

/** The prompt of an agent that has none is about working in a repository with tools. */
const ANSWERER_PROMPT = 'Answer the message. You have no tools.';

/** How a turn is called. Throws a `FlowsError` when the settings that the environment carries cannot be added to. */
export function callOf(request: AgentRequest): CliCall {
  const { mode, session, model, permissions, marker, task } = request;
  // A title of its own, so that no model is asked for one: what that costs is in no record.
  const args = ['run', '--format', 'json', '--auto', '--print-logs', '--log-level', 'INFO', '--title', `relayflows ${marker.stepId}`];
  if (session !== undefined) args.push('--session', session.id);
  if (model !== undefined) args.push('--model', model);
  const input = asRead(task);
  if (mode === 'llm') {
    const config = withAgent(request, ANSWERER, { prompt: ANSWERER_PROMPT, permission: NOTHING }, { snapshot: false });
    return { args: [...args, '--agent', ANSWERER, '--pure'], input, env: { ...ENVIRONMENT, ...config, OPENCODE_DISABLE_PROJECT_CONFIG: '1', OPENCODE_DISABLE_CLAUDE_CODE: '1', OPENCODE_DB: ':memory:' } };
  }
  if (permissions?.accessPreset !== 'readonly') return { args, input, env: ENVIRONMENT };
  return { args: [...args, '--agent', READER], input, env: { ...ENVIRONMENT, ...withAgent(request, READER, { permission: READING }, {}) } };
}

/** It drops one byte order mark from the front of what it reads. */
function asRead(task: string): string {
  return task.startsWith('\uFEFF') ? `\uFEFF${task}` : task;
}

/**
 * An agent of ours beside those of the user. Its rules come after all others, so neither the settings of the user nor those of a project can widen them.
 * What the user's rules deny of reading they do not deny this agent.
 */
function withAgent(request: AgentRequest, name: string, agent: { readonly prompt?: string; readonly permission: Rules }, more: Readonly<Record<string, JsonValue>>): Readonly<Record<string, string>> {
  const own = settingsOf(request.hostEnv['OPENCODE_CONFIG_CONTENT']);
  const agents = own['agent'];
  const merged = { ...own, ...more, agent: { ...(isObject(agents) ? agents : {}), [name]: { mode: 'primary', ...agent } } };
  return { OPENCODE_CONFIG_CONTENT: JSON.stringify(merged) };
}

function settingsOf(content: string | undefined): Readonly<Record<string, JsonValue>> {
  if (content === undefined || content.trim() === '') return {};
  try {
    const settings = JSON.parse(content) as JsonValue;
    if (isObject(settings)) return settings;
  } catch {
    // With comments, for example, which opencode allows.
  }
  throw new FlowsError('worker_error', 'OPENCODE_CONFIG_CONTENT is not one JSON object, so the agent that may only read or only answer cannot be added to it.', {
    hint: 'Write it without comments, or keep these settings in a file and name the file in OPENCODE_CONFIG.',
  });
}

function isObject(value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } & Readonly<Record<string, JsonValue>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
