import { readdirSync } from 'node:fs';
import { systemClock } from '@relayflows/sdk';
import type { Report } from 'relay-flow-plugin/report';
import { expect, it } from 'vitest';
import { RelayError } from '../../src/errors/relay-error.js';
import { report } from '../workflow/interpreter/stage.js';
import { Recorded, recordedServer, type RecordedServer } from './recorded.js';
import { REVIEW } from './world.js';

const RUN = 'app/review/K-1';
const WITH_CLEANUP = REVIEW.replace('repos: [app]', 'repos: [app]\ncleanupRunnerOnEnd: true');

async function delivered({ world }: RecordedServer, node: string, of: Report, reportId = `${node} to ${of.nextStep}`): Promise<void> {
  await world.until('K-1', (run) => run.currentNode === node && run.state === 'waiting');
  expect(await world.client.call('deliverReport', { body: { runId: RUN, node, reportId, report: of } })).toEqual({ accepted: true, duplicate: false });
}

async function waitsAt({ world }: RecordedServer, node: string, depth = 0): Promise<void> {
  await world.until('K-1', ({ steps }) => steps.some((step) => step.node === node && step.depth === depth && step.status === 'waiting'));
}

it('does everything in the order that keeps it safe: start, entry, launch, report, revisit, end', async () => {
  const recorded = new Recorded();
  recorded.ticket('K-1');
  const entry = await recordedServer(recorded, { workflow: ['review', WITH_CLEANUP] });
  await waitsAt(entry, 'build');
  expect(recorded.take()).toEqual([
    'probe tasks', 'probe runner', 'probe harness',
    // The stored workflow is bound.
    'validate -/- -', 'validate repository', 'agent coder', 'agent reader',
    'claim wf:review',
    'mailboxes K-1:build, K-1:check', 'agent coder', 'agent reader', 'ticket to Open/-', 'workspace',
    'K-1/build to Doing/Doing', 'workspace',
    'workspace in-progress', 'create K-1:build',
  ]);
  await delivered(entry, 'build', report('check'));
  await waitsAt(entry, 'check');
  expect(recorded.take()).toEqual([
    'comment K-1/build summary', 'comment K-1/check feedback', 'K-1/build to -/Done',
    'K-1/check to Doing/Doing', 'workspace',
    'workspace in-review', 'create K-1:check',
  ]);
  await delivered(entry, 'check', report('build', 'failure'));
  await waitsAt(entry, 'build', 1);
  expect(recorded.take()).toEqual([
    'comment K-1/check summary', 'comment K-1/build feedback', 'K-1/check to -/Done',
    'K-1/build to Doing/Doing', 'workspace',
    // The terminal is there: the visit is told in it.
    'workspace in-progress', 'send K-1:build',
  ]);
  await delivered(entry, 'build', report('check'), 'again');
  await waitsAt(entry, 'check', 1);
  recorded.take();
  await delivered(entry, 'check', report('end'), 'last');
  await entry.world.until('K-1', ({ state }) => state === 'completed');
  expect(recorded.take()).toEqual([
    'comment K-1/check summary', 'K-1/check to -/Done',
    'ticket to Closed/-', 'workspace completed', 'close K-1:build', 'close K-1:check', 'close all K-1', 'remove workspace',
  ]);
});

it('begins another attempt by closing and opening what the earlier left, with fresh sessions and the ticket left as it is', async () => {
  const recorded = new Recorded();
  recorded.ticket('K-1');
  const entry = await recordedServer(recorded, { workflow: ['review', REVIEW] });
  const { client } = entry.world;
  await waitsAt(entry, 'build');
  await client.call('registerSession', { body: { runId: RUN, node: 'build', sessionId: 'ses_1' } });
  recorded.take();
  await client.call('cancelRun', { params: { key: 'K-1' }, body: { reason: 'no' } });
  expect(recorded.take()).toEqual(['close K-1:build', 'close all K-1', 'comment K-1 cancellation']);
  expect(recorded.found('K-1').labels).toEqual(['wf:review']);
  // The workflow that is stored now counts.
  await client.call('submitWorkflow', { body: REVIEW.replace('agent: coder', 'agent: another') });
  recorded.take();
  await client.call('restartRun', { params: { key: 'K-1' } });
  await entry.world.until('K-1', ({ attempt, state }) => attempt === 2 && state === 'waiting');
  expect(recorded.take()).toEqual([
    'comment K-1 restart', 'mailboxes K-1:build, K-1:check', 'close all K-1', 'reopen K-1/build, K-1/check', 'agent another', 'agent reader', 'workspace',
    'K-1/build to Doing/Doing', 'workspace', 'workspace in-progress', 'close K-1:build', 'create K-1:build',
  ]);
  expect(recorded.terminals.launched.at(-1)?.args).toEqual(['Begin build.']);
});

