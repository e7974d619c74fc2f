import { createRedactor, createRuntime, systemClock, type Clock } from '@relayflows/sdk';
import { existsSync } from 'node:fs';
import { RelayError } from '../errors/relay-error.js';
import type { Harness } from '../harness/port.js';
import { createHeadlessRunner } from '../harness/headless/runner.js';
import { hostProcesses } from '../harness/headless/processes.js';
import { readConfig } from '../host/config.js';
import type { Home } from '../host/home.js';
import { takeLock } from '../host/lock.js';
import { prepareHome } from '../host/prepare-home.js';
import { errorFields, type ServerLog } from '../host/server-log.js';
import type { Runner } from '../runner/port.js';
import { RelayStore } from '../store/store.js';
import type { TaskSystem } from '../task/port.js';
import { createActivities } from './activities/index.js';
import { Gate } from '../queues/gate.js';
import { createHandlers } from './handlers.js';
import { HeadlessEvents } from './headless-events.js';
import { listen } from './http/listen.js';
import { createHarness, createRunner, createTaskSystem } from './plugins.js';
import { Pollers } from './poller.js';
import { probe } from './probe.js';
import { Reconciler } from './reconcile.js';
import { recoverTickets } from './recover.js';
import { openRepoIsolated } from './repos/open.js';
import type { RepoBook } from './repos/register.js';
import { Reopener } from './repos/reopen.js';
import { deleteOldRuns } from './retention.js';
import { Decisions } from './runs/decisions.js';
import { RunManager } from './runs/manager.js';
import { Noted } from './runs/noted.js';
import { Reports } from './runs/reports.js';
import { TICKET_FLOW, ticketFlow } from './runs/ticket-flow.js';
import { ticketRedactor } from './runs/ticket-redactor.js';
import { openState } from './state.js';
import { loadWorkflows } from './workflows/load.js';
import { WorkflowBook } from './workflows/book.js';
import { Repos, type Workshop } from './workshop.js';

export interface ServeOptions {
  readonly home: Home;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly log: ServerLog;
  /** Lays the database aside and begins the runs of all claimed tickets anew. */
  readonly recover?: boolean;
  readonly clock?: Clock;
  /** Absolute path of the executable that agents in terminals report with. Default: `relay-flow` on the PATH of the terminal, which may be another one or none. */
  readonly command?: string;
  /** Adapters of one's own, in place of those that config.yaml names. */
  readonly adapters?: { readonly taskSystem?: TaskSystem; readonly runner?: Runner; readonly harness?: Harness };
}

export interface RunningServer {
  /** Stops taking requests and polling, lets what is under way finish for at most 30 s, and lets go of everything. Calling it twice is allowed. */
  stop(): Promise<void>;
  /** Resolves once it has stopped. */
  readonly stopped: Promise<void>;
  /** What `serve --recover` came to. */
  readonly recovered: { readonly recovered: number; readonly failed: number; readonly laidAside: string | undefined } | undefined;
}

const ACTIVITIES_AT_ONCE = 20;
const GRACE_MS = 30_000;
/** An agent that answers at once finds its run in memory; so many take some megabytes. */
const STAY = { forMs: 1_000, atMost: 256 };

/**
 * Starts the server of a home: lock, home, configuration, adapters, probes, workflows, journal, runs, pollers, and the socket last, so that whoever can connect finds
 * everything there. Throws what is in the way, with nothing left running.
 */
export async function startServer(options: ServeOptions): Promise<RunningServer> {
  const { home, log } = options;
  const undo: (() => void | Promise<void>)[] = [];
  try {
    for (const corrected of prepareHome(home)) log.warn('a mode was corrected', { text: corrected });
    const lock = takeLock(home);
    undo.push(() => lock.release());
    return await start(options, undo);
  } catch (error) {
    for (const step of undo.toReversed()) await Promise.resolve(step()).catch(() => undefined);
    throw error;
  }
}

