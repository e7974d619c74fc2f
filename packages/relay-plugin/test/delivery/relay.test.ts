import { describe, expect, it } from 'vitest';
import { waitAfter } from '../../src/delivery/backoff.js';
import { exampleReport } from '../../src/report/index.js';
import { ACCEPTED, delivered, fakeHost, INVALID, settle, UNREACHABLE } from '../fakes.js';

const report = exampleReport({ success: [{ target: 'review' }], failure: [] });

describe('the wait between attempts', () => {
  it('doubles from 2 s to 5 min', () => {
    expect([1, 2, 3, 7, 8, 9, 100, 10_000].map((failures) => waitAfter(failures, 0.5))).toEqual([2_000, 4_000, 8_000, 128_000, 256_000, 300_000, 300_000, 300_000]);
  });
  it('is spread by a fifth, and never more than 5 min', () => {
    expect([waitAfter(1, 0), waitAfter(1, 0.999_999)]).toEqual([1_600, 2_400]);
    expect([waitAfter(20, 0), waitAfter(20, 0.999_999)]).toEqual([240_000, 300_000]);
  });
});

describe('a delivery', () => {
  it('sends the same bytes until they are taken', async () => {
    const host = fakeHost({}, UNREACHABLE);
    const done = host.relay.deliver('ses:1', report);
    await settle();
    for (let attempt = 1; attempt <= 9; attempt += 1) await host.clock.pass(300_000);
    expect(host.command.of('report')).toHaveLength(10);
    host.command.auto = ACCEPTED;
    await host.clock.pass(300_000);
    expect(await done).toEqual({ outcome: 'accepted' });
    expect(new Set(host.command.of('report')).size).toBe(1);
    expect(JSON.parse(host.command.of('report')[0] ?? '')).toEqual({ runId: 'shop/fix/SHOP-1', node: 'build', reportId: 'ses:1', report });
    expect(host.clock.waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000]);
    await host.clock.pass(1_000_000);
    expect(host.command.calls).toHaveLength(11);
  });
  it.each(['conflict', 'internalError', 'timeout', 'malformed', 'notFound', 'invalid'])('goes on after %s', async (code) => {
    const host = fakeHost({}, { ok: false, code, message: '' });
    void host.relay.deliver('ses:1', report);
    await settle();
    await host.clock.pass(2_000);
    expect(host.command.calls).toHaveLength(2);
  });
  it('takes an acknowledgement for an old report as success', async () => {
    const host = fakeHost({}, { ok: true, answer: { accepted: false, duplicate: true } });
    expect(await host.relay.deliver('ses:1', report)).toEqual({ outcome: 'accepted' });
  });
  // What was refused for good was tried for ever, and held the slot.
  it('ends after one attempt when the report is invalid, and frees the slot (pitfall 18)', async () => {
    const host = fakeHost({}, INVALID);
    expect(await host.relay.deliver('ses:1', report)).toEqual({ outcome: 'rejected', message: INVALID.ok ? '' : INVALID.message });
    await host.clock.pass(1_000_000);
    expect(host.command.calls).toHaveLength(1);
    host.command.auto = ACCEPTED;
    expect(await host.relay.deliver('ses:2', report)).toEqual({ outcome: 'accepted' });
  });
  it('is one at a time', async () => {
    const host = fakeHost({}, 'by hand');
    const first = host.relay.deliver('ses:1', report);
    expect(host.relay.deliver('ses:1', report)).toBe(first);
    await settle();
    const second = host.relay.deliver('ses:2', report);
    await settle();
    expect(delivered(host)).toEqual(['ses:1']);
    await host.command.answer(ACCEPTED);
    expect(await first).toEqual({ outcome: 'accepted' });
    expect(delivered(host)).toEqual(['ses:1', 'ses:2']);
    await host.command.answer(ACCEPTED);
    expect(await second).toEqual({ outcome: 'accepted' });
  });
  it('gives way to a newer one while it waits to be tried again, and sends nothing more', async () => {
    const host = fakeHost({}, UNREACHABLE);
    const first = host.relay.deliver('ses:1', report);
    await settle();
    host.command.auto = ACCEPTED;
    const second = host.relay.deliver('ses:2', report);
    expect(await first).toEqual({ outcome: 'superseded' });
    expect(await second).toEqual({ outcome: 'accepted' });
    await host.clock.pass(1_000_000);
    expect(delivered(host)).toEqual(['ses:1', 'ses:2']);
  });
  it('leaves out those that were overtaken before their turn', async () => {
    const host = fakeHost({}, 'by hand');
    const first = host.relay.deliver('ses:1', report);
    await settle();
    const all = [first, ...['ses:2', 'ses:3'].map((id) => host.relay.deliver(id, report))];
    await host.command.answer(UNREACHABLE);
    await host.command.answer(ACCEPTED);
    expect(await Promise.all(all)).toEqual([{ outcome: 'superseded' }, { outcome: 'superseded' }, { outcome: 'accepted' }]);
    expect(delivered(host)).toEqual(['ses:1', 'ses:3']);
  });
  it('logs neither the report nor what the server says', async () => {
    const host = fakeHost({}, INVALID);
    await host.relay.deliver('ses:1', report);
    expect(host.logged).toEqual(['{"event":"report","reportId":"ses:1","outcome":"rejected"}']);
  });
});

describe('a session', () => {
  it('is registered until the server has answered, and then left alone for a minute', async () => {
    const host = fakeHost({}, UNREACHABLE);
    void host.relay.register('ses');
    void host.relay.register('ses');
    await settle();
    await host.clock.pass(2_000);
    host.command.auto = ACCEPTED;
    await host.clock.pass(4_000);
    await host.relay.register('ses');
    expect(host.command.of('runtime-register')).toEqual(Array.from({ length: 3 }, () => '{"runId":"shop/fix/SHOP-1","node":"build","sessionId":"ses"}'));
    await host.clock.pass(60_000);
    await host.relay.register('ses');
    expect(host.command.calls).toHaveLength(4);
  });
  // The event came before the server knew of the visit, was dropped, and the session could not be resumed.
  it('is registered again with its next event when it was not accepted (pitfall 7)', async () => {
    const host = fakeHost({}, { ok: true, answer: { accepted: false } });
    await host.relay.register('ses');
    await host.relay.register('ses');
    expect(host.command.calls).toHaveLength(2);
  });
  it('gives way to another one', async () => {
    const host = fakeHost({}, UNREACHABLE);
    const first = host.relay.register('old');
    await settle();
    host.command.auto = ACCEPTED;
    await host.relay.register('new');
    await host.clock.pass(1_000_000);
    await first;
    expect(host.command.of('runtime-register').map((bytes) => (JSON.parse(bytes) as { sessionId: string }).sessionId)).toEqual(['old', 'new']);
  });
});
