/** One after another per key, in the order of the calls. Keys that nobody uses take no memory. */
export class Locks {
  readonly #tails = new Map<string, Promise<void>>();

  async hold<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    let release!: () => void;
    const tail = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#tails.set(key, tail);
    await before;
    try {
      return await work();
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
      release();
    }
  }
}
