/** How a server is asked to stop by its terminal or its system. */
const ASKS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export interface StopSignals {
  /** Resolves when the process is asked to stop for the first time. A second time it ends at once: everything that matters is on disk. */
  readonly asked: Promise<NodeJS.Signals>;
  /** Signals mean again what they mean to any process. */
  end(): void;
}

export function untilAsked(): StopSignals {
  let count = 0;
  let first!: (signal: NodeJS.Signals) => void;
  const asked = new Promise<NodeJS.Signals>((resolve) => {
    first = resolve;
  });
  const listeners = ASKS.map((signal) => {
    const listener = (): void => {
      count += 1;
      if (count > 1) process.exit(signal === 'SIGINT' ? 130 : 143);
      first(signal);
    };
    process.on(signal, listener);
    return [signal, listener] as const;
  });
  return {
    asked,
    end() {
      for (const [signal, listener] of listeners) process.off(signal, listener);
    },
  };
}
