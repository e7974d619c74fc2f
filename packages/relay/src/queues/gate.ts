/** Lets so many through at once; the others wait in order. */
export class Gate {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #inside = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside >= this.#limit) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#inside += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#inside -= 1;
      else next();
    }
  }
}
