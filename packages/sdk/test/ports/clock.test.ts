import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/ports/clock.js';

let time = 1_000_000;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.spyOn(Date, 'now').mockImplementation(() => time);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('a timer of the system clock', () => {
  it('is not over before the clock says so, though what counts for it is early', () => {
    const over = vi.fn<() => void>();
    systemClock.setTimer(300, over);
    time += 299;
    vi.advanceTimersByTime(300);
    expect(over).not.toHaveBeenCalled();
    time += 1;
    vi.advanceTimersByTime(1);
    expect(over).toHaveBeenCalledTimes(1);
  });

  it('can be canceled in that moment', () => {
    const over = vi.fn<() => void>();
    const { cancel } = systemClock.setTimer(300, over);
    time += 299;
    vi.advanceTimersByTime(300);
    cancel();
    time += 1;
    vi.advanceTimersByTime(10);
    expect(over).not.toHaveBeenCalled();
  });

  it('is not held up by a clock that was set back', () => {
    const over = vi.fn<() => void>();
    systemClock.setTimer(300, over);
    time -= 3_600_000;
    vi.advanceTimersByTime(300);
    expect(over).toHaveBeenCalledTimes(1);
  });
});
