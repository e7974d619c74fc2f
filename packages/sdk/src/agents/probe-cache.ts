import { canceledError } from './canceled.js';

interface Entry<T> {
  readonly result: Promise<T>;
  readonly stop: AbortController;
  waiting: number;
  settled: boolean;
}

/**
 * Asks once per key, however many ask at the same time, and keeps the answer, a refusal too: what a CLI said about itself holds for a run.
 *
 * A probe belongs to everyone who waits for it. One that goes away leaves it running for the others; the last one stops it, waits until it is gone,
 * and the key is open again.
 */
export class ProbeCache<T> {
  readonly #entries = new Map<string, Entry<T>>();

  async get(key: string, probe: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted === true) throw canceledError();
    const entry = this.#entries.get(key) ?? this.#begin(key, probe);
    entry.waiting += 1;
    if (entry.settled || signal === undefined) return await entry.result;
    let leave = (): void => undefined;
    const left = new Promise<never>((_resolve, reject) => {
      leave = () => {
        entry.waiting -= 1;
        if (entry.waiting > 0) {
          reject(canceledError());
          return;
        }
        this.#entries.delete(key);
        entry.stop.abort();
      };
    });
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([entry.result, left]);
    } catch (error) {
      throw signal.aborted ? canceledError() : error;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  #begin(key: string, probe: (signal: AbortSignal) => Promise<T>): Entry<T> {
    const stop = new AbortController();
    const entry: Entry<T> = { result: probe(stop.signal), stop, waiting: 0, settled: false };
    const settled = (): void => {
      entry.settled = true;
    };
    entry.result.then(settled, settled);
    this.#entries.set(key, entry);
    return entry;
  }
}
