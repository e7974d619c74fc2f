import { systemClock, type Clock } from '@relayflows/sdk';
import { onTestFinished } from 'vitest';
import { openServerLog } from '../../src/host/server-log.js';
import type { Harness } from '../../src/harness/port.js';
import type { Runner } from '../../src/runner/port.js';
import { startServer, type RunningServer, type ServeOptions } from '../../src/server/start.js';
import type { TaskRepo, TaskSystem, Ticket, Transition } from '../../src/task/port.js';
import { quietHarness, RememberedTerminals } from './noop-adapters.js';
import { World } from './world.js';

const DEFAULTS: Readonly<Record<string, Transition>> = {
  start: { parentStatus: 'Open' }, work: { parentStatus: 'Doing', taskStatus: 'Doing' }, complete: { taskStatus: 'Done' }, end: { parentStatus: 'Closed' }, recovery: { taskStatus: 'Open' },
};

const words = (transition: Transition): string => [transition.parentStatus, transition.taskStatus].map((status) => status ?? '-').join('/');

/** A home whose adapters only write down what is asked of them, in order. One task system can be given to several homes. */
export class Recorded {
  /** Calls of all adapters but those that only look. */
  readonly calls: string[] = [];
  readonly tickets = new Map<string, Ticket>();
  /** Comments by ticket or mailbox, each with its marker. */
  readonly comments = new Map<string, { readonly marker: string; readonly body: string }[]>();
  readonly terminals = new RememberedTerminals();
  /** Called with the words of every call before it is made; what it throws, the call throws. */
  before: (call: string) => Promise<void> | void = () => undefined;
  /** The same once a writing call of the task system has had its effect. */
  after: (call: string) => void = () => undefined;
  polls = 0;

  readonly #said = async (call: string): Promise<void> => {
    await this.before(call);
    this.calls.push(call);
  };

  ticket(key: string, more: Partial<Ticket> = {}): void {
    this.tickets.set(key, { id: key, key, title: `Ticket ${key}`, text: `Do ${key}.`, status: 'Open', done: false, blocked: false, labels: [], assignee: [], ...more });
  }

  found(key: string): Ticket {
    const ticket = this.tickets.get(key);
    if (ticket === undefined) throw new Error(`No ticket ${key}.`);
    return ticket;
  }

  /** The task system of one server. */
  tasks(owner?: string): TaskSystem {
    return {
      name: 'recorded', title: 'Recorded', ownKeys: { ticketsDir: ['repo'] }, templateScopes: ['root', 'repo', 'workflow', 'node'],
      probe: () => this.#said('probe tasks'),
      openRepo: async (repo) => this.#repo(repo, owner),
      registrationFields: async () => [],
      registrationConfig: () => ({}),
      close: async () => undefined,
    };
  }

  #repo(repo: TaskRepo['repo'], owner: string | undefined): TaskRepo {
    const said = this.#said;
    return {
      repo, identity: repo.name, ...(owner === undefined ? {} : { owner }),
      lifecycleDefault: (point) => DEFAULTS[point] ?? {},
      validate: ({ transitionTo, assignee }) => said(`validate ${words(transitionTo)} ${assignee ?? '-'}`),
      poll: async () => {
        this.polls += 1;
        await this.before('poll');
        return [...this.tickets.values()].filter(({ done }) => !done);
      },
      view: async ({ key }) => this.tickets.get(key),
      claim: async ({ key, labels }) => {
        await said(`claim ${labels.join(' ')}`);
        const ticket = this.found(key);
        const claimed = { ...ticket, labels: [...new Set([...ticket.labels, ...labels])] };
        this.tickets.set(key, claimed);
        return claimed;
      },
      ensureMailboxes: async ({ ticket, mailboxes }) => {
        await said(`mailboxes ${mailboxes.map(({ title, assignee }) => `${title}${assignee === undefined ? '' : ` for ${assignee}`}`).join(', ')}`);
        return Object.fromEntries(mailboxes.map(({ node }) => [node, `${ticket}/${node}`]));
      },
      transition: async ({ mailbox, transition, assignee }) => {
        const call = `${mailbox ?? 'ticket'} to ${words(transition)}${assignee === undefined ? '' : ` for ${assignee}`}`;
        await said(call);
        this.after(call);
      },
      reopenMailboxes: ({ mailboxes }) => said(`reopen ${mailboxes.join(', ')}`),
      resetForRecovery: ({ mailboxes }) => said(`reset ${mailboxes.join(', ')}`),
      addComment: async ({ key, marker, body }) => {
        const call = `comment ${key} ${marker.split(':').at(-1) ?? ''}`;
        await said(call);
        const comments = this.comments.get(key) ?? [];
        const added = !comments.some((comment) => comment.marker === marker);
        if (added) this.comments.set(key, [...comments, { marker, body }]);
        this.after(call);
        return { added };
      },
      markers: async ({ key }) => this.comments.get(key)?.map(({ marker }) => marker) ?? [],
      agentEnvironment: () => ({}),
    };
  }

  /** The remembered terminals, and what is asked of them. */
  get runner(): Runner {
    const { runner } = this.terminals;
    const { terminals } = runner;
    if (terminals === undefined) throw new Error('The runner has terminals.');
    const said = this.#said;
    const before = <A extends readonly unknown[], R>(act: (...args: A) => Promise<R>, name: (...args: A) => string) => async (...args: A): Promise<R> => {
      await said(name(...args));
      return await act(...args);
    };
    return {
      ...runner,
      probe: before(runner.probe, () => 'probe runner'),
      validateRepo: before(runner.validateRepo, () => 'validate repository'),
      ensureWorkspace: before(runner.ensureWorkspace, () => 'workspace'),
      setStatus: before(runner.setStatus, ({ status }) => `workspace ${status}`),
      removeWorkspace: before(runner.removeWorkspace, () => 'remove workspace'),
      terminals: {
        ...terminals,
        create: before(terminals.create, ({ title }) => `create ${title}`),
        send: before(terminals.send, ({ handle }) => `send ${this.terminals.launched[Number(handle.slice(1))]?.title ?? ''}`),
        close: before(terminals.close, ({ handle }) => `close ${this.terminals.launched[Number(handle.slice(1))]?.title ?? ''}`),
        closeAll: before(terminals.closeAll, ({ ticket }) => `close all ${ticket}`),
      },
    };
  }

  get harness(): Harness {
    return {
      ...quietHarness,
      probe: () => this.#said('probe harness'),
      validateAgent: ({ agent }) => this.#said(`agent ${agent}`),
    };
  }

  /** What was called since the last time this was asked. */
  take(): readonly string[] {
    return this.calls.splice(0);
  }
}

