import type { Clock, Timer } from '../ports/clock.js';
import type { LiveStep } from './live-step.js';
import { GRACE_MS, type Staying } from './staying.js';
import type { WaitKeeper } from './wait-keeper.js';

export interface ParkingOptions {
  readonly clock: Clock;
  /** Sleeps up to this many milliseconds keep the body in memory. */
  readonly parkAfterMs: number;
  readonly staying: Staying;
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

  /** Parks when nothing is going on but waiting, and nothing begins within a moment, or for as long as a run that waits for a message stays. */
  consider(heldStep: string | undefined): void {
    this.cancel();
    if (!this.#onlyWaits()) return;
    const { clock, parkAfterMs, staying, waits, onPark } = this.#options;
    const forOthers = waits.awaitsMessage || heldStep !== undefined;
    if (!forOthers && (waits.wakeAt === undefined || waits.wakeAt - clock.now() <= parkAfterMs)) return;
    const park = (): void => {
      if (this.#onlyWaits()) onPark();
    };
    this.#timer = waits.awaitsMessage ? staying.begin(park) : clock.setTimer(GRACE_MS, park);
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