async function start({ home, env, version, log, recover = false, clock = systemClock, command, adapters = {} }: ServeOptions, undo: (() => void | Promise<void>)[]): Promise<RunningServer> {
  const config = readConfig(home);
  const facts = { home, config, env };
  const taskSystem = adapters.taskSystem ?? (await createTaskSystem(facts));
  const runner = adapters.runner ?? (await createRunner(facts));
  const harness = adapters.harness ?? (await createHarness(facts));
  undo.push(() => taskSystem.close());
  if (harness.kind === 'terminal' && runner.terminals === undefined) {
    throw new RelayError('config_invalid', `The harness ${harness.name} works in a terminal, and the runner ${runner.name} has none.`, { hint: 'Set runnerPlugin to one with terminals, or harnessPlugin to a headless one such as command or claude.' });
  }
  if (!existsSync(home.database) && !recover) throw new RelayError('database_missing', `There is no ${home.database}.`, { hint: 'Make a home with `relay-flow init`. If it was lost, begin the runs of all claimed tickets anew with `relay-flow serve --recover`.' });

  const headless = createHeadlessRunner({ home: home.root, env, processes: hostProcesses, ...(harness.kind === 'headless' ? harness.limits : {}) });
  const repos = new Repos();
  await probe({ config, taskSystem, runner, harness });
  const { laidAside, database, journal } = await openState({ home, recover, clock });
  undo.push(async () => {
    database.close();
    await journal.close();
  });
  // Before the database, which hears of what they still say.
  undo.push(() => headless.close());
  const store = new RelayStore(database);
  const shop: Workshop = { config, home: home.root, clock, store, taskSystem, runner, harness, headless, repos, log, command, gate: new Gate(ACTIVITIES_AT_ONCE) };
  for (const [name, entry] of Object.entries(config.repos)) {
    const problem = await openRepoIsolated(shop, name, entry);
    if (problem !== undefined) log.warn('a repository cannot be used', { repo: name, ...errorFields(problem) });
  }
  const workflowBook = new WorkflowBook(shop);
  await loadWorkflows({ shop, home, workflowBook });

  const events = new HeadlessEvents(shop, (runId, visitId, message) => manager.tell(runId, visitId, message));
  const activities = createActivities(shop, events);
  const runtime = createRuntime({ dataDir: home.root, journal, clock, env, redact: ticketRedactor(createRedactor({ env })), stay: STAY, flows: { [TICKET_FLOW.name]: { version: TICKET_FLOW.version, flow: ticketFlow(() => activities) } } });
  undo.push(() => runtime.close());
  const manager = new RunManager({ shop, runtime, journal });
  const reports = new Reports(shop, manager);
  const decisions = new Decisions({ shop, manager, reports, workflow: (name) => workflowBook.definition(name) });
  const noted = new Noted({ shop, reports, folder: home.reports });
  const reconciler = new Reconciler(shop, manager, () => noted.look());
  const pollers = new Pollers({ shop, workflowBook, manager });
  const book: RepoBook = { entries: config.repos };
  const reopener = new Reopener({ shop, home, book, workflowBook, pollers });
  const cancelRecovery = new AbortController();
  undo.push(() => {
    cancelRecovery.abort();
    reopener.close();
    pollers.close();
    reconciler.close();
    decisions.close();
    manager.close();
  });

  await deleteOldRuns(shop, home, journal);
  await reconciler.reap();
  await noted.look();
  const recovered = recover ? await recoverTickets({ shop, workflowBook, manager, signal: cancelRecovery.signal }) : undefined;
  await reconciler.begin(await manager.recover());
  decisions.finishCanceling();
  pollers.rebind();
  reopener.begin();

  let stopping: Promise<void> | undefined;
  let stopped!: () => void;
  const whenStopped = new Promise<void>((resolve) => {
    stopped = resolve;
  });
  const stop = (): Promise<void> => {
    stopping ??= (async () => {
      log.info('server stops');
      await listening.close(1_000);
      await Promise.race([unwind(undo), new Promise<void>((resolve) => void clock.setTimer(GRACE_MS, resolve))]);
      log.info('server stopped');
      stopped();
    })();
    return stopping;
  };
  const listening = await listen({ socket: home.socket, log, handlers: createHandlers({ shop, home, version, startedAt: clock.now(), book, workflowBook, pollers, reports, decisions, stop: () => void stop() }) });
  log.info('server started', { version, path: home.root, count: repos.all().length });
  return { stop, stopped: whenStopped, recovered: recovered === undefined ? undefined : { ...recovered, laidAside } };
}

async function unwind(undo: readonly (() => void | Promise<void>)[]): Promise<void> {
  for (const step of undo.toReversed()) await Promise.resolve(step()).catch(() => undefined);
}