/** A server of a home, with adapters that are recorded; ended with the test. */
export interface RecordedServer {
  readonly world: World;
  server: RunningServer;
}

export async function recordedServer(recorded: Recorded, args: { readonly config?: Readonly<Record<string, unknown>>; readonly workflow?: readonly [name: string, yaml: string]; readonly owner?: string; readonly world?: World; readonly options?: Pick<ServeOptions, 'clock' | 'recover'> } = {}): Promise<RecordedServer> {
  const world = args.world ?? (await new World({}, args.config ?? {}).init());
  if (args.workflow !== undefined) world.store(...args.workflow);
  const adapters = { taskSystem: recorded.tasks(args.owner), runner: recorded.runner, harness: recorded.harness };
  const log = openServerLog({ path: world.home.serverLog });
  const entry = { world, server: await startServer({ home: world.home, env: process.env, version: '0', log, adapters, clock: hurried(), ...args.options }) };
  onTestFinished(async () => {
    await entry.server.stop();
    if (args.world === undefined) world.remove();
  });
  return entry;
}

/** The clock of the machine: looks for tickets are frequent, other waits as short as said, and the time is moved on by `ahead.ms`. */
export function hurried(short: (ms: number) => number = (ms) => ms, ahead: { ms: number } = { ms: 0 }): Clock {
  return { ...systemClock, now: () => Date.now() + ahead.ms, setTimer: (ms, callback) => systemClock.setTimer(ms === 1_000 ? 20 : short(ms), callback) };
}

/** The clock of the machine, on which nothing is tried again before it is released: what is true between two tries can be looked at for as long as that takes. */
export function withheld(): { readonly clock: Clock; readonly release: () => void } {
  let released = false;
  const held = new Set<() => void>();
  return {
    clock: {
      ...systemClock,
      setTimer(ms, callback) {
        // Shorter ones are none of a retry, and those of a second are of the looks for tickets.
        if (released || ms < 300 || ms === 1_000) return systemClock.setTimer(ms, callback);
        held.add(callback);
        return { cancel: () => void held.delete(callback) };
      },
    },
    release() {
      released = true;
      for (const callback of held) callback();
      held.clear();
    },
  };
}
