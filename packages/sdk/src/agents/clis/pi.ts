import { FlowsError } from '../../errors/flows-error.js';
import type { ProcessOutcome } from '../../process/port.js';
import { driveCli } from '../driver/drive.js';
import { ask, notSignedIn, requireVersion } from '../driver/probe.js';
import type { CliWords } from '../driver/words.js';
import { outcomeEvidence } from '../outcome-evidence.js';
import type { AgentAdapter, AgentIdentity, AgentRequest, AgentTurn, ProbeRequest } from '../port.js';
import { delivery } from './pi/delivery.js';
import { listedModels, modelsNamed, nearestModels } from './pi/models.js';
import { PiReader } from './pi/reader.js';
import { complaintOf } from './pi/result.js';
import { sessionSwitches } from './pi/session.js';

/*
 * pi, observed with 0.73.1 (`@mariozechner/pi-coding-agent`, its last version) and 1.6.0 (`@earendil-works/pi-coding-agent`, the same program since).
 *
 * One JSON object a line with `--mode json`; how it is read stands in `pi/reader.ts`. A running tool is ended with it, and what has left the
 * tool's process group is not. 0.73.1 does not know `--session-id`, so its sessions choose their own ids.
 *
 * 0.73.1 waits as long as a provider's `Retry-After` says before it tries again, hours too and without a record, unless `retry.provider.maxRetries` in
 * its settings is 0; only a timeout of the step ends that. 1.6.0 states the limit at once.
 */

/** The lowest version that was observed. */
const LOWEST_VERSION = '0.73.1';

const INSTALL = 'npm install -g @earendil-works/pi-coding-agent';

const words: CliWords = {
  cli: 'pi',
  install: INSTALL,
  // The package has been renamed, and two packages cannot own one command.
  update: `npm uninstall -g @mariozechner/pi-coding-agent && ${INSTALL}`,
  signIn: 'run pi and type /login, or set the API key variable of a provider, such as ANTHROPIC_API_KEY',
  models: 'run pi --list-models',
};

export const piAdapter: AgentAdapter = {
  name: 'pi',
  install: words.install,
  abilities: { resume: 'anywhere', choosesSessionId: false, enforces: ['accessPreset'] },
  matches: (name) => name === 'pi',
  probe,
  execute,
};

/**
 * Twenty that start at once shall not each fetch lists of models, packages of the settings or missing search programs. Whoever wants that says
 * `PI_OFFLINE=0`; without the search programs (`rg`, `fd`), which a first start at a terminal fetches, its tools grep and find report that they miss them.
 */
function environment(host: AgentRequest['hostEnv']): Readonly<Record<string, string>> {
  return { PI_SKIP_VERSION_CHECK: '1', ...(host['PI_OFFLINE'] === undefined ? { PI_OFFLINE: '1' } : {}) };
}

/** A row takes about 100 bytes, and somebody may be signed in everywhere; without its head the list cannot be read. */
const LIST_BYTES = 4_194_304;

async function probe(request: ProbeRequest): Promise<AgentIdentity> {
  const env = environment(request.hostEnv);
  const list = ['--list-models'];
  const [version, listed] = await Promise.all([
    ask(request, words, { args: ['--version'], env, deadlineMs: request.deadlines?.identityMs }),
    ask(request, words, { args: list, env, deadlineMs: request.deadlines?.signInMs, readBytes: LIST_BYTES }),
  ]);
  requireNode(request, version);
  const number = requireVersion(request, words, { outcome: onStdout(version), args: ['--version'], lowest: LOWEST_VERSION });
  const models = listedModels(onStdout(listed).stdout.text);
  if (models.length === 0) throw notSignedIn(request, words, list, listed, complaint(listed));
  if (request.model !== undefined) requireModel(request.model, models);
  const providers = new Set(models.map((model) => model.slice(0, model.indexOf('/'))));
  return { executable: request.executable, version: number, account: [...providers].join(', '), models };
}

