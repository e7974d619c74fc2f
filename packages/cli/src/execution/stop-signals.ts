import { SIGNAL_EXIT, type StoppingSignal } from '../report/exit-status.js';

export interface StopSignals {
  /** The signal that asked first, once one did. */
  readonly stoppedBy: StoppingSignal | undefined;
  /** As if the signal had arrived: a terminal in raw mode sends a character instead. */
  raise(signal: StoppingSignal): void;
  /** Gives the signals back to their defaults. */
  release(): void;
}

/**
 * Listens for the signals that end a command. The first one, of any kind, asks for a stop in good order; a second Ctrl-C or SIGTERM kills.
 * A hang-up never kills: a closing terminal may deliver it several times.
 */
export function listenForStop({ stop, kill }: { readonly stop: (signal: StoppingSignal) => void; readonly kill: (signal: StoppingSignal) => void }): StopSignals {
  let stoppedBy: StoppingSignal | undefined;
  const raise = (signal: StoppingSignal): void => {
    if (stoppedBy === undefined) {
      stoppedBy = signal;
      stop(signal);
    } else if (signal !== 'SIGHUP') {
      kill(signal);
    }
  };
  const signals = Object.keys(SIGNAL_EXIT) as StoppingSignal[];
  for (const signal of signals) process.on(signal, raise);
  return {
    get stoppedBy() {
      return stoppedBy;
    },
    raise,
    release: () => {
      for (const signal of signals) process.off(signal, raise);
    },
  };
}
