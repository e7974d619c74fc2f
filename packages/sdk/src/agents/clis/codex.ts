import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { driveCli, type CliCall } from '../driver/drive.js';
import { compareVersions } from '../driver/probe.js';
import type { CliWords } from '../driver/words.js';
import type { AgentAdapter, AgentRequest, AgentTurn } from '../port.js';
import { codexConfig, codexHome } from './codex/home.js';
import { probeCodex } from './codex/probe.js';
import { CodexReader } from './codex/reader.js';
import { noTokens, turnTokens } from './codex/tokens.js';
import { isStrictSchema } from './codex/strict-schema.js';

/*
 * Codex, observed with 0.171.0, and in its main lines with 0.125.0 and 0.142.0.
 *
 * One JSON object a line. `thread.started` names the session, which is found from any directory; `item.*` is its work; `turn.completed` or `turn.failed` ends
 * the turn. An `error` is final unless it begins with "Reconnecting...". A launcher in Node passes TERM on to the native binary; a running tool is ended with it.
 * It asks nobody anything when it is run like this.
 */

const words: CliWords = {
  cli: 'codex',
  install: 'npm install -g @openai/codex',
  update: 'codex update',
  signIn: 'run codex login, or set CODEX_API_KEY',
  models: 'run codex and type /model',
};

export const codexAdapter: AgentAdapter = {
  name: 'codex',
  install: words.install,
  abilities: { resume: 'anywhere', choosesSessionId: false, enforces: ['accessPreset'] },
  matches: (name) => name === 'codex',
  probe: async (request) => await probeCodex(request, words),
  execute,
};

/** A thread id. Anything else may be the name of a session, and for one that it does not find Codex begins a new session without a word. */
const THREAD_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

async function execute(request: AgentRequest): Promise<AgentTurn> {
  const { session, mode, hostEnv } = request;
  if (session !== undefined && !THREAD_ID.test(session.id)) {
    const hint = 'Leave resume out, or pass the sessionId of an earlier result of codex.';
    return { outcome: { class: 'failed', code: 'worker_error', sessionUnknown: true, text: `codex has no session ${session.id}: its sessions have UUIDs.`, hint }, warnings: [] };
  }
  const [call, tokens] = await Promise.all([callOf(request), mode === 'llm' ? noTokens : turnTokens(codexHome(hostEnv), session?.id)]);
  return await driveCli({ request, words, call, reader: new CodexReader(request, tokens) });
}

/** Without this it waits for a network for ever. */
const NO_ENDLESS_RETRIES = 'features.unbounded_connection_retries=false';

/** What offers tools. They are switched off one by one; a version that does not know one says so and goes on. */
const TOOLS = [
  'features.shell_tool=false', 'features.unified_exec=false', 'features.view_image=false', 'features.goals=false', 'features.sleep_tool=false',
  'features.image_generation=false', 'features.apps=false', 'features.plugins=false', 'features.tool_suggest=false', 'features.skill_search=false',
  'features.hooks=false', 'features.browser_use=false', 'features.computer_use=false', 'features.multi_agent=false',
  'tools.experimental_request_user_input.enabled=false', 'tools.update_plan.enabled=false', 'web_search="disabled"', 'skills.include_instructions=false',
];

/** It switches off the sub-agents that newer models have, which `multi_agent` does not. Versions up to 0.142 refuse to start with it. */
const NO_SUB_AGENTS = { setting: 'agents.enabled=false', since: '0.145.0' };

/** Rules of the user may let commands out of the sandbox. */
const READ_ONLY = ['--sandbox', 'read-only', '--ignore-rules'];

async function callOf(request: AgentRequest): Promise<CliCall> {
  const { mode, session, model, permissions, task } = request;
  const isReadOnly = mode === 'llm' || permissions?.accessPreset === 'readonly';
  // `workspace-write` would make `.git` read-only. The sandbox is no option of `resume`, so it stands before it.
  const args = ['exec', ...(isReadOnly ? READ_ONLY : []), ...(session === undefined ? [] : ['resume', session.id]), '--skip-git-repo-check'];
  if (!isReadOnly) args.push('--dangerously-bypass-approvals-and-sandbox');
  if (model !== undefined) args.push('--model', model);
  args.push('--json', '-c', NO_ENDLESS_RETRIES);
  if (mode === 'agent') return { args: [...args, '-'], input: task };

  const { mcpServers } = await codexConfig(request.hostEnv);
  const { version } = request.identity;
  const subAgents = version === undefined || compareVersions(version, NO_SUB_AGENTS.since) < 0 ? [] : [NO_SUB_AGENTS.setting];
  const off = [...TOOLS, ...subAgents, ...mcpServers.map((name) => `mcp_servers.${name}.enabled=false`)];
  args.push('--ephemeral', ...off.flatMap((setting) => ['-c', setting]));
  if (request.schema === undefined || !isStrictSchema(request.schema)) return { args: [...args, '-'], input: task };
  const folder = await mkdtemp(path.join(os.tmpdir(), 'relayflows-schema-'));
  const file = path.join(folder, 'schema.json');
  await writeFile(file, JSON.stringify(request.schema));
  return { args: [...args, '--output-schema', file, '-'], input: task, cleanUp: async () => await rm(folder, { recursive: true, force: true }) };
}