it('recovers in order, after the database was laid aside: close, mailboxes, reset, begin; and leaves alone what is not its own (pitfall 49)', async () => {
  const recorded = new Recorded();
  const entry = await recordedServer(recorded, { workflow: ['review', REVIEW] });
  await entry.server.stop();
  recorded.ticket('K-1', { labels: ['wf:review'] });
  recorded.ticket('K-2', { labels: ['wf:review'] });
  recorded.ticket('K-3', { labels: ['wf:review', 'wf:other'] });
  recorded.ticket('K-4', { labels: ['wf:other'] });
  recorded.comments.set('K-2', [{ marker: 'app/review/K-2:cancellation', body: 'Run canceled: no' }]);
  // What follows is looked at up to the first call of the run itself.
  recorded.take();
  const { server, world } = await recordedServer(recorded, { world: entry.world, options: { recover: true } });
  expect(server.recovered).toMatchObject({ recovered: 1, failed: 0, laidAside: expect.stringMatching(/state\.db\.recover-\d{8}T\d{6}Z\.bak$/) as string });
  const after = recorded.calls.slice(recorded.calls.indexOf('close all K-1'));
  expect(after.slice(0, 4)).toEqual(['close all K-1', 'mailboxes K-1:build, K-1:check', 'reset K-1/build, K-1/check', 'mailboxes K-1:build, K-1:check']);
  expect(recorded.calls.join('\n')).not.toMatch(/K-[234]/);
  await world.until('K-1', ({ state }) => state === 'waiting');
  for (const key of ['K-2', 'K-3', 'K-4']) await expect(world.run(key)).rejects.toMatchObject({ code: 'run_unknown' });
});

it('recovers a ticket that was canceled and restarted since, as the attempt that it was, and one that was canceled again not', async () => {
  const recorded = new Recorded();
  const entry = await recordedServer(recorded, { workflow: ['review', REVIEW] });
  for (const key of ['K-1', 'K-2']) recorded.ticket(key);
  const { client } = entry.world;
  const cancel = async (key: string): Promise<void> => {
    await entry.world.until(key, ({ state }) => state === 'waiting');
    await client.call('cancelRun', { params: { key }, body: { reason: 'enough' } });
  };
  for (const key of ['K-1', 'K-2']) {
    await cancel(key);
    await client.call('restartRun', { params: { key } });
  }
  await cancel('K-2');
  expect(recorded.comments.get('K-2')).toEqual([
    { marker: 'app/review/K-2:cancellation', body: 'Run canceled: enough' }, { marker: 'app/review/K-2~attempt~2:restart', body: 'Run restarted: attempt 2.' }, { marker: 'app/review/K-2~attempt~2:cancellation', body: 'Run canceled: enough' },
  ]);
  await entry.server.stop();
  const { server, world } = await recordedServer(recorded, { world: entry.world, options: { recover: true } });
  expect(server.recovered).toMatchObject({ recovered: 1, failed: 0 });
  expect(await world.until('K-1', ({ state }) => state === 'waiting')).toMatchObject({ id: 'app/review/K-1~attempt~2', attempt: 2 });
  await expect(world.run('K-2')).rejects.toMatchObject({ code: 'run_unknown' });
  // The next cancelation and the next attempt are news again.
  await world.client.call('cancelRun', { params: { key: 'K-1' }, body: { reason: 'really' } });
  expect(recorded.comments.get('K-1')?.at(-1)).toEqual({ marker: 'app/review/K-1~attempt~2:cancellation', body: 'Run canceled: really' });
  expect((await world.client.call('restartRun', { params: { key: 'K-1' } })).attempt).toBe(3);
});

it('lays no database aside while something that it needs cannot be used, and never the one laid aside before', async () => {
  const recorded = new Recorded();
  const { world, server } = await recordedServer(recorded, { workflow: ['review', REVIEW] });
  await server.stop();
  const databases = (): readonly string[] => readdirSync(world.home.root).filter((name) => /^state\.db.*(?<!-wal|-shm)$/.test(name));
  recorded.before = (call) => {
    if (call === 'probe harness') throw new RelayError('harness_missing', 'The executable is not on the PATH.');
  };
  await expect(recordedServer(recorded, { world, options: { recover: true } })).rejects.toMatchObject({ code: 'harness_missing' });
  expect(databases()).toEqual(['state.db']);
  recorded.before = () => undefined;
  // In the same second.
  const clock = { ...systemClock, now: () => 1_800_000_000_000 };
  for (let round = 0; round < 2; round += 1) await (await recordedServer(recorded, { world, options: { recover: true, clock } })).server.stop();
  expect(databases().toSorted()).toEqual(['state.db', 'state.db.recover-20270115T080000Z-1.bak', 'state.db.recover-20270115T080000Z.bak']);
});

it('recovers what it can when one ticket cannot be brought back', async () => {
  const recorded = new Recorded();
  const { world, server } = await recordedServer(recorded, { workflow: ['review', REVIEW] });
  await server.stop();
  for (const key of ['K-1', 'K-2', 'K-3']) recorded.ticket(key, { labels: ['wf:review'] });
  recorded.before = (call) => {
    if (call.startsWith('reset K-2')) throw new RelayError('task_unavailable', 'The task system does not answer.');
  };
  const again = await recordedServer(recorded, { world, options: { recover: true } });
  expect(again.server.recovered).toMatchObject({ recovered: 2, failed: 1 });
  for (const key of ['K-1', 'K-3']) await world.until(key, ({ state }) => state === 'waiting');
  expect(world.log()).toContain('a ticket could not be recovered');
});
