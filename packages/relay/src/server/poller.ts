import type { Clock } from '@relayflows/sdk';
import { isRelayError } from '../errors/relay-error.js';
import { errorFields } from '../host/server-log.js';
import type { TaskProblem, Ticket } from '../task/port.js';
import { Gate } from '../queues/gate.js';
import { attemptId, logicalRunId, toldAttempts } from './ids.js';
import { claimProblem } from './routing/claim-problem.js';
import { claimLabels, claimsOf, owns } from './routing/claims.js';
import { route, type Routed } from './routing/route.js';
import type { RunManager } from './runs/manager.js';
import type { WorkflowBook } from './workflows/book.js';
import type { OpenRepo, Workshop } from './workshop.js';
import { fault } from '../faults/fault.js';

const POLLS_AT_ONCE = 10;
/** Tickets of one look that are claimed and begun at once. */
const TAKEN_AT_ONCE = 10;

interface Loop {
  readonly ended: AbortController;
  /** Ends the pause until the next look, also one that has not begun yet. */
  hurry: () => void;
}

/** Looks for tickets: one loop per repository, the first look at once, none while the one before is under way. */
export class Pollers {
  readonly #shop: Workshop;
  readonly #workflowBook: WorkflowBook;
  readonly #manager: RunManager;
  readonly #gate = new Gate(POLLS_AT_ONCE);
  readonly #loops = new Map<string, Loop>();
  readonly #told = new Map<string, string>();
  readonly #problems = new Map<string, ReadonlySet<string>>();
  #closed = false;

  constructor(args: { readonly shop: Workshop; readonly workflowBook: WorkflowBook; readonly manager: RunManager }) {
    this.#shop = args.shop;
    this.#workflowBook = args.workflowBook;
    this.#manager = args.manager;
  }

