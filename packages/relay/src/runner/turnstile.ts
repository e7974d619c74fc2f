/** Lets calls with the same key run one after the other, in the order in which they came. */
export type Turnstile = <Result>(key: string, call: () => Promise<Result>) => Promise<Result>;

export function createTurnstile(): Turnstile {
  const last = new Map<string, Promise<unknown>>();
  return async (key, call) => {
    const before = last.get(key);
    const turn = (before ?? Promise.resolve()).then(call, call);
    last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (last.get(key) === turn) last.delete(key);
    }
  };
}
