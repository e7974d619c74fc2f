import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Home } from '../../../packages/relay/dist/index.js';
import { childProgram } from '../children/process.js';
import { bareNodeMiB, bareNodeMs, commitsPerSecond } from '../floors.js';
import { homeWith } from '../relay/home.js';
import type { Workload } from '../workload.js';

const MANY = 5_000;
const ACTIVE = 200;

class Server {
  readonly readyMs: number;
  readonly #child;
  readonly #lines;

  private constructor(child: ReturnType<typeof spawnServer>, lines: AsyncIterator<string>, readyMs: number) {
    this.#child = child;
    this.#lines = lines;
    this.readyMs = readyMs;
  }

  static async start(home: Home): Promise<Server> {
    const child = spawnServer(home);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const { readyMs } = JSON.parse(String((await lines.next()).value)) as { readonly readyMs: number };
    return new Server(child, lines, readyMs);
  }

  async ask(question: string): Promise<number> {
    this.#child.stdin.write(`${question}\n`);
    const answer = JSON.parse(String((await this.#lines.next()).value)) as Readonly<Record<string, number>>;
    return Object.values(answer)[0] ?? Number.NaN;
  }

  async untilWaiting(runs: number): Promise<void> {
    while ((await this.ask('waiting')) < runs) await new Promise((resolve) => setTimeout(resolve, 500));
  }

  async stop(): Promise<void> {
    this.#child.stdin.write('stop\n');
    await once(this.#child, 'exit');
  }
}

function spawnServer(home: Home) {
  return spawn(process.execPath, ['--expose-gc', childProgram('relay-server'), home.root], { stdio: ['pipe', 'pipe', 'inherit'] });
}

let waiting: Promise<Home> | undefined;

/** A home in which so many tickets wait; made once, which takes minutes. */
function manyWaiting(folder: string): Promise<Home> {
  waiting ??= (async () => {
    const home = await homeWith(folder, MANY, 2);
    const server = await Server.start(home);
    await server.untilWaiting(MANY);
    await server.stop();
    return home;
  })();
  return waiting;
}

async function measured(folder: string, question: (server: Server) => Promise<number>): Promise<number> {
  const server = await Server.start(await manyWaiting(folder));
  try {
    return await question(server);
  } finally {
    await server.stop();
  }
}

/** Long enough for the first looks at all tickets, and some more. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 12_000));

const relayMemory: Workload = {
  key: 'relayMemory', title: `a server in which ${MANY} tickets wait`, unit: 'MiB', floorTitle: 'node -e 0', target: { of: 'value', direction: 'at most', limit: 300 }, rounds: 1,
  measure: async (folder) => ({
    value: await measured(folder, async (server) => {
      await settled();
      return await server.ask('memory');
    }),
    floor: await bareNodeMiB(),
  }),
};

const relayStart: Workload = {
  key: 'relayStart', title: `the same, from its start until it can be asked`, unit: 'ms', floorTitle: 'node -e 0', target: { of: 'value', direction: 'at most', limit: 5_000 }, rounds: 3,
  measure: async (folder) => ({ value: await measured(folder, async ({ readyMs }) => readyMs), floor: await bareNodeMs() }),
};

const relayPoll: Workload = {
  key: 'relayPoll', title: 'the same, one look at all tickets, none of which changed', unit: 'ms', floorTitle: 'node -e 0', target: { of: 'value', direction: 'at most', limit: 1_000 }, rounds: 1,
  measure: async (folder) => ({
    value: await measured(folder, async (server) => {
      await settled();
      return await server.ask('poll');
    }),
    floor: await bareNodeMs(),
  }),
};

async function withActive(folder: string, question: string): Promise<number> {
  const server = await Server.start(await homeWith(folder, ACTIVE, 3_600));
  try {
    await server.untilWaiting(ACTIVE);
    return await server.ask(question);
  } finally {
    await server.stop();
  }
}

const relayLatency: Workload = {
  key: 'relayLatency', title: `report accepted to next node launched, ${ACTIVE} tickets`, unit: 'ms', floorTitle: 'node -e 0', target: { of: 'value', direction: 'at most', limit: 100 }, rounds: 3,
  measure: async (folder) => ({ value: await withActive(folder, `latency ${ACTIVE}`), floor: await bareNodeMs() }),
};

const relayTransitions: Workload = {
  key: 'relayTransitions', title: `nodes entered, ${ACTIVE} tickets in files at once`, unit: 'per s', floorTitle: 'fsynced commits', target: { of: 'ratio', direction: 'at least', limit: 1 / 3 }, rounds: 3,
  measure: async (folder) => {
    const before = await commitsPerSecond(folder, 300);
    const value = await withActive(folder, 'transitions 10000');
    const after = await commitsPerSecond(folder, 300);
    return { value, floor: (before + after) / 2 };
  },
};

/** What the server costs. Measured on request: the first three need minutes to bring their tickets to where they wait. */
export const relay: readonly Workload[] = [relayMemory, relayStart, relayPoll, relayLatency, relayTransitions];
