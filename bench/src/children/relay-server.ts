/**
 * A server with adapters that do nothing. `relay-server <home>` prints how long it took to be ready, then answers each line on standard input with a line of JSON:
 *
 * `waiting`: how many runs wait · `memory`: MiB of the process, after a collection · `poll`: milliseconds of the last look at all tickets · `latency <n>`: a report for each of
 * n tickets, one after another; the median of milliseconds from its acceptance to the next launch · `transitions <ms>`: how many nodes were entered per second while every
 * launch is answered at once · `stop`.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createClient, homeOf, openServerLog, startServer } from '../../../packages/relay/dist/index.js';
import { noopHarness, noopRunner, reportTo } from '../relay/noop.js';

const [folder = ''] = process.argv.slice(2);
const began = performance.now();
const home = homeOf({ RELAY_FLOW_HOME: folder });
const client = createClient(home.socket);
const launches = new Set<(title: string) => void>();
const runner = noopRunner((title) => {
  for (const hear of launches) hear(title);
});
const server = await startServer({ home, env: process.env, version: '0', log: openServerLog({ path: home.serverLog, level: 'debug' }), adapters: { runner, harness: noopHarness } });
say({ readyMs: performance.now() - began });

let reports = 0;

function report(title: string): Promise<unknown> {
  const [ticket = '', node = ''] = title.split(':');
  reports += 1;
  return client.call('deliverReport', { body: { runId: `app/loop/${ticket}`, node, reportId: `bench:${process.pid}:${reports}`, report: reportTo(node === 'one' ? 'two' : 'one') } });
}

async function latency(tickets: number): Promise<number> {
  const rows = (await client.call('listRuns', { query: {} })).filter(({ state }) => state === 'waiting').slice(0, tickets);
  const times: number[] = [];
  for (const { ticket, currentNode } of rows) {
    let launched!: () => void;
    const next = new Promise<void>((resolve) => {
      launched = resolve;
    });
    const hear = (title: string): void => {
      if (title.startsWith(`${ticket.key}:`)) launched();
    };
    launches.add(hear);
    await report(`${ticket.key}:${currentNode ?? ''}`);
    const accepted = performance.now();
    await next;
    times.push(performance.now() - accepted);
    launches.delete(hear);
  }
  return times.sort((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
}

async function transitions(ms: number): Promise<number> {
  let entered = 0;
  let going = true;
  const hear = (title: string): void => {
    entered += 1;
    // The launch is recorded first, as with an agent that needs its time.
    if (going) setImmediate(() => void report(title).catch(() => undefined));
  };
  launches.add(hear);
  const from = performance.now();
  for (const { ticket, currentNode, state } of await client.call('listRuns', { query: {} })) if (state === 'waiting') void report(`${ticket.key}:${currentNode ?? ''}`);
  await new Promise((resolve) => setTimeout(resolve, ms));
  const perSecond = (entered * 1_000) / (performance.now() - from);
  going = false;
  launches.delete(hear);
  return perSecond;
}

function lastPollMs(): number {
  const lines = readFileSync(home.serverLog, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as { readonly message: string; readonly pid: number; readonly durationMs?: number });
  return lines.findLast(({ message, pid }) => message === 'polled' && pid === process.pid)?.durationMs ?? Number.NaN;
}

function say(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

for await (const line of createInterface({ input: process.stdin })) {
  const [word, argument] = line.split(' ');
  if (word === 'stop') break;
  if (word === 'waiting') say({ waiting: (await client.call('listRuns', { query: {} })).filter(({ state }) => state === 'waiting').length });
  else if (word === 'memory') {
    (globalThis as { gc?: () => void }).gc?.();
    say({ rssMiB: process.memoryUsage.rss() / 2 ** 20 });
  } else if (word === 'poll') say({ ms: lastPollMs() });
  else if (word === 'latency') say({ ms: await latency(Number(argument)) });
  else if (word === 'transitions') say({ perSecond: await transitions(Number(argument)) });
}
await server.stop();
process.exit(0);
