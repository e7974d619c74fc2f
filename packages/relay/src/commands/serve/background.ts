import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient } from '../../client/client.js';
import { RELAY_ERROR_CODES, type RelayErrorCode } from '../../errors/codes.js';
import { isRelayError, RelayError } from '../../errors/relay-error.js';
import type { Home } from '../../host/home.js';
import { startupFailure } from '../../host/startup-record.js';

const LOOK_MS = 250;
const LONGEST_MS = 5 * 60_000;

export interface BackgroundStart {
  readonly home: Home;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Options of `serve` that the server gets too. */
  readonly flags: readonly string[];
  /** What is started, for tests. */
  readonly launcher?: string;
  readonly longestMs?: number;
}

/**
 * Starts a server in a session of its own, in its home, and waits until it answers. Throws `server_running` when one does already, and, when it cannot start, what it says
 * itself about that.
 */
export async function startInBackground({ home, env, flags, launcher = fileURLToPath(new URL('../../../bin/relay-flow.js', import.meta.url)), longestMs = LONGEST_MS }: BackgroundStart): Promise<{ readonly pid: number }> {
  const client = createClient(home.socket);
  const other = await pidOf(client);
  if (other !== undefined) throw new RelayError('server_running', `A server for this home is running (process ${other}).`, { hint: 'Stop it with `relay-flow stop`.', evidence: { home: home.root, pid: other } });

  const child = spawn(process.execPath, [launcher, 'serve', '--foreground', ...flags.map((flag) => `--${flag}`)], { cwd: home.root, detached: true, stdio: 'ignore', env: { ...env } });
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
    child.on('exit', (status, signal) => resolve(signal ?? `exit status ${status ?? 0}`));
  });
  const { pid } = child;
  if (pid === undefined) throw new RelayError('internal_error', `The server could not be started (${await ended}).`, { hint: 'Start it in this terminal with `relay-flow serve`.' });

  const late = Symbol('late');
  for (let waited = 0; waited < longestMs; waited += LOOK_MS) {
    if ((await pidOf(client)) === pid) {
      child.unref();
      return { pid };
    }
    const over = await Promise.race([ended, sleep(LOOK_MS, late)]);
    if (over !== late) throw failed(home, pid, String(over));
  }
  child.kill('SIGKILL');
  throw new RelayError('server_unreachable', `The server was not ready after ${Math.round(longestMs / 1_000)} seconds and was ended.`, { hint: 'Look into server.log in its home, or start it in this terminal with `relay-flow serve`.', evidence: { pid } });
}

async function pidOf(client: ReturnType<typeof createClient>): Promise<number | undefined> {
  try {
    return (await client.call('health', { timeoutMs: 5_000 })).pid;
  } catch (error) {
    if (isRelayError(error)) return undefined;
    throw error;
  }
}

/** In the words of the server itself. */
function failed(home: Home, pid: number, over: string): RelayError {
  const { code, text, hint } = startupFailure(home.serverLog, pid) ?? {};
  const known = typeof code === 'string' && Object.hasOwn(RELAY_ERROR_CODES, code) ? (code as RelayErrorCode) : 'internal_error';
  return new RelayError(known, typeof text === 'string' ? text : `The server ended before it was ready (${over}).`, {
    hint: typeof hint === 'string' ? hint : 'Start it in this terminal with `relay-flow serve` to see what it says.',
    evidence: { pid },
  });
}
