/**
 * Follows what a body chains to a step: `step.then(callback)` and everything chained to that.
 *
 * `await`, `Promise.all` and the like subscribe with functions of the engine itself; what they lead to is an ordinary promise and is not followed.
 */
export class DerivedWork {
  readonly #open = new Set<Link>();
  readonly #failed: unknown[] = [];

  /** Chains to the promise of a step as `then` would. */
  chain<A, B>(source: Promise<A>, onFulfilled: unknown, onRejected: unknown): Promise<B> {
    const derived = source.then<B, never>(onFulfilled as never, onRejected as never);
    if (isNative(onFulfilled) && isNative(onRejected)) return derived;
    return new LinkPromise<B>(this, derived);
  }

  /** What is wrong now: work that is still running, or the first rejection that nobody handles. */
  inspect(): { readonly pending: number; readonly failures: readonly unknown[] } {
    let pending = 0;
    for (const link of this.#open) if (!link.adopted) pending += 1;
    return { pending, failures: this.#failed };
  }

  opened(link: Link): void {
    this.#open.add(link);
  }

  settled(link: Link, rejection?: { readonly reason: unknown }): void {
    this.#open.delete(link);
    if (rejection !== undefined && !link.adopted) {
      link.rejection = rejection;
      this.#failed.push(rejection.reason);
    }
  }

  /** Somebody subscribed after all: a rejection counted as unhandled is theirs. */
  adopted(link: Link): void {
    if (link.adopted) return;
    link.adopted = true;
    if (link.rejection === undefined) return;
    const at = this.#failed.indexOf(link.rejection.reason);
    if (at >= 0) this.#failed.splice(at, 1);
  }
}

interface Link {
  /** Another subscriber has taken responsibility for the outcome. */
  adopted: boolean;
  rejection?: { readonly reason: unknown };
}

/** The promise that a body gets from `step.then(callback)`. */
class LinkPromise<T> extends Promise<T> {
  /** Promises made by the engine from this one are ordinary. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  readonly #work: DerivedWork;
  readonly #link: Link = { adopted: false };

  constructor(work: DerivedWork, source: Promise<T>) {
    super((resolve, reject) => {
      source.then(resolve, reject);
    });
    this.#work = work;
    work.opened(this.#link);
    // This subscription also keeps the engine from reporting a rejection that the run itself reports.
    super.then(
      () => work.settled(this.#link),
      (reason: unknown) => work.settled(this.#link, { reason }),
    );
  }

  override then<A = T, B = never>(onFulfilled?: ((value: T) => A | PromiseLike<A>) | null, onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<A | B> {
    this.#work.adopted(this.#link);
    const derived = super.then(onFulfilled, onRejected);
    if (isNative(onFulfilled) && isNative(onRejected)) return derived;
    return new LinkPromise<A | B>(this.#work, derived);
  }
}

/** Whether a handler is one that `await` or a promise combinator passes: an engine function, which has no name and no source. */
function isNative(handler: unknown): boolean {
  if (typeof handler !== 'function' || handler.name !== '' || Object.hasOwn(handler, 'prototype')) return false;
  return Function.prototype.toString.call(handler).endsWith('{ [native code] }');
}
