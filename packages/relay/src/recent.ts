/** The values that were used last, up to so much of whatever their sizes count. What was dropped is found again by whoever made it: a help and not the truth. */
export class Recent<T> {
  readonly #limit: number;
  readonly #kept = new Map<string, { readonly value: T; readonly size: number }>();
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): T | undefined {
    const found = this.#kept.get(key);
    if (found === undefined) return undefined;
    // The one that was used last stands last.
    this.#kept.delete(key);
    this.#kept.set(key, found);
    return found.value;
  }

  /** One that is larger than all may be is not kept. */
  put(key: string, value: T, size = 1): void {
    this.drop(key);
    if (size > this.#limit) return;
    this.#kept.set(key, { value, size });
    this.#size += size;
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= this.#limit) break;
      this.drop(oldest);
    }
  }

  drop(key: string): void {
    this.#size -= this.#kept.get(key)?.size ?? 0;
    this.#kept.delete(key);
  }
}
