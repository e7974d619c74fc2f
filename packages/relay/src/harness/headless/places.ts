/** So many may work at once; who comes later waits in line. */
export class Places {
  readonly #most: number;
  #taken = 0;
  readonly #line: (() => void)[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** How many are at work or in line. */
  get ahead(): number {
    return this.#taken + this.#line.length;
  }

  get full(): boolean {
    return this.#taken >= this.#most;
  }

  /** Resolves with what gives the place back, to be called once; with `undefined` when `signal` is aborted before there is one. */
  async take(signal: AbortSignal): Promise<(() => void) | undefined> {
    if (signal.aborted) return undefined;
    if (this.full) {
      if (!(await this.#wait(signal))) return undefined;
    } else {
      this.#taken += 1;
    }
    return () => this.#release();
  }

  /** The place goes to the first in line without becoming free, so that nobody slips in between. */
  #release(): void {
    const next = this.#line.shift();
    if (next === undefined) this.#taken -= 1;
    else next();
  }

  async #wait(signal: AbortSignal): Promise<boolean> {
    return await new Promise((resolve) => {
      const arrived = (): void => {
        signal.removeEventListener('abort', gone);
        resolve(true);
      };
      const gone = (): void => {
        this.#line.splice(this.#line.indexOf(arrived), 1);
        resolve(false);
      };
      this.#line.push(arrived);
      signal.addEventListener('abort', gone, { once: true });
    });
  }
}
