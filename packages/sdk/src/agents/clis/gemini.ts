import { randomUUID } from 'node:crypto';
import { FlowsError } from '../../errors/flows-error.js';
import { driveCli, type CliCall } from '../driver/drive.js';
import { ask, requireVersion } from '../driver/probe.js';
import type { CliWords } from '../driver/words.js';
import type { AgentAdapter, AgentIdentity, AgentRequest, AgentTurn, ProbeRequest } from '../port.js';
import { answerPlace } from './gemini/answer-place.js';
import { gitIdentity } from './gemini/git-identity.js';
import { limitsOf } from './gemini/limits.js';
import { GeminiReader } from './gemini/reader.js';
import { removeSession } from './gemini/session-trace.js';
import { signInFor } from './gemini/sign-in.js';
import { isTooLong, spelledOut } from './gemini/task.js';
import { wholeOutput } from './gemini/whole-output.js';

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

async function execute(given: AgentRequest): Promise<AgentTurn> {
  const { mode, model, hostEnv } = given;
  if (hostEnv['GEMINI_RESTRICTED_MODE'] === 'true') return refusal('gemini trusts no directory while GEMINI_RESTRICTED_MODE is true, and would refuse whatever writes.', 'Unset GEMINI_RESTRICTED_MODE.');
  const request = mode === 'llm' ? { ...given, cwd: await answerPlace({ cwd: given.cwd, env: hostEnv }) } : given;
  const { input, changes } = await spelledOut(request.task, request.cwd);
  if (isTooLong(input)) return refusal(`The task has ${Buffer.byteLength(input)} bytes, and gemini reads no more than 8 MiB of it.`, 'Put the long part into a file, and name the file in the task.');
  const reader = new GeminiReader({ cwd: request.cwd, model, keepsSession: mode === 'agent', warnings: changes.map((text) => ({ code: 'task_changed', text })) });
  return await driveCli({ request, words, call: mode === 'llm' ? await question(request, input) : await work(request, input), reader });
}

function refusal(text: string, hint: string): AgentTurn {
  return { outcome: { class: 'failed', code: 'worker_error', text, hint }, warnings: [] };
}

async function work(request: AgentRequest, input: string): Promise<CliCall> {
  const { hostEnv, session, permissions } = request;
  const limits = permissions?.accessPreset === 'readonly' ? await limitsOf('read', hostEnv) : undefined;
  return {
    args: [
      ...OUTPUT,
      ...(limits?.args ?? ['--approval-mode', 'yolo']),
      ...(session === undefined ? [] : [session.kind === 'resume' ? '--resume' : '--session-id', session.id]),
      ...modelSwitch(request),
    ],
    input,
    env: { ...ENVIRONMENT, NODE_OPTIONS: wholeOutput(hostEnv['NODE_OPTIONS']), ...(limits === undefined ? await gitIdentity(request) : {}) },
    ...(limits === undefined ? {} : { cleanUp: limits.remove }),
  };
}

async function question(request: AgentRequest, input: string): Promise<CliCall> {
  const { hostEnv, cwd } = request;
  const limits = await limitsOf('answer', hostEnv);
  const id = randomUUID();
  return {
    args: [...OUTPUT, ...limits.args, '--session-id', id, ...modelSwitch(request)],
    input,
    env: { ...ENVIRONMENT, NODE_OPTIONS: wholeOutput(hostEnv['NODE_OPTIONS']) },
    cleanUp: async () => {
      await Promise.all([limits.remove(), removeSession({ id, cwd, env: hostEnv })]);
    },
  };
}

const OUTPUT = ['--output-format', 'stream-json'];

function modelSwitch({ model }: AgentRequest): readonly string[] {
  return model === undefined ? [] : ['--model', model];
}
