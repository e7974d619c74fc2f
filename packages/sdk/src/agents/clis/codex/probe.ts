import { FlowsError, isFlowsError } from '../../../errors/flows-error.js';
import type { ProcessOutcome } from '../../../process/port.js';
import { ask, notSignedIn, requireVersion } from '../../driver/probe.js';
import { listOf, parseRecord, recordOf, textOf, type JsonRecord } from '../../driver/record.js';
import type { CliWords } from '../../driver/words.js';
import { outcomeEvidence } from '../../outcome-evidence.js';
import type { AgentIdentity, ProbeRequest } from '../../port.js';
import { codexConfig } from './home.js';

/** The lowest version that was tried. 0.100.0 has no `--ignore-rules`. */
const LOWEST_VERSION = '0.125.0';

const LOGIN = ['login', 'status'];
const DOCTOR = ['doctor', '--json'];
/** The catalog comes with the instructions for each model. */
const CATALOG_BYTES = 8_388_608;

/** Who Codex is, and whether it can work. */
export async function probeCodex(request: ProbeRequest, words: CliWords): Promise<AgentIdentity> {
  const { identityMs, signInMs } = request.deadlines ?? {};
  const [version, login, doctor, catalog, config] = await Promise.all([
    ask(request, words, { args: ['--version'], deadlineMs: identityMs }),
    ask(request, words, { args: LOGIN, deadlineMs: signInMs }),
    ifAnswered(ask(request, words, { args: DOCTOR, deadlineMs: signInMs })),
    ifAnswered(ask(request, words, { args: ['debug', 'models'], deadlineMs: identityMs, readBytes: CATALOG_BYTES })),
    codexConfig(request.hostEnv),
  ]);
  const number = requireVersion(request, words, { outcome: version, args: ['--version'], lowest: LOWEST_VERSION });
  const checks = recordOf(objectOf(doctor)['checks']);
  const signIn = signInOf({
    isLoggedIn: login.exitCode === 0,
    said: `${login.stderr.text}\n${login.stdout.text}`,
    doctor: checks['auth.credentials'] === undefined ? undefined : recordOf(checks['auth.credentials']),
    provider: textOf(recordOf(recordOf(checks['config.load'])['details'])['model provider']) ?? config.provider,
    hasKey: (request.hostEnv['CODEX_API_KEY'] ?? '').trim() !== '',
    hasOpenAiKey: (request.hostEnv['OPENAI_API_KEY'] ?? '').trim() !== '',
  });
  if (signIn.is === 'broken') {
    throw new FlowsError('probe_failed', `codex cannot read its settings: ${signIn.why}`, { hint: 'Correct what it complains about, then try codex login status.', evidence: outcomeEvidence(request, LOGIN, login) });
  }
  if (signIn.is === 'out') {
    const error = notSignedIn(request, words, LOGIN, login);
    throw new FlowsError('cli_unauthenticated', signIn.why === undefined ? error.text : `codex is not signed in: ${signIn.why}`, { hint: signIn.hint ?? error.hint ?? '', evidence: error.evidence });
  }
  // The catalog is of OpenAI's models, whoever answers.
  const models = signIn.isOpenAi ? modelsOf(objectOf(catalog)) : [];
  return { executable: request.executable, version: number, account: signIn.account, ...(models.length === 0 ? {} : { models }) };
}

export interface SignInFacts {
  /** What `codex login status` exits with: it looks at `auth.json` only. */
  readonly isLoggedIn: boolean;
  readonly said: string;
  /** The check `auth.credentials` of `codex doctor`, which looks at the provider that will be used; absent in older versions, and where the network is too slow for its other checks. */
  readonly doctor: JsonRecord | undefined;
  /** The provider of the settings. */
  readonly provider: string | undefined;
  /** `CODEX_API_KEY` is set: `codex exec` uses it before anything else. */
  readonly hasKey: boolean;
  /** `OPENAI_API_KEY` is set: `codex exec` does not use it, though `codex doctor` takes it for a sign-in. */
  readonly hasOpenAiKey: boolean;
}

export type SignIn =
  | { readonly is: 'in'; readonly account: string; readonly isOpenAi: boolean }
  | { readonly is: 'out'; readonly why?: string; readonly hint?: string }
  /** It cannot read its settings. */
  | { readonly is: 'broken'; readonly why: string };

/** Whether Codex has what it needs to be answered. A working set-up is never refused; one that cannot work is, as far as it can be known without a request. Pure. */
export function signInOf({ isLoggedIn, said, doctor, provider, hasKey, hasOpenAiKey }: SignInFacts): SignIn {
  const isOpenAi = provider === undefined || provider === 'openai';
  const by = (account: string): SignIn => ({ is: 'in', account, isOpenAi });
  const why = sentence(textOf(doctor?.['summary']));
  const details = recordOf(doctor?.['details']);
  const needsNoOpenAi = textOf(details['model provider requires OpenAI auth']) === 'false';
  if (doctor?.['status'] === 'fail') {
    const variable = /^(\w+) \(missing\)/.exec(textOf(details['provider auth env var']) ?? '')?.[1];
    if (variable !== undefined) return { is: 'out', why: `its provider ${provider ?? ''} needs the variable ${variable}, which is not set.`, hint: `Set ${variable} to the key of the provider.` };
    return { is: 'out', ...(why === undefined ? {} : { why }) };
  }
  if (doctor !== undefined && needsNoOpenAi) return by(`provider ${provider ?? 'of its settings'}`);
  if (hasKey) return by('CODEX_API_KEY');
  if (isLoggedIn) return by(accountOf(said));
  if (/^Error (?:loading configuration|parsing)|^CODEX_HOME/m.test(said)) return { is: 'broken', why: sentence(/^(?:Error|CODEX_HOME).*$/m.exec(said)?.[0]) ?? '' };
  if (doctor !== undefined && details['auth env vars present'] === undefined) return by('codex login');
  if (doctor === undefined && !isOpenAi) return by(`provider ${provider}`);
  if (hasOpenAiKey) return { is: 'out', why: 'it does not use OPENAI_API_KEY by itself.', hint: 'To sign in with that key, run printenv OPENAI_API_KEY | codex login --with-api-key, or set CODEX_API_KEY.' };
  return { is: 'out' };
}

/** `API key`, `ChatGPT`. It shows parts of the key behind a dash. */
function accountOf(said: string): string {
  const line = said.split('\n').find((candidate) => /configured|logged in/i.test(candidate)) ?? '';
  return /using (?:an? )?(.+?)(?: - .*)?$/i.exec(line.trim())?.[1] ?? (/API key/i.test(line) ? 'API key' : 'codex login');
}

function modelsOf(catalog: JsonRecord): string[] {
  return listOf(catalog['models']).map(recordOf).flatMap(({ slug, visibility }) => (typeof slug === 'string' && visibility === 'list' ? [slug] : []));
}

function objectOf(outcome: ProcessOutcome | undefined): JsonRecord {
  const text = outcome?.stdout.text ?? '';
  return parseRecord(text.slice(Math.max(0, text.indexOf('{'))).trim()) ?? {};
}

/** Older versions have no such command, and a question that looks at the network may take too long: the others decide then. */
async function ifAnswered(asked: Promise<ProcessOutcome>): Promise<ProcessOutcome | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isFlowsError(error) && error.code === 'probe_failed') return undefined;
    throw error;
  }
}

function sentence(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : /[.!?]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`;
}
