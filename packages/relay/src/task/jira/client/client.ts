import { setTimeout as sleep } from 'node:timers/promises';
import { RelayError } from '../../../errors/relay-error.js';
import type { JiraCredentials } from '../../../host/credentials.js';
import { Gate } from '../../../queues/gate.js';
import { readBody } from './body.js';
import { basicOf, redactor } from './redact.js';
import { refusal, saidIn } from './refusal.js';
import { LONGEST_WAIT_MS, RETRIES, retryAfterMs, waitMs } from './retry.js';

const TIMEOUT_MS = 30_000;
const AT_ONCE = 20;

export interface JiraClock {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Rejects when the signal says so. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

const MACHINE: JiraClock = { now: () => Date.now(), sleep: async (ms, signal) => await sleep(ms, undefined, { signal }) };

export interface JiraRequest<T> {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** From `/rest/api/3/` on, encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  /** What it is about, for error texts: names keys, and nothing that was written. */
  readonly about: string;
  /** Whether it may be sent again when nobody knows if it had its effect. Default: everything but a POST. */
  readonly repeatable?: boolean;
  /** Reads the answer; throws when it is not what Jira promises. Absent: the answer has nothing in it that is needed. */
  readonly read?: (body: unknown) => T;
  readonly signal?: AbortSignal;
  /** Once, without trying again. */
  readonly once?: boolean;
  /** For one attempt. Default: 30 s. */
  readonly timeoutMs?: number;
}

/** How one attempt ended: with what was read, or why not, and whether it may be tried again. */
type Attempt<T> = { readonly value: T } | { readonly error: RelayError; readonly again: 'always' | 'if repeatable' | 'never' };

/**
 * Speaks REST v3 with one site. Everything that leaves it, errors too, is without token and email. It follows no redirect: the credentials are for this site only,
 * and a redirect of this API leads to a login page.
 */
export class JiraClient {
  readonly site: string;
  readonly #authorization: string;
  /** Takes token and email out of a text. */
  readonly redact: (text: string) => string;
  readonly #gate = new Gate(AT_ONCE);
  /** Under way. */
  readonly #calls = new Set<AbortController>();
  readonly #clock: JiraClock;
  readonly #random: () => number;

  constructor({ credentials, clock = MACHINE, random = Math.random }: { readonly credentials: JiraCredentials; readonly clock?: JiraClock | undefined; readonly random?: (() => number) | undefined }) {
    this.site = originOf(credentials.site);
    this.#authorization = `Basic ${basicOf(credentials)}`;
    this.redact = redactor(credentials);
    this.#clock = clock;
    this.#random = random;
  }

  now(): number {
    return this.#clock.now();
  }

  async send<T = void>(request: JiraRequest<T>): Promise<T> {
    // Not `AbortSignal.any`: joined to a signal that lives as long as the server, each call would leave something behind.
    const call = new AbortController();
    const giveUp = (): void => call.abort();
    this.#calls.add(call);
    if (request.signal?.aborted === true) giveUp();
    request.signal?.addEventListener('abort', giveUp, { once: true });
    try {
      return await this.#attempts(request, call.signal);
    } finally {
      request.signal?.removeEventListener('abort', giveUp);
      this.#calls.delete(call);
    }
  }

  /** What is under way is given up. */
  close(): void {
    for (const call of this.#calls) call.abort();
  }

  async #attempts<T>(request: JiraRequest<T>, signal: AbortSignal): Promise<T> {
    const { method, once = false, repeatable = method !== 'POST' } = request;
    for (let retry = 1; ; retry += 1) {
      const attempt = await this.#gate.pass(async () => await this.#attempt(request, signal));
      if ('value' in attempt) return attempt.value;
      const { error, again } = attempt;
      if (once || retry > RETRIES || signal.aborted || again === 'never' || (again === 'if repeatable' && !repeatable)) throw error;
      const wait = waitMs(retry, error.retryAfterMs, this.#random());
      if (wait > LONGEST_WAIT_MS) throw error;
      await this.#clock.sleep(wait, signal).catch(() => {
        throw error;
      });
    }
  }

