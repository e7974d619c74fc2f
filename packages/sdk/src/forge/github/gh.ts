import type { Environment } from '../environment.js';
import type { Answer, Lost, Transport } from '../http/exchange.js';
import { runProgram } from '../program.js';

export interface GhPlace {
  /** As `gh` calls it, with a port where there is one. */
  readonly host: string;
  /** Absolute path. */
  readonly cwd: string;
  readonly env: Environment;
}

/** The status of a `gh` that is not signed in. */
const NOT_SIGNED_IN = 4;
const QUIET = { GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1', NO_COLOR: '1', CLICOLOR_FORCE: '0', GH_PAGER: 'cat', GH_DEBUG: '' };

/** The token that `gh` keeps for a host. `undefined` where it has none, does not give it away, or is not installed. */
export async function ghToken(place: GhPlace): Promise<string | undefined> {
  const { code, stdout } = await gh(place, ['auth', 'token', '--hostname', place.host]);
  const token = stdout.trim();
  return code === 0 && /^\S+$/.test(token) ? token : undefined;
}

/**
 * Whether `gh` has credentials for a host. It tries them out, so that it fails without a network or with a token that was revoked too; then what it is
 * asked to send says why.
 */
export async function ghSignedIn(place: GhPlace): Promise<boolean> {
  const { code, stdout, stderr } = await gh(place, ['auth', 'status', '--hostname', place.host]);
  return code !== undefined && !/\bnot logged in/i.test(`${stdout}${stderr}`);
}

/** Sends requests by `gh api`, which signs them itself: for a `gh` that gives no token away. */
export function ghTransport(place: GhPlace): Transport {
  return async ({ method, path, body }, signal) => {
    const input = body === undefined ? [] : ['--input', '-'];
    const args = ['api', path, '--hostname', place.host, '--method', method, '--include', '--header', 'Accept: application/vnd.github+json', ...input];
    const { code, stdout, stderr, failure } = await gh(place, args, body === undefined ? undefined : JSON.stringify(body), signal);
    if (failure !== undefined && failure !== 'ABORT_ERR') return { kind: 'lost', reached: false, lasting: true, reason: `gh could not be started (${failure})` };
    return readAnswer(stdout) ?? lost(code, stderr);
  };
}

/** `--include` prints the status line, the headers, an empty line, and then the body as it came. */
export function readAnswer(printed: string): Answer | undefined {
  const [, status = '', head = '', text = ''] = /^HTTP\/[\d.]+ (\d{3})[^\n]*\n((?:[^\r\n]+\r?\n)*)\r?\n?([^]*)$/.exec(printed) ?? [];
  if (status === '') return undefined;
  const headers = Object.fromEntries(head.split(/\r?\n/).flatMap((line) => {
    const [, name, value] = /^([^:]+):\s*(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name.toLowerCase(), value]];
  }));
  return { kind: 'answer', status: Number(status), headers, body: parsed(text) };
}

function parsed(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function lost(code: number | undefined, stderr: string): Lost {
  const said = stderr.trim().split('\n')[0] ?? '';
  if (code === NOT_SIGNED_IN) return { kind: 'lost', reached: false, lasting: true, reason: 'gh is not signed in', hint: 'Sign in: `gh auth login`.' };
  return { kind: 'lost', reached: !/^error connecting to|dial tcp|no such host/.test(said), reason: said === '' ? 'gh said nothing' : `gh says ${said.replace(/\.$/, '')}` };
}

async function gh({ cwd, env }: GhPlace, args: readonly string[], input?: string, signal?: AbortSignal) {
  return await runProgram({ file: 'gh', args, cwd, env: { ...env, ...QUIET }, signal, ...(input === undefined ? {} : { input }) });
}
