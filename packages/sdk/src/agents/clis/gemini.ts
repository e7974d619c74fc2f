import { randomUUID } from 'node:crypto';
import { FlowsError } from '../../errors/flows-error.js';
import { driveCli, type CliCall } from '../driver/drive.js';
import { ask, requireVersion } from '../driver/probe.js';
import type { CliWords } from '../driver/words.js';
import type { AgentAdapter, AgentFailure, AgentIdentity, AgentRequest, AgentTurn, ProbeRequest } from '../port.js';
import { gitIdentity } from './gemini/git-identity.js';
import { GeminiReader } from './gemini/reader.js';
import { removeSession } from './gemini/session-trace.js';
import { settingsOfCall, systemFile, type CallSettings, type HeldTo } from './gemini/settings.js';
import { signInFor } from './gemini/sign-in.js';
import { isTooLong, spelledOut } from './gemini/task.js';

/*
 * The Gemini CLI, observed with 0.61.0 and, in part, 0.42.0.
 *
 * Without a terminal it works headless, and the standard input alone is the prompt: `-p` is not needed. What it writes is told in `gemini/reader.ts`.
 * Its launcher starts itself a second time and swallows TERM; with GEMINI_CLI_NO_RELAUNCH there is one process, which ends at once, with status 0. A
 * running shell command lives on then, in a process group of its own: the sweep by environment ends it.
 * A session is found only from the directory it began in.
 * Its shell tool refuses `$( )` and backticks.
 */

/** Older ones do not know `--session-id` and GEMINI_CLI_TRUST_WORKSPACE. */
const LOWEST_VERSION = '0.42.0';

const words: CliWords = {
  cli: 'gemini',
  install: 'npm install -g @google/gemini-cli',
  update: 'npm install -g @google/gemini-cli@latest',
  signIn: 'run gemini and choose a way to sign in, or set GEMINI_API_KEY',
  models: 'run gemini and type /model',
};

export const geminiAdapter: AgentAdapter = {
  name: 'gemini',
  install: words.install,
  abilities: { resume: 'same_directory', choosesSessionId: true, enforces: ['accessPreset'] },
  matches: (name) => name === 'gemini',
  probe,
  execute,
};

/** One process instead of two, and a directory that is worked in is trusted: else the CLI ends the turn, or goes on and refuses every tool that writes. */
const ENVIRONMENT = { GEMINI_CLI_NO_RELAUNCH: 'true', GEMINI_CLI_TRUST_WORKSPACE: 'true' };

async function probe(request: ProbeRequest): Promise<AgentIdentity> {
  const args = ['--version'];
  const [version, signIn] = await Promise.all([
    ask(request, words, { args, env: ENVIRONMENT, deadlineMs: request.deadlines?.identityMs }),
    signInFor({ cwd: request.cwd, env: request.hostEnv }),
  ]);
  const number = requireVersion(request, words, { outcome: version, args, lowest: LOWEST_VERSION });
  if (signIn === 'unclear') return { executable: request.executable, version: number };
  if (!signIn.known) {
    throw new FlowsError('cli_unauthenticated', `gemini is not signed in: ${signIn.why}.`, {
      hint: `To sign in, ${words.signIn}.`,
      evidence: { path: request.executable, version: number, cwd: request.cwd },
    });
  }
  return { executable: request.executable, version: number, account: signIn.account };
}

async function execute(request: AgentRequest): Promise<AgentTurn> {
  const { mode, model, cwd, hostEnv } = request;
  if (hostEnv['GEMINI_RESTRICTED_MODE'] === 'true') return refusal('gemini trusts no directory while GEMINI_RESTRICTED_MODE is true, and would do nothing.', 'Unset GEMINI_RESTRICTED_MODE.');
  const { input, changes } = await spelledOut(request.task, cwd);
  if (isTooLong(input)) return refusal(`The task has ${Buffer.byteLength(input)} bytes, and gemini reads no more than 8 MiB of it.`, 'Put the long part into a file, and name the file in the task.');
  const settings = await settingsOfCall(hostEnv, heldTo(request));
  if (settings === undefined) return refusal(`The system settings of gemini cannot be read: ${systemFile(hostEnv)}.`, 'Run gemini by hand to see what is wrong with them.');
  const reader = new GeminiReader({ model, keepsSession: mode === 'agent', warnings: changes.map((text) => ({ code: 'task_changed', text })) });
  return await driveCli({ request, words, call: await callOf(request, { input, settings }), reader });
}

function refusal(text: string, hint: string): AgentTurn {
  const failure: AgentFailure = { text, hint };
  return { outcome: { class: 'failed', code: 'worker_error', ...failure }, warnings: [] };
}

function heldTo({ mode, permissions }: AgentRequest): HeldTo {
  if (mode === 'llm') return 'answer';
  return permissions?.accessPreset === 'readonly' ? 'read' : 'work';
}

/** No tool server has this name. An empty list would mean all of them. */
const NO_SERVERS = ['--allowed-mcp-server-names', 'relayflows-allows-none'];

async function callOf(request: AgentRequest, given: { readonly input: string; readonly settings: CallSettings }): Promise<CliCall> {
  const { mode, model, cwd, hostEnv } = request;
  const { input, settings } = given;
  const works = heldTo(request) === 'work';
  const session = mode === 'llm' ? { kind: 'new' as const, id: randomUUID() } : request.session;
  const args = ['--output-format', 'stream-json'];
  if (works) args.push('--approval-mode', 'yolo');
  // What `tools.core` leaves is allowed without asking; whatever else there might be is refused where nobody can be asked.
  else args.push('--approval-mode', 'default', '--extensions', 'none', ...NO_SERVERS);
  if (session !== undefined) args.push(session.kind === 'resume' ? '--resume' : '--session-id', session.id);
  if (model !== undefined) args.push('--model', model);
  return {
    args,
    input,
    env: { ...ENVIRONMENT, ...(works ? await gitIdentity(request) : {}), GEMINI_CLI_SYSTEM_SETTINGS_PATH: settings.file },
    cleanUp: async () => {
      await settings.remove();
      if (mode === 'llm' && session !== undefined) await removeSession({ id: session.id, cwd, env: hostEnv });
    },
  };
}
