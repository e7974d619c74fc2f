import { describe, expect, it } from 'vitest';
import { checkAgentCapacity, Slots, type Slot } from '../../src/agents/capacity.js';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Asks for places one after the other and notes the order in which they are given. */
function queue(slots: Slots) {
  const given: string[] = [];
  const held = new Map<string, Slot>();
  return {
    given,
    ask(name: string, directory?: string, signal?: AbortSignal): Promise<void> {
      return slots.acquire({ ...(directory === undefined ? {} : { directory }), ...(signal === undefined ? {} : { signal }) }).then((slot) => {
        given.push(name);
        held.set(name, slot);
      });
    },
    release: (name: string) => held.get(name)?.release(),
  };
}

describe('Slots', () => {
  it('gives places in the order of asking, no more than there are', async () => {
    const q = queue(new Slots(2));
    for (const name of ['a', 'b', 'c', 'd']) void q.ask(name);
    await settle();
    expect(q.given).toEqual(['a', 'b']);
    q.release('b');
    q.release('b');
    await settle();
    expect(q.given).toEqual(['a', 'b', 'c']);
  });

  it('lets directories take turns without holding a place meanwhile', async () => {
    const q = queue(new Slots(2));
    void q.ask('a1', '/a');
    void q.ask('a2', '/a');
    void q.ask('a3', '/a');
    void q.ask('b1', '/b');
    await settle();
    expect(q.given).toEqual(['a1', 'b1']);
    q.release('b1');
    await settle();
    expect(q.given).toEqual(['a1', 'b1']);
    q.release('a1');
    await settle();
    expect(q.given).toEqual(['a1', 'b1', 'a2']);
  });

  it('forgets who gives up', async () => {
    const q = queue(new Slots(1));
    const stop = new AbortController();
    void q.ask('a');
    const b = q.ask('b', undefined, stop.signal);
    void q.ask('c');
    stop.abort();
    await expect(b).rejects.toMatchObject({ code: 'canceled' });
    await expect(q.ask('d', undefined, stop.signal)).rejects.toMatchObject({ code: 'canceled' });
    q.release('a');
    await settle();
    expect(q.given).toEqual(['a', 'c']);
  });
});

describe('checkAgentCapacity', () => {
  it.each([1, 4, 32])('accepts %d', (capacity) => expect(checkAgentCapacity(capacity)).toBe(capacity));
  it.each([0, -1, 33, 1.5, Number.NaN])('refuses %d', (capacity) => expect(() => checkAgentCapacity(capacity)).toThrow(expect.objectContaining({ code: 'invalid_invocation' })));
});