  async #attempt<T>({ method, path, query = {}, body, about, read, timeoutMs = TIMEOUT_MS }: JiraRequest<T>, signal: AbortSignal): Promise<Attempt<T>> {
    const failed = (why: string, again: 'if repeatable' | 'never' = 'if repeatable'): Attempt<T> => ({
      error: new RelayError('task_unavailable', `Jira could not be asked for ${about}: ${this.redact(why)}.`, { hint: `It is tried again. Look whether ${new URL(this.site).host} can be reached from this machine.`, evidence: { about } }),
      again,
    });
    if (signal.aborted) return failed('it was given up', 'never');
    const timeout = AbortSignal.timeout(timeoutMs);
    const url = new URL(`${this.site}/rest/api/3/${path}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    let response: Response;
    let text: string | undefined;
    try {
      response = await fetch(url, {
        method, redirect: 'manual', signal: AbortSignal.any([signal, timeout]),
        headers: { authorization: this.#authorization, accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      text = await readBody(response);
    } catch (error) {
      if (signal.aborted) return failed('it was given up', 'never');
      return failed(timeout.aborted ? `there was no answer within ${timeoutMs / 1_000} s` : networkWord(error));
    }
    return this.#judge({ response, text, about, read });
  }

  #judge<T>({ response, text, about, read }: { readonly response: Response; readonly text: string | undefined; readonly about: string; readonly read: ((body: unknown) => T) | undefined }): Attempt<T> {
    const { status, headers } = response;
    const odd = (what: string): Attempt<T> => ({
      error: new RelayError('task_malformed', `Jira answered ${what} when asked for ${about}.`, { hint: 'Look whether the site is right: `relay-flow task auth` sets it.', evidence: { about, status } }),
      again: 'never',
    });
    if (status >= 300 && status < 400) return odd(`with a redirect (${status}), as a login page does,`);
    if (status >= 200 && status < 300) {
      if (text === undefined) return odd('with more than 16 MiB');
      // Nothing is needed of it, and it may be empty; a login page is still no answer.
      const parsed = text.trim() === '' ? { value: undefined } : parse(text);
      if (parsed === undefined) return odd(/^\s*</.test(text) ? 'with a web page instead of JSON' : 'with something that is not JSON');
      try {
        return { value: (read === undefined ? undefined : read(parsed.value)) as T };
      } catch {
        return odd('with something else than its interface promises');
      }
    }
    const asked = retryAfterMs(headers.get('retry-after'), this.#clock.now());
    const error = refusal({
      status, about, said: saidIn(parse(text ?? '')?.value, this.redact),
      reason: this.redact(headers.get('ratelimit-reason') ?? headers.get('x-seraph-loginreason') ?? '') || undefined, retryAfterMs: asked,
    });
    return { error, again: status === 429 ? 'always' : status === 408 || status >= 500 ? 'if repeatable' : 'never' };
  }
}

/** Throws `credentials_invalid`. Only this machine may be spoken to without encryption. */
function originOf(site: string): string {
  const url = URL.canParse(site) ? new URL(site) : undefined;
  const here = url?.hostname === '127.0.0.1' || url?.hostname === 'localhost';
  if (url === undefined || (url.protocol !== 'https:' && !(url.protocol === 'http:' && here))) {
    throw new RelayError('credentials_invalid', 'The site of Jira is no address that begins with https://.', { hint: 'Enter it again with `relay-flow task auth`; it looks like https://acme.atlassian.net.' });
  }
  return url.origin;
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/** The system's word for what went wrong, such as ECONNREFUSED. */
function networkWord(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
  return code ?? (error instanceof Error ? error.message : 'the connection failed');
}
