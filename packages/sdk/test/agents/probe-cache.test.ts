import { describe, expect, it } from 'vitest';
import { ProbeCache } from '../../src/agents/probe-cache.js';

/** A probe that is finished by hand. */
function handProbe() {
  const calls: { signal: AbortSignal; resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
  return { calls, probe: (signal: AbortSignal) => new Promise<string>((resolve, reject) => calls.push({ signal, resolve, reject })) };
}

describe('ProbeCache', () => {
  it('asks once for twenty at the same time, and not again afterwards', async () => {
    const cache = new ProbeCache<string>();
    const { calls, probe } = handProbe();
    const stop = new AbortController();
    const all = Promise.all(Array.from({ length: 20 }, (_, i) => cache.get('k', probe, i % 2 === 0 ? stop.signal : undefined)));
    expect(calls).toHaveLength(1);
    calls[0]?.resolve('yes');
    expect(await all).toEqual(Array.from({ length: 20 }, () => 'yes'));
    expect(await cache.get('k', probe)).toBe('yes');
    expect(calls).toHaveLength(1);
  });

  it('keeps a refusal', async () => {
    const cache = new ProbeCache<string>();
    const { calls, probe } = handProbe();
    const first = cache.get('k', probe);
    calls[0]?.reject(new Error('no'));
    await expect(first).rejects.toThrow('no');
    await expect(cache.get('k', probe)).rejects.toThrow('no');
    expect(calls).toHaveLength(1);
  });

  it('goes on for the others when one goes away', async () => {
    const cache = new ProbeCache<string>();
    const { calls, probe } = handProbe();
    const stop = new AbortController();
    const leaves = cache.get('k', probe, stop.signal);
    const stays = cache.get('k', probe, new AbortController().signal);
    stop.abort();
    await expect(leaves).rejects.toMatchObject({ code: 'canceled' });
    expect(calls[0]?.signal.aborted).toBe(false);
    calls[0]?.resolve('yes');
    expect(await stays).toBe('yes');
  });

  it('is stopped by the last, who waits until it is gone, and can be asked again', async () => {
    const cache = new ProbeCache<string>();
    const { calls, probe } = handProbe();
    const stop = new AbortController();
    let gone = false;
    const leaves = cache.get('k', probe, stop.signal).catch((error: unknown) => {
      gone = true;
      return error;
    });
    stop.abort();
    await Promise.resolve();
    expect([calls[0]?.signal.aborted, gone]).toEqual([true, false]);
    calls[0]?.reject(new Error('stopped'));
    expect(await leaves).toMatchObject({ code: 'canceled' });
    const again = cache.get('k', probe);
    calls[1]?.resolve('yes');
    expect(await again).toBe('yes');
    await expect(cache.get('k', probe, stop.signal)).rejects.toMatchObject({ code: 'canceled' });
  });
});
