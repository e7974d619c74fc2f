import { stat } from 'node:fs/promises';
import type { z } from 'zod';
import { RelayError } from '../../errors/relay-error.js';
import { findProgram } from '../../harness/executable.js';
import type { HostEnvironment } from '../../harness/inherited-environment.js';
import type { Execute } from '../../process/execute.js';
import { Locks } from '../../queues/locks.js';
import { readAnswer, rowsOf } from './answer.js';
import { bdEnvironment } from './environment.js';
import { bdError, failureOf, malformed, type Failure, type Subject } from './failure.js';

/** Milliseconds that calls may take, by what they do. A list may be long, and a write may have to wait for a lock. */
export const PROBE_MS = 5_000;
const LOOK_MS = 30_000;
const ACT_MS = 60_000;

const LOOKS: ReadonlySet<string> = new Set(['list', 'show', 'comments', 'ready']);

export interface BdCall {
  /** Absolute, real: chooses the database. */
  readonly workspace: string;
  /** The repository; `bd` looks at it for who writes. */
  readonly cwd: string;
  readonly verb: string;
  /** The issue, or the title of one that is to be made. */
  readonly about?: string;
  /** Without the verb, what it is about, and `--json`. Long texts are not in here. */
  readonly flags?: readonly string[];
  /** A long text. */
  readonly input?: string;
  /** What errors are about, where `about` is a title. */
  readonly ticket?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export type BdAnswer = { readonly ok: true; readonly stdout: string } | { readonly ok: false; readonly failure: Failure };

/** Runs `bd`, one command at a time in each workspace: an embedded database takes no two at once. */
export class Bd {
  readonly #host: HostEnvironment;
  readonly #execute: Execute;
  readonly #turns = new Locks();
  #program: string | undefined;

  constructor({ host, execute }: { readonly host: HostEnvironment; readonly execute: Execute }) {
    this.#host = host;
    this.#execute = execute;
  }

  /** Looked up once: a PATH of the server does not change, and a program that was not there may be installed meanwhile. Throws `task_unavailable`. */
  program(): string {
    this.#program ??= findProgram('bd', this.#host);
    if (this.#program === undefined) throw new RelayError('task_unavailable', 'The program bd is not on the PATH of the server.', { hint: 'Install Beads, or start the server from a shell in which `bd version` works.', evidence: { program: 'bd' } });
    return this.#program;
  }

  /** The answer, or what kept `bd` from giving one. Throws `task_unavailable` when it could not even be started. */
  async ask(call: BdCall): Promise<BdAnswer> {
    const { workspace, cwd, verb, about, flags = [], input, signal } = call;
    const file = this.program();
    const done = await this.#turns.hold(workspace, async () => {
      if (signal?.aborted === true) throw new RelayError('task_unavailable', `\`bd ${verb}\` in the workspace ${workspace} was given up.`, { hint: 'It is tried again.', cause: signal.reason });
      return await this.#execute({
        file, args: [...verb.split(' '), ...(about === undefined ? [] : [about]), ...flags, '--json'], env: bdEnvironment(this.#host, workspace), cwd,
        timeoutMs: call.timeoutMs ?? (LOOKS.has(verb) ? LOOK_MS : ACT_MS),
        ...(input === undefined ? {} : { input }), ...(signal === undefined ? {} : { signal }),
      });
    });
    if (done.notStarted !== undefined) throw await notStarted(done.notStarted, file, cwd, subjectOf(call));
    const failure = failureOf(done, [about ?? '', call.ticket ?? '', workspace, cwd]);
    return failure === undefined ? { ok: true, stdout: done.stdout } : { ok: false, failure };
  }

  /** Has something done. Throws what `bdError` makes of a failure. */
  async act(call: BdCall): Promise<string> {
    const answer = await this.ask(call);
    if (!answer.ok) throw bdError(answer.failure, subjectOf(call));
    return answer.stdout;
  }

  /** The rows of an answer. Throws `task_malformed` too. */
  async rows<Shape extends z.ZodType>(call: BdCall, shape: Shape): Promise<readonly z.infer<Shape>[]> {
    return readRows(await this.act(call), shape, subjectOf(call));
  }
}

export function readRows<Shape extends z.ZodType>(stdout: string, shape: Shape, subject: Subject): readonly z.infer<Shape>[] {
  const read = rowsOf(readAnswer(stdout))?.map((row) => shape.safeParse(row));
  if (read === undefined) throw malformed(subject);
  return read.map((row) => {
    if (!row.success) throw malformed(subject);
    return row.data;
  });
}

export function subjectOf({ verb, about, ticket, workspace }: BdCall): Subject {
  return { verb, about: ticket ?? about, workspace };
}

async function notStarted(reason: string, file: string, cwd: string, { verb, about, workspace }: Subject): Promise<RelayError> {
  const evidence = { verb, workspace, reason, ...(about === undefined ? {} : { issue: about }) };
  const forWhat = about === undefined ? '' : ` for ${about}`;
  // A folder that is gone and a program that is gone look alike.
  const there = await stat(cwd).then((found) => found.isDirectory(), () => false);
  if (!there) return new RelayError('task_unavailable', `\`bd ${verb}\`${forWhat} could not be started: the folder of the repository, ${cwd}, is not there.`, { hint: 'Put it back, or remove the repository.', evidence });
  if (reason === 'ENOENT') return new RelayError('task_unavailable', `\`bd ${verb}\`${forWhat} could not be started: ${file} is gone.`, { hint: 'Install Beads again; it is tried again.', evidence });
  return new RelayError('task_unavailable', `\`bd ${verb}\`${forWhat} could not be started (${reason}).`, { hint: `See whether the account of the server may execute ${file}.`, evidence });
}
