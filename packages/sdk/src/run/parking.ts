import type { Clock, Timer } from '../ports/clock.js';
import type { LiveStep } from './live-step.js';
import type { WaitKeeper } from './wait-keeper.js';

/** How long a run whose steps all wait may go on by itself (timers and files of the body), in milliseconds, before it parks. */
const GRACE_MS = 20;

export interface ParkingOptions {
  readonly clock: Clock;
  /** Sleeps up to this many milliseconds keep the body in memory. */
  readonly parkAfterMs: number;
  readonly waits: WaitKeeper;
  readonly steps: ReadonlyMap<number, LiveStep>;
  /** Whether outcomes are on their way, effects run, or the session ends already. */
  readonly busy: () => boolean;
  readonly onPark: () => void;
}

/** Decides when a run has nothing left to do but wait. */
export class Parking {
  readonly #options: ParkingOptions;
  #timer: Timer | undefined;

  constructor(options: ParkingOptions) {
    this.#options = options;
  }

  /** Parks when nothing is going on but waiting, and nothing begins within a moment. */
  consider(heldStep: string | undefined): void {
    this.cancel();
    if (!this.#onlyWaits()) return;
    const { clock, parkAfterMs, waits, onPark } = this.#options;
    const forOthers = waits.awaitsMessage || heldStep !== undefined;
    if (!forOthers && (waits.wakeAt === undefined || waits.wakeAt - clock.now() <= parkAfterMs)) return;
    this.#timer = clock.setTimer(GRACE_MS, () => {
      if (this.#onlyWaits()) onPark();
    });
  }

  /** Something has begun. */
  cancel(): void {
    this.#timer?.cancel();
  }

  #onlyWaits(): boolean {
    if (this.#options.busy()) return false;
    let waiting = false;
    for (const { scope, state, spec } of this.#options.steps.values()) {
      if (scope.ended || state === 'created' || spec.action.mode === 'child') continue;
      if (state !== 'waiting') return false;
      waiting = true;
    }
    return waiting;
  }
}
