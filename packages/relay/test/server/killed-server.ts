import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { RunDetail } from '../../src/server/answers.js';
import type { World } from './world.js';

export const COMMAND = fileURLToPath(new URL('../../bin/relay-flow.js', import.meta.url));

const worlds: { world: World; server: ChildProcess | undefined }[] = [];

/** Ends the servers of a test and removes their worlds. */
export async function clearAway(): Promise<void> {
  for (const entry of worlds.splice(0)) {
    if (entry.server?.exitCode === null && entry.server.signalCode === null) {
      entry.server.kill('SIGTERM');
      await once(entry.server, 'exit');
    }
    entry.world.remove();
  }
}

/** Starts the command; with a fault point, it may be dead already when this resolves. */
export async function serve(world: World, fault?: string): Promise<ChildProcess> {
  const server = spawn(process.execPath, [COMMAND, 'serve', '--debug'], { env: { ...process.env, RELAY_FLOW_HOME: world.home.root, ...(fault === undefined ? {} : { RELAY_FLOW_FAULT: fault }) }, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  server.stderr?.on('data', (piece) => (said += String(piece)));
  const known = worlds.find((entry) => entry.world === world);
  if (known === undefined) worlds.push({ world, server });
  else known.server = server;
  for (const end = Date.now() + 120_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 25))) {
    if (server.exitCode !== null || server.signalCode !== null) {
      if (fault !== undefined && server.signalCode === 'SIGKILL') return server;
      throw new Error(`The server ended with ${server.exitCode ?? server.signalCode}: ${said}`);
    }
    if (await world.client.call('health', {}).then(() => true, () => false)) return server;
  }
  throw new Error(`The server did not start: ${said}`);
}

/** Approves whatever waits until the run has ended, or the server has. */
export async function drive(world: World, server: ChildProcess, key: string, limitMs = 120_000): Promise<RunDetail | undefined> {
  for (const end = Date.now() + limitMs; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 30))) {
    if (server.signalCode !== null || server.exitCode !== null) return undefined;
    const run = await world.run(key).catch(() => undefined);
    if (run?.state === 'completed' || run?.state === 'canceled') return run;
    if (run?.proposal !== null && run?.proposal !== undefined) await world.client.call('approveRun', { params: { key }, body: { reportId: run.proposal.reportId } }).catch(() => undefined);
  }
  const run = await world.run(key).catch((error: unknown) => error);
  throw new Error(`The run did not end: ${JSON.stringify(run, null, 1)}\n${world.log()}`);
}

export async function until(is: () => boolean): Promise<void> {
  for (const end = Date.now() + 120_000; !is(); await new Promise((resolve) => setTimeout(resolve, 20))) {
    if (Date.now() > end) throw new Error(`It did not come about: ${String(is)}`);
  }
}