/** 0.73.1 answers on its error output when its input is no terminal. */
function onStdout(outcome: ProcessOutcome): ProcessOutcome {
  return outcome.stdout.text.trim() === '' ? { ...outcome, stdout: outcome.stderr } : outcome;
}

/** It ends with status 0 also when it lists nothing. */
function complaint({ stdout, stderr }: ProcessOutcome): string {
  return `lists no model: ${complaintOf(`${stdout.text}\n${stderr.text}`) ?? 'it says nothing'}`.replace(/\.$/, '');
}

/** Throws `cli_unsupported` when the Node.js that runs pi is too old for it: it ends with a syntax error then. */
function requireNode(request: ProbeRequest, version: ProcessOutcome): void {
  const node = /SyntaxError[\s\S]*^Node\.js v(\S+)/m.exec(version.stderr.text)?.[1];
  if (version.exitCode === 0 || node === undefined) return;
  throw new FlowsError('cli_unsupported', `${request.executable} does not run with Node.js ${node}.`, {
    hint: 'pi 1 needs Node.js 22.19 or newer: put one first on the PATH.',
    evidence: outcomeEvidence(request, ['--version'], version),
  });
}

/** Throws `model_unknown` unless exactly one model bears the name: pi would take another one without a word. */
function requireModel(asked: string, models: readonly string[]): void {
  const named = modelsNamed(asked, models);
  if (named.length === 1) return;
  if (named.length > 1) {
    throw new FlowsError('model_unknown', `pi offers the model ${asked} by several providers: ${named.join(', ')}.`, { hint: 'Name it together with its provider.', evidence: { models: [...named] } });
  }
  const near = nearestModels(asked, models);
  throw new FlowsError('model_unknown', `pi does not list a model ${asked}. It lists the models of the providers that somebody is signed in to.`, {
    hint: `Name one by its whole name, such as ${near.join(', ')}; to see all, ${words.models}. To use another provider, ${words.signIn}. A model that is too new to be listed goes into the models.json of pi.`,
    evidence: { models: [...near] },
  });
}

async function execute(request: AgentRequest): Promise<AgentTurn> {
  const { mode, cwd, task, session, identity, permissions } = request;
  // A name like that would be taken for a file, and such a file would be begun.
  if (session?.id.endsWith('.jsonl') === true) return { outcome: { class: 'failed', code: 'worker_error', sessionUnknown: true, ...NO_ID(session.id) }, warnings: [] };
  const model = request.model === undefined ? undefined : (modelsNamed(request.model, identity.models ?? [])[0] ?? request.model);
  const continued = session === undefined ? [] : await sessionSwitches(session.id, request);
  const told = await delivery(task);
  const args = ['-p', '--mode', 'json', ...continued, ...(model === undefined ? [] : ['--model', model]), ...told.args];
  if (mode === 'llm') args.push(...ANSWER_ONLY);
  if (permissions?.accessPreset === 'readonly') args.push('--tools', READING_TOOLS);
  const reader = new PiReader({
    cwd,
    sessionless: mode === 'llm',
    ...(model === undefined ? {} : { model }),
    ...(session !== undefined && continued[0] === '--session' ? { sessionId: session.id } : {}),
  });
  return await driveCli({ request, words, call: { ...told, args, env: environment(request.hostEnv) }, reader });
}

const NO_ID = (id: string) => ({ text: `pi cannot continue the session: ${id} is the name of a file and no id of a session.`, hint: 'Pass the sessionId that an earlier step returned.' });

/** 1.6.0 keeps the tools of MCP servers beside such a list, unless it has a name that begins like theirs. Neither version minds one that does not exist. */
const READING_TOOLS = 'read,grep,find,ls,mcp__';

/** Nothing of the directory, of the settings and of earlier sessions takes part in an answer; providers that extensions add do not either. */
const ANSWER_ONLY = [
  '--no-tools', '--no-session', '--no-extensions', '--no-skills', '--no-context-files',
  '--system-prompt', 'Answer the message. You have no tools.', '--append-system-prompt', '',
];
