import { z } from 'zod';
import { RelayError } from '../../errors/relay-error.js';
import type { Execute } from '../../process/execute.js';

/** Milliseconds that calls may take, by what they do. */
export const LOOK_MS = 5_000;
export const ACT_MS = 15_000;
export const MAKE_MS = 180_000;

export interface OrcaCall {
  /** Such as `terminal list`. */
  readonly verb: string;
  /** May hold prompts and environments, so they are in no error. */
  readonly args: readonly string[];
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export type OrcaAnswer = { readonly ok: true; readonly result: unknown } | OrcaRefusal;

export interface OrcaRefusal {
  readonly ok: false;
  readonly code: string;
  readonly message: string;
  /** With which a call may be issued again after an unclear failure. */
  readonly requestId?: string;
}

/** Calls Orca's command. Throws `runner_missing`, `runner_unavailable` (then it may have had its effect), `runner_malformed`. */
export type Orca = (call: OrcaCall) => Promise<OrcaAnswer>;

const envelope = z.union([
  z.object({ ok: z.literal(true), result: z.unknown() }),
  z.object({
    ok: z.literal(false),
    error: z.object({ code: z.string().catch('unknown'), message: z.string().catch(''), data: z.object({ orchestrationRequestId: z.string().optional() }).optional().catch(undefined) }),
  }),
]);

const START_THE_APP = 'Start the Orca app.';

export function createOrca(options: { readonly executable: string; readonly env: Readonly<Record<string, string | undefined>>; readonly run: Execute }): Orca {
  const { executable, run } = options;
  const env = Object.fromEntries(Object.entries(options.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  return async ({ verb, args, timeoutMs, signal }) => {
    const done = await run({ file: executable, args: [...verb.split(' '), ...args, '--json'], env, timeoutMs, ...(signal === undefined ? {} : { signal }) });
    if (done.notStarted !== undefined) throw notStarted(executable, done.notStarted);
    // What it says on stdout decides, not its exit code: refused calls may exit with 0, and those that fail say why on stdout too.
    const answer = decode(done.stdout);
    if (answer !== undefined) return answer;
    if (done.timedOut) throw new RelayError('runner_unavailable', `Orca did not answer "${verb}" in time.`, { hint: 'See whether the Orca app is running and answers.', evidence: { verb } });
    if (/ECONNREFUSED|connection refused|not running|connect ENOENT/i.test(done.stderr)) throw new RelayError('runner_unavailable', 'The Orca app cannot be reached.', { hint: START_THE_APP, evidence: { verb } });
    throw malformed(verb);
  };
}

/** The error for an answer that is not what Orca promises. */
export function malformed(verb: string): RelayError {
  return new RelayError('runner_malformed', `Orca gave a malformed response to "${verb}".`, { hint: 'See which version of Orca is installed.', evidence: { verb } });
}

/** Reads a result, of which only what is needed is looked at. */
export function decodeResult<Schema extends z.ZodType>(verb: string, schema: Schema, result: unknown): z.infer<Schema> {
  const decoded = schema.safeParse(result);
  if (!decoded.success) throw malformed(verb);
  return decoded.data;
}

/** The error for a refused call. What Orca says is left out where it may repeat a prompt. */
export function refused(verb: string, refusal: OrcaRefusal): RelayError {
  const evidence = { verb, code: refusal.code };
  if (refusal.code === 'runtime_unavailable') return new RelayError('runner_unavailable', 'The Orca app is not running.', { hint: START_THE_APP, evidence });
  const secret = verb === 'terminal create' || verb === 'terminal send';
  const text = `Orca refused "${verb}" (${refusal.code})${secret || refusal.message === '' ? '.' : `: ${refusal.message.replace(/\.?$/, '.')}`}`;
  return new RelayError(refusal.code === 'runtime_error' ? 'runner_unavailable' : 'runner_rejected', text, { evidence });
}

function decode(stdout: string): OrcaAnswer | undefined {
  let value: unknown;
  try {
    value = JSON.parse(stdout);
  } catch {
    return undefined;
  }
  const decoded = envelope.safeParse(value);
  if (!decoded.success) return undefined;
  if (decoded.data.ok) return { ok: true, result: decoded.data.result };
  const { code, message, data } = decoded.data.error;
  return { ok: false, code, message, ...(data?.orchestrationRequestId === undefined ? {} : { requestId: data.orchestrationRequestId }) };
}

function notStarted(executable: string, reason: string): RelayError {
  if (reason === 'E2BIG') return new RelayError('runner_rejected', 'A call of Orca is too long for this machine.');
  return new RelayError('runner_missing', `Orca's command, ${executable}, cannot be started (${reason}).`, {
    hint: 'Install Orca with its command line, or name the command in ORCA_CLI_COMMAND. On Linux it is "orca-ide", because "orca" is a screen reader.',
  });
}
