import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { RelayError } from '../../src/errors/relay-error.js';
import { report } from '../workflow/interpreter/stage.js';
import { Recorded, recordedServer, type RecordedServer } from './recorded.js';
import { STRAIGHT } from './world.js';

const ownerOf = (person: string, workflow = 'straight'): string => `wf-owner:${workflow}:${createHash('sha256').update(person).digest('hex')}`;

/** Waits until the tickets were looked at so many times more. */
async function polled(recorded: Recorded, times = 3): Promise<void> {
  const until = recorded.polls + times;
  await expect.poll(() => recorded.polls, { timeout: 20_000, interval: 10 }).toBeGreaterThanOrEqual(until);
}

async function served(recorded: Recorded, args: Parameters<typeof recordedServer>[1] = {}): Promise<RecordedServer> {
  return await recordedServer(recorded, { workflow: ['straight', STRAIGHT], ...args });
}

describe('a claim', () => {
  it('that somebody else made at the same time is not followed by a run (pitfall 37)', async () => {
    const recorded = new Recorded();
    recorded.ticket('K-1');
    recorded.before = (call) => {
      // Another server was quicker, after our look and before our claim.
      if (call.startsWith('claim')) recorded.ticket('K-1', { labels: [ownerOf('bob'), 'wf:straight'] });
    };
    const { world } = await served(recorded, { owner: 'ann' });
    await polled(recorded);
    await expect(world.run('K-1')).rejects.toMatchObject({ code: 'run_unknown' });
    expect(recorded.calls.filter((call) => call.startsWith('claim'))).toHaveLength(1);
    expect([recorded.terminals.launched, world.log().match(/a claim was not confirmed/g)]).toEqual([[], ['a claim was not confirmed']]);
  });

  it('by two servers for two persons leads to one run at most (pitfall 37)', async () => {
    const recorded = new Recorded();
    const arrived: (() => void)[] = [];
    recorded.before = async (call) => {
      if (!call.startsWith('claim')) return;
      await new Promise<void>((resolve) => {
        arrived.push(resolve);
        if (arrived.length === 2) for (const go of arrived) go();
      });
    };
    const servers = await Promise.all(['ann', 'bob'].map((owner) => served(recorded, { owner })));
    recorded.ticket('K-1');
    await expect.poll(() => arrived.length).toBe(2);
    await polled(recorded, 6);
    const runs = await Promise.all(servers.map(({ world }) => world.run('K-1').then(() => 1, () => 0)));
    expect(runs[0]! + runs[1]!).toBeLessThanOrEqual(1);
    expect(recorded.terminals.launched.length).toBeLessThanOrEqual(1);
  });

  it.each([
    ['of somebody else, although the ticket fits', [ownerOf('bob'), 'wf:straight'], 'claim-owner-mismatch'],
    ['without an owner, which only a person may give it', ['wf:straight'], 'claim-owner-mismatch'],
    ['of a workflow that is not here', [ownerOf('ann', 'gone'), 'wf:gone'], 'invalid-claim'],
    ['of two workflows', [ownerOf('ann'), 'wf:straight', 'wf:review'], 'invalid-claim'],
  ])('%s is told once and changes nothing', async (_what, labels, outcome) => {
    const recorded = new Recorded();
    recorded.ticket('K-1', { labels });
    const { world } = await served(recorded, { owner: 'ann' });
    await polled(recorded);
    await expect(world.run('K-1')).rejects.toMatchObject({ code: 'run_unknown' });
    expect(recorded.found('K-1').labels).toEqual(labels);
    expect(recorded.calls.filter((call) => call.startsWith('claim'))).toEqual([]);
    expect(world.log().split('\n').filter((line) => line.includes(`"outcome":"${outcome}"`))).toHaveLength(1);
  });

  it('that names nobody is shown, and taken when a person says so, once', async () => {
    const recorded = new Recorded();
    recorded.ticket('K-1', { labels: ['wf:straight'] });
    recorded.ticket('K-2', { labels: ['wf:straight'] });
    recorded.comments.set('K-2', [{ marker: 'app/straight/K-2:cancellation', body: 'Run canceled: no' }]);
    recorded.ticket('K-3', { labels: [ownerOf('bob'), 'wf:straight'] });
    recorded.ticket('K-4', { labels: ['wf:gone'] });
    recorded.ticket('K-5', { labels: [ownerOf('ann'), ownerOf('bob'), 'wf:straight'] });
    const { world: at } = await served(recorded, { owner: 'ann' });
    const { client } = at;
    await polled(recorded);
    const how = '`relay-flow run claim --ticket K-1 --repo app`';
    const problems = (await client.call('getRepo', { params: { name: 'app' } })).ticketProblems;
    expect(problems.map(({ where }) => where)).toEqual(['K-1', 'K-2', 'K-5']);
    expect(problems[0]).toEqual({ where: 'K-1', text: 'K-1 is claimed by straight for nobody, as early versions claimed tickets, so no server works on it.', hint: `If no other server does, take it with ${how}.` });
    await expect(client.call('getRun', { params: { key: 'K-1' } })).rejects.toMatchObject({ code: 'run_unknown', text: expect.stringContaining('for nobody') as string, hint: expect.stringContaining(how) as string });
    const claim = async (key: string) => await client.call('claimTicket', { params: { key } });
    expect(await claim('K-1')).toMatchObject({ ticket: 'K-1', repo: 'app', workflow: 'straight', run: { attempt: 1 } });
    await at.until('K-1', ({ state }) => state === 'waiting');
    expect(recorded.found('K-1').labels.toSorted()).toEqual([ownerOf('ann'), 'wf:straight'].toSorted());
    // Again: nothing.
    expect(await claim('K-1')).toMatchObject({ run: { attempt: 1 } });
    expect(recorded.terminals.launched).toHaveLength(1);
    // What was canceled stays so.
    expect(await claim('K-2')).toMatchObject({ run: null });
    for (const [key, text] of [['K-3', 'for somebody else'], ['K-4', 'cannot be followed'], ['K-5', 'several owners']] as const) {
      const before = recorded.found(key).labels;
      await expect(claim(key)).rejects.toMatchObject({ code: 'run_conflict', text: expect.stringContaining(text) as string });
      expect(recorded.found(key).labels).toEqual(before);
    }
    await expect(claim('K-9')).rejects.toMatchObject({ code: 'run_unknown' });
    await polled(recorded);
    expect((await client.call('getRepo', { params: { name: 'app' } })).ticketProblems.map(({ where }) => where)).toEqual(['K-5']);
    expect(at.log().match(/must be put right by a person/g)).toHaveLength(3);
  });

  it('of our own is gone on with whatever the filters say, owner first in one request, and stays for good', async () => {
    const recorded = new Recorded();
    recorded.ticket('K-1', { labels: ['ready'] });
    const entry = await served(recorded, { owner: 'ann', workflow: ['straight', STRAIGHT.replace('repos: [app]', 'repos: [app]\ntaskConfig: { filters: { labels: [ready] } }')] });
    const { world } = entry;
    await world.until('K-1', ({ state }) => state === 'waiting');
    expect(recorded.calls.filter((call) => call.startsWith('claim'))).toEqual([`claim ${ownerOf('ann')} wf:straight`]);
    // A claimed ticket whose run is not known any more begins again, although its label is gone.
    recorded.ticket('K-2', { labels: [ownerOf('ann'), 'wf:straight'] });
    await world.until('K-2', ({ state }) => state === 'waiting');
    await world.client.call('cancelRun', { params: { key: 'K-1' }, body: {} });
    await world.client.call('deliverReport', { body: { runId: 'app/straight/K-2', node: 'build', reportId: 'a', report: report('end') } });
    await world.until('K-2', ({ state }) => state === 'completed');
    await polled(recorded);
    // Nothing is begun again for either, and both stay claimed.
    expect([(await world.run('K-1')).attempt, (await world.run('K-2')).attempt]).toEqual([1, 1]);
    expect(recorded.found('K-1').labels).toEqual(['ready', ownerOf('ann'), 'wf:straight']);
    expect(recorded.found('K-2').labels).toEqual([ownerOf('ann'), 'wf:straight']);
    expect(recorded.calls.filter((call) => call.startsWith('claim'))).toHaveLength(1);
  });

  it('of a canceled ticket, met by a server that knows nothing of it, begins nothing (pitfall 49)', async () => {
    const recorded = new Recorded();
    recorded.comments.set('K-1', [{ marker: 'app/straight/K-1:cancellation', body: 'Run canceled: no' }]);
    recorded.ticket('K-1', { labels: ['wf:straight'] });
    // The mark of another workflow's cancellation says nothing about this one.
    recorded.comments.set('K-2', [{ marker: 'app/other/K-2:cancellation', body: 'Run canceled: no' }]);
    recorded.ticket('K-2', { labels: ['wf:straight'] });
    const { world } = await served(recorded);
    await world.until('K-2', ({ state }) => state === 'waiting');
    await polled(recorded);
    await expect(world.run('K-1')).rejects.toMatchObject({ code: 'run_unknown' });
  });
});

