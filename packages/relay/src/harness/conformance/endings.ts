import { deepEqual, equal, ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { identityOf } from '@relayflows/sdk/process';
import type { HeadlessProcess } from '../headless/visit.js';
import { CONTRACT, ROUTES, VISIT } from './stage.js';
import type { HostedVisit, Scenario } from './scenario.js';

/** How long the end of processes may take, in milliseconds: guards give them five seconds, and look once a second. */
const MOST_MS = 60_000;

async function until(done: () => boolean): Promise<void> {
  const end = Date.now() + MOST_MS;
  while (!done() && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 50));
  ok(done(), 'processes have ended');
}

const alive = (pids: readonly number[]): readonly number[] => pids.filter((pid) => identityOf(pid) !== undefined);

export const endingScenarios: readonly Scenario[] = [
  {
    name: 'stops everything that a turn has started, also what does not want to end',
    needs: ['headless'],
    async play(stage) {
      const { play, runner, visit, hanging, events, processes } = stage.headless();
      await play([{ hangs: true }]);
      runner.start(visit());
      const pids = await hanging();
      ok(alive(pids).length === pids.length && pids.length > 1, 'they are at work');
      equal(runner.live(VISIT.key), 'running');
      await runner.stop(VISIT.key);
      deepEqual(alive(pids), []);
      equal(processes.length, 1);
      ok(events.every(({ type }) => type === 'started' || type === 'session'), 'a stopped turn has no news');
    },
  },
  {
    name: 'leaves nothing behind when its server is killed',
    needs: ['headless', 'host'],
    async play(stage) {
      const { play, hanging, runner } = stage.headless();
      await play([{ hangs: true }]);
      const told: HostedVisit = { home: stage.home, visit: { ...VISIT, launch: stage.launch(), contract: CONTRACT, routes: ROUTES } };
      const host = spawn(stage.host?.file ?? '', stage.host?.args ?? [], { env: { ...stage.env }, stdio: ['pipe', 'pipe', 'inherit'] });
      host.stdin.end(JSON.stringify(told));
      const process = await new Promise<HeadlessProcess>((resolve) => createInterface(host.stdout).once('line', (line) => resolve(JSON.parse(line) as HeadlessProcess)));
      const pids = await hanging();
      deepEqual(alive(pids), [...pids]);
      const gone = new Promise((resolve) => host.once('exit', resolve));
      host.kill('SIGKILL');
      await gone;
      // Whoever comes first, the guard or the next server.
      await runner.reap(process);
      await until(() => alive(pids).length === 0);
      await runner.reap(process);
    },
  },
];
