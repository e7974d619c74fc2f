import { openSqliteJournal } from '@relayflows/sdk/journal';
import { describe, expect, it } from 'vitest';
import { RelayError } from '../../src/errors/relay-error.js';
import { openRelayTables } from '../../src/store/database.js';
import { RelayStore } from '../../src/store/store.js';
import { report, workflow } from '../workflow/interpreter/stage.js';
import { hurried, Recorded, recordedServer } from './recorded.js';
import { STRAIGHT, World } from './world.js';

const RUN = 'app/straight/K-1';
const anHour = (): RelayError => new RelayError('task_unavailable', 'The task system asks for patience.', { retryAfterMs: 3_600_000 });

describe('a cancelation', () => {
  it('of a run that the journal does not know cleans up and ends (pitfall 45)', async () => {
    const recorded = new Recorded();
    const world = await new World({}).init();
    // As a server leaves it that died between the row and the instance, with the cancelation begun.
    const tables = openRelayTables(world.home.database);
    const store = new RelayStore(tables);
    store.addRun({ id: 'app/review/K-1', logical: 'app/review/K-1', attempt: 1, repo: 'app', workflow, ticket: { id: 'K-1', key: 'K-1', title: 'A ticket' }, at: 1 });
    store.beginCancel('app/review/K-1', 'not needed', 2);
    tables.close();
    recorded.ticket('K-1', { labels: ['wf:review'] });
    await recordedServer(recorded, { world });
    const run = await world.until('K-1', ({ state }) => state === 'canceled');
    expect(run.lastError).toBe('not needed');
    expect(recorded.comments.get('K-1')).toEqual([{ marker: 'app/review/K-1:cancellation', body: 'Run canceled: not needed' }]);
    expect(recorded.calls.slice(-2)).toEqual(['close all K-1', 'comment K-1 cancellation']);
    expect(recorded.terminals.launched).toEqual([]);
  });

  it('does not wait for what is tried again later', async () => {
    const recorded = new Recorded();
    const { world } = await recordedServer(recorded, { workflow: ['straight', STRAIGHT] });
    recorded.before = (call) => {
      if (call === 'ticket to Open/-') throw anHour();
    };
    recorded.ticket('K-1');
    const waiting = await world.until('K-1', ({ retry }) => retry !== null);
    expect((waiting.retry?.nextRetryAt ?? 0) - Date.now()).toBeGreaterThan(3_000_000);
    expect(await world.client.call('cancelRun', { params: { key: 'K-1' }, body: { reason: 'enough' } })).toMatchObject({ state: 'canceled' });
    expect(recorded.comments.get('K-1')).toEqual([{ marker: `${RUN}:cancellation`, body: 'Run canceled: enough' }]);
  });

  it('is the end of what is tried again', async () => {
    const recorded = new Recorded();
    const { world } = await recordedServer(recorded, { workflow: ['straight', STRAIGHT], options: { clock: hurried((ms) => Math.min(ms, 20)) } });
    let tries = 0;
    recorded.before = (call) => {
      if (call !== 'ticket to Open/-') return;
      tries += 1;
      throw new RelayError('task_conflict', 'The ticket is in review.');
    };
    recorded.ticket('K-1');
    await world.until('K-1', ({ retry }) => (retry?.attempt ?? 0) >= 2);
    await world.client.call('cancelRun', { params: { key: 'K-1' }, body: {} });
    const [before, polls] = [tries, recorded.polls];
    await expect.poll(() => recorded.polls, { timeout: 20_000 }).toBeGreaterThan(polls + 10);
    expect([tries, (await world.run('K-1')).state]).toEqual([before, 'canceled']);
  });

  it('that cannot be finished is tried again, says why, and comments once', async () => {
    const recorded = new Recorded();
    const { world } = await recordedServer(recorded, { workflow: ['straight', STRAIGHT], options: { clock: hurried((ms) => (ms === 15_000 ? 50 : ms)) } });
    recorded.ticket('K-1');
    await world.until('K-1', ({ state }) => state === 'waiting');
    const failures = [new RelayError('task_unavailable', 'The task system does not answer.'), new TypeError('the-secret-0451')];
    recorded.before = (call) => {
      const failure = call.endsWith('cancellation') ? failures.shift() : undefined;
      if (failure !== undefined) throw failure;
    };
    expect(await world.client.call('cancelRun', { params: { key: 'K-1' }, body: { reason: 'enough' } })).toMatchObject({ state: 'canceling', lastError: 'The task system does not answer.' });
    // The first reason is the one, also while it is not finished.
    await world.client.call('cancelRun', { params: { key: 'K-1' }, body: { reason: 'never mind' } });
    await world.until('K-1', ({ state, lastError }) => state === 'canceled' && lastError === 'enough');
    expect(recorded.comments.get('K-1')?.map(({ body }) => body)).toEqual(['Run canceled: enough']);
    expect(world.log()).toContain('It failed in a way that nobody foresaw (TypeError).');
    expect(world.log()).not.toContain('0451');
  });

  it('and a report at the same time: one of them wins, and the other changes nothing', async () => {
    for (let round = 0; round < 5; round += 1) {
      const recorded = new Recorded();
      const { world } = await recordedServer(recorded, { workflow: ['straight', STRAIGHT] });
      recorded.ticket('K-1');
      await world.until('K-1', ({ state }) => state === 'waiting');
      const [, canceled] = await Promise.all([
        world.client.call('deliverReport', { body: { runId: RUN, node: 'build', reportId: 'a', report: report('end') } }),
        world.client.call('cancelRun', { params: { key: 'K-1' }, body: {} }),
      ]);
      const { state } = await world.until('K-1', (run) => run.state === 'canceled' || run.state === 'completed');
      expect(canceled.state).toBe(state);
      expect((recorded.comments.get('K-1') ?? []).length).toBe(state === 'canceled' ? 1 : 0);
      expect(recorded.terminals.launched.filter(({ live }) => live)).toEqual([]);
    }
  });
});

it('lets go of its runs when it stops, so that the next server goes on with them at once (pitfall 42)', async () => {
  const recorded = new Recorded();
  const first = await recordedServer(recorded, { workflow: ['straight', STRAIGHT] });
  recorded.before = (call) => {
    if (call === 'workspace') throw anHour();
  };
  for (const key of ['K-1', 'K-2']) recorded.ticket(key);
  for (const key of ['K-1', 'K-2']) await first.world.until(key, ({ retry }) => retry !== null);
  await first.server.stop();
  const journal = await openSqliteJournal({ path: first.world.home.database });
  const left = await Promise.all(['K-1', 'K-2'].map(async (key) => await journal.run({ runId: `app/straight/${key}` })));
  await journal.close();
  expect(left.map((run) => [run?.status, run?.owner])).toEqual([['interrupted', undefined], ['interrupted', undefined]]);
  recorded.before = () => undefined;
  const ahead = { ms: 3_700_000 };
  await recordedServer(recorded, { world: first.world, options: { clock: hurried((ms) => ms, ahead) } });
  for (const key of ['K-1', 'K-2']) await first.world.until(key, ({ state }) => state === 'waiting');
});
