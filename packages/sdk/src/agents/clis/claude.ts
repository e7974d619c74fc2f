import { driveCli, type CliCall } from '../driver/drive.js';
import { ask, notSignedIn, requireVersion } from '../driver/probe.js';
import { parseRecord, textOf } from '../driver/record.js';
import type { CliWords } from '../driver/words.js';
import type { AgentAdapter, AgentIdentity, AgentRequest, ProbeRequest } from '../port.js';
import { ClaudeReader } from './claude/reader.js';

/*
 * Claude Code, observed with 2.1.40, 2.1.197 and 2.1.332. How its records are read stands in `claude/reader.ts`.
 *
 * 2.1.197 finds a session only from the directory it began in; 2.1.332 from any. A session id that is in use ends it with status 1 and without a record.
 * A running tool is ended with it. It waits for shell commands that it has in the background, without end.
 */

/** The oldest that was observed; its `auth status` does not count a key that stands in the settings alone. 2.0.77 has none: it sends these words to the model. */
const LOWEST_VERSION = '2.1.40';

const words: CliWords = {
  cli: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
  update: 'claude update',
  signIn: 'run claude and type /login, or set ANTHROPIC_API_KEY',
  models: 'run claude and type /model',
};

export const claudeAdapter: AgentAdapter = {
  name: 'claude',
  install: words.install,
  abilities: { resume: 'same_directory', choosesSessionId: true, enforces: ['accessPreset'] },
  matches: (name) => name === 'claude',
  probe,
  execute: async (request) => await driveCli({ request, words, call: callOf(request), reader: new ClaudeReader({ cwd: request.cwd, keepsSession: request.mode === 'agent' }) }),
};

/** One after the other: asked for its sign-in, a version that is too old would begin a conversation. */
async function probe(request: ProbeRequest): Promise<AgentIdentity> {
  const version = ['--version'];
  const outcome = await ask(request, words, { args: version, deadlineMs: request.deadlines?.identityMs });
  const number = requireVersion(request, words, { outcome, args: version, lowest: LOWEST_VERSION });

  const status = ['auth', 'status'];
  const signIn = await ask(request, words, { args: status, deadlineMs: request.deadlines?.signInMs });
  // Printed over many lines.
  const told = parseRecord(signIn.stdout.text.trim().replaceAll('\n', ' '));
  if (told?.['loggedIn'] === false) throw notSignedIn(request, words, status, signIn, 'says that nobody is logged in');
  if (signIn.exitCode !== 0) throw notSignedIn(request, words, status, signIn);
  const account = textOf(told?.['email']) ?? textOf(told?.['authMethod']);
  return { executable: request.executable, version: number, ...(account === undefined ? {} : { account }) };
}

/**
 * All that is left to an agent that may only read. A list of what it may not use would hold until the next version has another tool: beside Bash, Edit and
 * Write, others of 2.1.332 run commands (Monitor, Skill), make directories and branches (EnterWorktree) or start agents (Agent, Workflow). Servers of tools may do
 * anything, so there are none.
 */
const READ_ONLY = ['--tools', 'Read,Glob,Grep,WebFetch,WebSearch', '--strict-mcp-config'];

/** No tools, no servers of tools, no skills, and nothing is written down. */
const ANSWER_ONLY = ['--tools', '', '--strict-mcp-config', '--disable-slash-commands', '--no-session-persistence'];

/** What the user has made for work in repositories (hooks, plugins, memory, CLAUDE.md) takes no part in an answer; signing in and the model do. */
const ANSWER_ENVIRONMENT = { CLAUDE_CODE_SAFE_MODE: '1' };

/*
 * Not used: `--json-schema`. It refuses schemas that are valid here (another `$schema` than draft 7, a keyword of one's own), and a model that answers with the
 * JSON it was asked for is told to answer again with a tool; what it said first is lost.
 * Not claimed: `fileGlobs`. `--permission-mode dontAsk --allowedTools 'Edit(src/**)'` holds Edit and Write, of subagents too, but not Bash, and a rule in the settings of the
 * user or the repository may allow more.
 */
function callOf(request: AgentRequest): CliCall {
  const { mode, session, model, permissions } = request;
  const isAnswer = mode === 'llm';
  // Without the pieces of messages it tells how many tokens it wrote only in its result, which a turn that is stopped does not have.
  const args = ['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'];
  if (isAnswer) args.push(...ANSWER_ONLY);
  else args.push('--dangerously-skip-permissions');
  if (session !== undefined) args.push(session.kind === 'resume' ? '--resume' : '--session-id', session.id);
  if (model !== undefined) args.push('--model', model);
  if (!isAnswer && permissions?.accessPreset === 'readonly') args.push(...READ_ONLY);
  // A new version must not take the place of the one that was probed.
  const env = { DISABLE_AUTOUPDATER: '1', ...forRoot(), ...(isAnswer ? ANSWER_ENVIRONMENT : {}) };
  return { args, input: inputOf(request.task), env };
}

/**
 * Root may skip permissions only in what says of itself that it is a sandbox. The flow's author has decided that the agent may work, so it is said for root;
 * nobody else needs it, and it could loosen something else for them.
 */
function forRoot(): Readonly<Record<string, string>> {
  return process.getuid?.() === 0 ? { IS_SANDBOX: '1' } : {};
}

/**
 * A task that begins with the name of one of its commands (`/review`, `/clear`) is taken for the command, also by `--disable-slash-commands`: the model sees
 * another text or none, and the turn is a success. Behind a line break it is a task like any other, and arrives byte for byte.
 */
function inputOf(task: string): string {
  return task.startsWith('/') ? `\n${task}` : task;
}
