import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { openServerLog } from '../../src/host/server-log.js';
import { startServer, type RunningServer } from '../../src/server/start.js';
import { quietHarness, RememberedTerminals } from './noop-adapters.js';
import { markersIn, STRAIGHT, World } from './world.js';

const TICKETS = 5_000;
/** What the server may take in memory for them, far below the 300 MiB that the whole process may have. */
const MOST_MIB = 100;

/** Bytes in use once what nobody needs is gone. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

let open: { readonly world: World; server: RunningServer } | undefined;
afterEach(async () => {
  await open?.server.stop();
  open?.world.remove();
  open = undefined;
});

describe('5,000 tickets that wait in one server', () => {
  it('cost a row each, are all there after a restart, and each goes on when its report comes', async () => {
    const world = await new World({}, { pollIntervalSeconds: 3_600 }).init();
    world.store('straight', STRAIGHT);
    for (let number = 1; number <= TICKETS; number += 1) world.ticket(`T-${number}`);
    const terminals = new RememberedTerminals();
    const start = () => startServer({ home: world.home, env: process.env, version: '0', log: openServerLog({ path: world.home.serverLog }), adapters: { runner: terminals.runner, harness: quietHarness } });
    const before = heapInUse();
    open = { world, server: await start() };
    const waiting = async (): Promise<number> => (await world.client.call('listRuns', { query: {} })).filter(({ state }) => state === 'waiting').length;
    while ((await waiting()) < TICKETS) await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect((heapInUse() - before) / 2 ** 20).toBeLessThan(MOST_MIB);
    expect(new Set(terminals.launched.map(({ title }) => title)).size).toBe(TICKETS);

    await open.server.stop();
    open.server = await start();
    expect(await waiting()).toBe(TICKETS);
    const none = 'None';
    const body = {
      runId: 'app/straight/T-4711', node: 'build', reportId: 'r',
      report: { status: 'success', nextStep: 'end', summary: { completed: 'Done.', commits: none, notCompleted: none, issuesDiscovered: none, verification: none, notes: none }, feedback: { reasonForNextStep: none, requiredActions: none, relevantContext: none, expectedResult: none } },
    } as const;
    expect(await world.client.call('deliverReport', { body })).toEqual({ accepted: true, duplicate: false });
    await world.until('T-4711', ({ state }) => state === 'completed');
    expect(markersIn(world.read('T-4711', 'build.md'), 'summary')).toHaveLength(1);
    expect(await waiting()).toBe(TICKETS - 1);
    // Nobody was started again, and no ticket was taken twice.
    expect(terminals.launched).toHaveLength(TICKETS);
  }, 1_800_000);
});
