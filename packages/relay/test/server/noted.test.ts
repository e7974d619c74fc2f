import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatReport } from 'relay-flow-plugin/report';
import { expect, it } from 'vitest';
import { report } from '../workflow/interpreter/stage.js';
import { hurried, Recorded, recordedServer, type RecordedServer } from './recorded.js';
import { COMMAND } from './killed-server.js';
import { markersIn, STRAIGHT, type World } from './world.js';

const AGENT = fileURLToPath(new URL('pi-agent.mjs', import.meta.url));
const RUN = 'app/straight/K-1';
/** How often terminals are looked at. */
const EVERY_MINUTE = (ms: number): number => (ms === 60_000 ? 20 : ms);

/** Served, with its agent at work at `build`. */
async function atWork(recorded: Recorded): Promise<RecordedServer> {
  const entry = await recordedServer(recorded, { workflow: ['straight', STRAIGHT], options: { clock: hurried(EVERY_MINUTE) } });
  recorded.ticket('K-1');
  await entry.world.until('K-1', ({ state }) => state === 'waiting');
  return entry;
}

function note(world: World, name: string, content: unknown): string {
  mkdirSync(world.home.reports, { recursive: true, mode: 0o700 });
  const path = join(world.home.reports, name);
  // The server may look at any moment.
  const aside = join(world.folder, 'aside');
  writeFileSync(aside, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
  renameSync(aside, path);
  return path;
}

const message = (reportId: string, next: string) => ({ runId: RUN, node: 'build', reportId, report: report(next) });
const gone = async (path: string): Promise<void> => await expect.poll(() => existsSync(path)).toBe(false);

it('takes a report whose agent ended while there was no server, once, and starts nobody in its place', async () => {
  const recorded = new Recorded();
  const { world, server } = await atWork(recorded);
  await server.stop();
  for (const terminal of recorded.terminals.launched) terminal.live = false;
  const path = note(world, 'a.report.json', message('ses:1', 'review'));
  await recordedServer(recorded, { world, options: { clock: hurried(EVERY_MINUTE) } });
  await world.until('K-1', ({ state, currentNode }) => state === 'waiting' && currentNode === 'review');
  expect([existsSync(path), recorded.terminals.launched.map(({ title }) => title)]).toEqual([false, ['K-1:build', 'K-1:review']]);
  // Its plugin was there after all, and delivers it too.
  expect(await world.client.call('deliverReport', { body: message('ses:1', 'review') })).toEqual({ accepted: true, duplicate: true });
  expect(recorded.comments.get('K-1/build')?.map(({ marker }) => marker.split(':')[1])).toEqual(['summary']);
});

it('takes the report of an agent that was killed while there was no server', async () => {
  const recorded = new Recorded();
  const { world, server } = await atWork(recorded);
  await server.stop();
  const [terminal] = recorded.terminals.launched;
  const agent = spawn(process.execPath, [AGENT], { env: { PATH: process.env['PATH'], ...terminal?.env, RELAY_FLOW_COMMAND: COMMAND, REPORT: formatReport(report('review')) }, stdio: 'ignore' });
  const ended = once(agent, 'exit');
  try {
    await expect.poll(() => existsSync(world.home.reports) && readdirSync(world.home.reports).some((name) => name.endsWith('.report.json')), { timeout: 60_000 }).toBe(true);
  } finally {
    agent.kill('SIGKILL');
    await ended;
  }
  if (terminal !== undefined) terminal.live = false;
  await recordedServer(recorded, { world, options: { clock: hurried(EVERY_MINUTE) } });
  await world.until('K-1', ({ state, currentNode }) => state === 'waiting' && currentNode === 'review');
  expect([readdirSync(world.home.reports), recorded.terminals.launched.map(({ title }) => title)]).toEqual([[], ['K-1:build', 'K-1:review']]);
}, 120_000);

it('takes a report while it runs, before it replaces the terminal that is gone', async () => {
  const recorded = new Recorded();
  const { world } = await atWork(recorded);
  note(world, 'a.report.json', message('ses:1', 'end'));
  for (const terminal of recorded.terminals.launched) terminal.live = false;
  await world.until('K-1', ({ state }) => state === 'completed');
  expect(recorded.terminals.launched).toHaveLength(1);
  // What comes too late is put away.
  await gone(note(world, 'a.report.json', message('ses:2', 'end')));
});

it('puts away what can never be taken, says so, and leaves the rest alone', async () => {
  const recorded = new Recorded();
  const { world } = await atWork(recorded);
  const old = note(world, 'c.report.json.1.new', 'half');
  utimesSync(old, 1, 1);
  note(world, 'c.report.json.2.new', 'half');
  await gone(note(world, 'a.report.json', '{"half'));
  await gone(note(world, 'b.report.json', message('ses:1', 'nowhere')));
  await gone(note(world, 'd.report.json', ' '.repeat(4 * 1024 * 1024 + 1)));
  for (const broken of ['{"half', 'null', '{"runId":1}']) await gone(note(world, 'd.corrections.json', broken));
  await gone(old);
  expect(readdirSync(world.home.reports)).toEqual(['c.report.json.2.new']);
  expect(world.log().match(/could not deliver is refused/g)).toHaveLength(2);
  expect(world.log().match(/is too long to be taken/g)).toHaveLength(1);
  expect(world.log()).not.toContain('could not be taken');
  expect(await world.run('K-1')).toMatchObject({ state: 'waiting', currentNode: 'build', lastError: null });
});

it('shows on a run that its agent does not come to a valid report, without ending it', async () => {
  const recorded = new Recorded();
  const { world } = await atWork(recorded);
  const corrected = (corrections: number): string => note(world, 'a.corrections.json', { runId: RUN, node: 'build', corrections });
  corrected(4);
  // The look that takes this one has seen the one before.
  await gone(note(world, 'z.report.json', ''));
  expect(await world.run('K-1')).toMatchObject({ state: 'waiting', attention: null });
  corrected(5);
  const shown = await world.until('K-1', ({ attention }) => attention !== null);
  expect(shown).toMatchObject({ state: 'waiting', lastError: 'build gave no valid report in 5 answers.', attention: expect.stringMatching(/told 5 times .* terminal t0/) as string });
  corrected(12);
  await world.until('K-1', ({ attention }) => attention?.includes('told 12 times') === true);
  // That the session is heard of says nothing about its reports.
  await world.client.call('registerSession', { body: { runId: RUN, node: 'build', sessionId: 'ses' } });
  expect((await world.run('K-1')).attention).toContain('told 12 times');
  await world.client.call('deliverReport', { body: message('ses:9', 'review') });
  expect(await world.until('K-1', ({ state, currentNode }) => state === 'waiting' && currentNode === 'review')).toMatchObject({ attention: null, lastError: null });
  await gone(join(world.home.reports, 'a.corrections.json'));
  const { entries } = await world.client.call('runLogs', { params: { key: 'K-1' }, query: {} });
  expect(entries.filter(({ text }) => text.includes('no valid report'))).toHaveLength(1);
});

it('lays reports aside with the database: the runs that begin anew have the same names', async () => {
  const recorded = new Recorded();
  const { world, server } = await atWork(recorded);
  await server.stop();
  note(world, 'a.report.json', message('ses:1', 'review'));
  await recordedServer(recorded, { world, options: { recover: true } });
  expect(await world.until('K-1', ({ state }) => state === 'waiting')).toMatchObject({ currentNode: 'build' });
  const aside = readdirSync(world.home.root).find((name) => name.endsWith('.reports')) ?? '';
  expect(readdirSync(join(world.home.root, aside))).toEqual(['a.report.json']);
  expect(markersIn(JSON.stringify(recorded.comments.get('K-1/build') ?? []), 'summary')).toEqual([]);
});
