import { stripVTControlCharacters } from 'node:util';
import { FlowsError } from '../../../errors/flows-error.js';
import type { ProcessOutcome } from '../../../process/port.js';
import { outcomeEvidence } from '../../outcome-evidence.js';
import { ask, notSignedIn, requireVersion } from '../../driver/probe.js';
import type { CliWords } from '../../driver/words.js';
import type { AgentIdentity, ProbeRequest } from '../../port.js';
import { ENVIRONMENT } from './environment.js';

/** What is observed and tested; where its log and its records are known from. */
const LOWEST_VERSION = '1.18.0';
/** It lists models without asking a provider, but a first start prepares its database and may wait for a list from the network. */
const MODELS_MS = 60_000;

/**
 * Whether it has a model to talk to decides, not whether somebody signed in: a provider may have its key in `opencode.json` or need none, and then
 * `opencode auth list` counts no credentials. Its list holds the models of all providers that it could use here.
 */
export async function probeOpencode(request: ProbeRequest, words: CliWords): Promise<AgentIdentity> {
  const models = ['models'];
  const [version, listed] = await Promise.all([
    ask(request, words, { args: ['--version'], env: ENVIRONMENT, deadlineMs: request.deadlines?.identityMs }),
    ask(request, words, { args: models, env: ENVIRONMENT, deadlineMs: request.deadlines?.modelMs ?? MODELS_MS }),
  ]);
  const number = requireVersion(request, words, { outcome: version, args: ['--version'], lowest: LOWEST_VERSION });
  const offered = modelsOf(listed.stdout.text);
  if (listed.exitCode !== 0) throw notListed(request, models, listed);
  if (offered.length === 0) throw notSignedIn(request, words, models, listed, 'lists no model');
  if (request.model !== undefined) requireModel(request, words, request.model, offered);
  // Not beside the list: in a new home both would make the database, and one of them then fails over a table that exists.
  const credentials = await ask(request, words, { args: ['auth', 'list'], env: ENVIRONMENT, deadlineMs: request.deadlines?.signInMs ?? MODELS_MS });
  const account = accountOf(credentials.stdout.text);
  return { executable: request.executable, version: number, models: offered, ...(account === undefined ? {} : { account }) };
}

/** One name a line, with the name of its provider in front: `anthropic/claude-opus-4-5`. */
export function modelsOf(text: string): readonly string[] {
  return text.split('\n').map((line) => line.trim()).filter((line) => /^[^\s/]+\/\S+$/.test(line));
}

/** Its credentials and the variables that it found, as people know them: `Anthropic oauth, OpenAI OPENAI_API_KEY`. It never shows a key. */
export function accountOf(text: string): string | undefined {
  const names = text.split('\n').map((line) => /^●\s+(.+)$/.exec(stripVTControlCharacters(line).trim())?.[1]?.replaceAll(/\s+/g, ' '));
  const found = names.filter((name) => name !== undefined);
  return found.length === 0 ? undefined : found.join(', ');
}

function requireModel(request: ProbeRequest, words: CliWords, model: string, offered: readonly string[]): void {
  if (offered.includes(model)) return;
  const provider = model.split('/')[0] ?? '';
  const evidence = { path: request.executable, model };
  if (!model.includes('/')) {
    const meant = offered.filter((name) => name.endsWith(`/${model}`));
    const hint = meant.length > 0 ? `Write ${meant.slice(0, 3).join(' or ')}.` : `To see the models, ${words.models}.`;
    throw new FlowsError('model_unknown', `${words.cli} names its models provider/model, and "${model}" names no provider.`, { hint, evidence });
  }
  if (offered.some((name) => name.startsWith(`${provider}/`))) {
    throw new FlowsError('model_unknown', `${words.cli} has no model "${model}".`, { hint: `To see the models, ${words.models}.`, evidence });
  }
  throw new FlowsError('model_unavailable', `${words.cli} cannot use "${model}" here: it has no provider "${provider}", or no credentials for it.`, {
    hint: `To see what it can use, ${words.models}. To sign in, ${words.signIn}.`,
    evidence,
  });
}

function notListed(request: ProbeRequest, args: readonly string[], outcome: ProcessOutcome): FlowsError {
  const said = /^Error: (.*\S)/m.exec(stripVTControlCharacters(outcome.stderr.text))?.[1];
  return new FlowsError('probe_failed', `opencode models failed${said === undefined ? '' : `: ${said.replace(/[\s:.]+$/, '')}`}.`, {
    hint: 'Run the command by hand. Its settings are in ~/.config/opencode and in opencode.json.',
    evidence: outcomeEvidence(request, args, outcome),
  });
}