  /** Begins or ends loops so that each open repository has one. Called again whenever a repository or workflow changed; loops look at once then. */
  rebind(): void {
    if (this.#closed) return;
    const open = new Set(this.#shop.repos.all().map(({ name }) => name));
    for (const [name, loop] of this.#loops) {
      if (open.has(name)) continue;
      end(loop);
      this.#loops.delete(name);
    }
    for (const name of open) {
      const present = this.#loops.get(name);
      if (present !== undefined) {
        present.hurry();
        continue;
      }
      const loop: Loop = { ended: new AbortController(), hurry: () => undefined };
      this.#loops.set(name, loop);
      void this.#run(name, loop);
    }
  }

  close(): void {
    this.#closed = true;
    for (const loop of this.#loops.values()) end(loop);
    this.#loops.clear();
  }

  /** One look at a repository's tickets. */
  async poll(name: string, signal: AbortSignal): Promise<void> {
    const repo = this.#shop.repos.get(name);
    const began = this.#shop.clock.monotonic();
    const tickets = await repo.task.poll({ signal });
    if (signal.aborted) return;
    const active = new Map(this.#shop.store.activeAttempts(name).map((attempt) => [attempt.logical, attempt]));
    const candidates = this.#workflowBook.candidates(name);
    const taking = new Gate(TAKEN_AT_ONCE);
    const taken: Promise<void>[] = [];
    const unclear: TaskProblem[] = [];
    for (const ticket of tickets) {
      const routed = route(ticket, { candidates, owner: repo.task.owner, anonymousClaims: repo.task.anonymousClaims });
      this.#tell(name, ticket, routed);
      if (routed.type === 'claim-owner-mismatch' && routed.ownership !== 'others' && this.#shop.store.latestAttempt(logicalRunId({ repo: name, workflow: routed.workflow, ticket: ticket.key })) === undefined) unclear.push(...claimProblem({ repo: name, ticket: ticket.key, ...routed }));
      if (routed.type !== 'claim' && routed.type !== 'already-claimed') continue;
      // The usual case costs one look into a map.
      if (routed.type === 'already-claimed' && active.has(logicalRunId({ repo: name, workflow: routed.workflow, ticket: ticket.key }))) continue;
      taken.push(taking.pass(async () => {
        if (!signal.aborted) await this.ensureRun(repo, ticket, routed.workflow);
      }).catch((error: unknown) => this.#shop.log.warn('a ticket could not be taken', { repo: name, ticket: ticket.key, workflow: routed.workflow, ...errorFields(error) })));
    }
    this.#shop.repos.claimProblems(name, unclear);
    this.#tellProblems(name);
    await Promise.all(taken);
    this.#shop.log.debug('polled', { repo: name, count: tickets.length, durationMs: Math.round(this.#shop.clock.monotonic() - began) });
  }

  /** Sees to it that a ticket's run exists; claims the ticket first when nobody has. */
  async ensureRun(repo: OpenRepo, ticket: Ticket, workflowName: string): Promise<void> {
    const logical = logicalRunId({ repo: repo.name, workflow: workflowName, ticket: ticket.key });
    await this.#manager.locks.hold(logical, async () => {
      const { store, log } = this.#shop;
      const workflow = this.#workflowBook.definition(workflowName);
      if (!workflow.repos.includes(repo.name)) return;
      const latest = store.latestAttempt(logical);
      if (latest !== undefined) {
        if (latest.state === 'completed' || latest.state === 'canceled') this.#tellEnded(repo.name, ticket.key, workflowName, latest.state);
        return;
      }
      const claimed = await this.#claim(repo, ticket, workflowName);
      if (!claimed) return;
      // A ticket that was walked by a server whose database is gone: what it left on the ticket tells how far it came.
      const told = toldAttempts(claimsOf(ticket.labels).workflows.length === 0 ? [] : await repo.task.markers({ key: ticket.key }), logical);
      if (told.canceled) {
        log.info('a canceled ticket is left alone', { repo: repo.name, ticket: ticket.key, workflow: workflowName });
        return;
      }
      const attempt = Math.max(told.latest, await this.#manager.nextAttempt(logical));
      log.info('a run begins', { repo: repo.name, ticket: ticket.key, workflow: workflowName, runId: attemptId(logical, attempt) });
      await this.#manager.begin({ repo: repo.name, workflow, ticket: { id: ticket.id, key: ticket.key, title: ticket.title }, attempt });
    });
  }

  /** Whether the ticket is ours now. */
  async #claim(repo: OpenRepo, ticket: Ticket, workflow: string): Promise<boolean> {
    const { task } = repo;
    const present = claimsOf(ticket.labels).workflows.length > 0;
    const labels = claimLabels(workflow, task.owner);
    fault('claim.before');
    const read = present ? await task.view({ key: ticket.key }) : await task.claim({ key: ticket.key, labels });
    fault('claim.after');
    if (read === undefined) return false;
    const claims = claimsOf(read.labels);
    if (claims.workflows.length === 1 && claims.workflows[0] === workflow && owns(claims, workflow, task)) return true;
    this.#shop.log.warn('a claim was not confirmed', { repo: repo.name, ticket: ticket.key, workflow, claims: claims.workflows });
    return false;
  }

  async #run(name: string, loop: Loop): Promise<void> {
    const { clock, config, log, repos } = this.#shop;
    const { signal } = loop.ended;
    while (!signal.aborted) {
      const pause = new AbortController();
      loop.hurry = () => pause.abort();
      try {
        await this.#gate.pass(() => this.poll(name, signal));
        if (!signal.aborted && repos.polled(name, undefined)) log.info('polling works again', { repo: name });
      } catch (error) {
        // The first of a streak is told; the next look may work.
        if (!signal.aborted && repos.polled(name, textOf(error))) log.warn('polling failed', { repo: name, ...errorFields(error) });
      }
      await passed(clock, config.pollIntervalSeconds * 1_000, pause.signal);
    }
  }

  /** Tells what only a person can put right about tickets, once for as long as it stays. */
  #tellProblems(name: string): void {
    const before = this.#problems.get(name);
    const now = new Set<string>();
    for (const { where, text, hint } of this.#shop.repos.ticketProblems(name)) {
      const key = `${where} ${text}`;
      now.add(key);
      if (before?.has(key) !== true) this.#shop.log.warn('something about a ticket must be put right by a person', { repo: name, name: where, text, hint });
    }
    this.#problems.set(name, now);
  }

  /** A ticket that is open again, or a new one of the same name, would otherwise wait in silence. */
  #tellEnded(repo: string, ticket: string, workflow: string, state: 'completed' | 'canceled'): void {
    const key = `ended ${repo} ${ticket}`;
    if (this.#told.get(key) === state) return;
    this.#told.set(key, state);
    // Of one that was canceled people know.
    if (state === 'canceled') this.#shop.log.debug('a canceled ticket is left alone', { repo, ticket, workflow });
    else this.#shop.log.info('a ticket is left alone, since its run has ended well', { repo, ticket, workflow, hint: 'Make a ticket with another key for more work.' });
  }

  /** Tells what became of a ticket, when it is something else than the last time. */
  #tell(repo: string, ticket: Ticket, routed: Routed): void {
    const key = `${repo} ${ticket.key}`;
    const outcome = routed.type === 'ambiguous' ? `ambiguous ${routed.workflows.join(' ')}` : routed.type === 'invalid-claim' ? routed.reason : routed.type;
    if (this.#told.get(key) === outcome) return;
    if (routed.type === 'no-match') {
      this.#told.delete(key);
      return;
    }
    this.#told.set(key, outcome);
    const { log } = this.#shop;
    const fields = { repo, ticket: ticket.key, outcome: routed.type };
    if (routed.type === 'ambiguous') log.warn('several workflows fit a ticket, so none takes it', { ...fields, workflows: routed.workflows });
    else if (routed.type === 'invalid-claim') log.warn('the claim of a ticket cannot be followed', { ...fields, text: routed.reason });
    else if (routed.type === 'claim-owner-mismatch') log.warn(routed.ownership === 'nobody' ? 'a ticket is claimed for nobody' : 'a ticket is claimed for somebody else', { ...fields, workflow: routed.workflow });
    else log.debug('a ticket was routed', { ...fields, workflow: routed.workflow });
  }
}

function end({ ended, hurry }: Loop): void {
  ended.abort();
  hurry();
}

/** Waits so many milliseconds, or until the signal. */
async function passed(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = clock.setTimer(ms, resolve);
    signal.addEventListener('abort', () => {
      timer.cancel();
      resolve();
    }, { once: true });
  });
}

/** What of anything thrown may be shown. */
function textOf(error: unknown): string {
  return isRelayError(error) ? error.text : error instanceof Error ? `Its tickets cannot be looked at: ${error.message}.` : 'Its tickets cannot be looked at.';
}