describe('looks for tickets', () => {
  it('of one repository do not overlap, and a failing streak is told once', async () => {
    const recorded = new Recorded();
    let under = 0;
    let most = 0;
    let failing = true;
    recorded.before = async (call) => {
      if (call !== 'poll') return;
      under += 1;
      most = Math.max(most, under);
      await new Promise((resolve) => setTimeout(resolve, 60));
      under -= 1;
      if (failing) throw new RelayError('task_unavailable', 'The task system does not answer.');
    };
    const { world } = await served(recorded);
    await polled(recorded, 4);
    failing = false;
    recorded.ticket('K-1');
    await world.until('K-1', ({ state }) => state === 'waiting');
    failing = true;
    await polled(recorded, 3);
    expect(most).toBe(1);
    expect([world.log().match(/polling failed/g)?.length, world.log().match(/polling works again/g)?.length]).toEqual([2, 1]);
  });

  it('are at most ten at once', async () => {
    const recorded = new Recorded();
    const repos = Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`r${index}`, { path: `/r/${index}`, taskConfig: {} }]));
    let under = 0;
    let most = 0;
    let open = false;
    recorded.before = async (call) => {
      if (call !== 'poll') return;
      under += 1;
      most = Math.max(most, under);
      while (!open) await new Promise((resolve) => setTimeout(resolve, 10));
      under -= 1;
    };
    await recordedServer(recorded, { config: { repos } });
    await expect.poll(() => under).toBe(10);
    // Nothing else comes in while these are under way.
    await new Promise((resolve) => setTimeout(resolve, 200));
    open = true;
    await polled(recorded, 28);
    expect(most).toBe(10);
  });
});
