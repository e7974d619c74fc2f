/** One measurement of a workload and of the floor beside it, in the same unit. */
export interface Sample {
  readonly value: number;
  readonly floor: number;
}

/** Something the runtime does, measured against what the machine can do at best. */
export interface Workload {
  readonly key: string;
  readonly title: string;
  /** Of `value` and `floor`. */
  readonly unit: 'per s' | 'ms' | 'KiB' | 'MiB';
  readonly floorTitle: string;
  readonly target: Target;
  readonly rounds: number;
  /** Measures once. The first call is a warm-up and is thrown away. */
  readonly measure: (folder: string) => Promise<Sample>;
}

export interface Target {
  /** What is compared with the limit: the ratio to the floor, or the value itself. */
  readonly of: 'ratio' | 'value';
  readonly direction: 'at least' | 'at most';
  readonly limit: number;
}

export interface Result {
  readonly value: number;
  readonly floor: number;
  readonly ratio: number;
}

/** Medians of the rounds. The ratio is the median of the rounds' ratios, so that a disturbance must hit most rounds to show. */
export function resultOf(samples: readonly Sample[]): Result {
  return {
    value: median(samples.map(({ value }) => value)),
    floor: median(samples.map(({ floor }) => floor)),
    ratio: median(samples.map(({ value, floor }) => value / floor)),
  };
}

export function isMet({ of, direction, limit }: Target, result: Result): boolean {
  return direction === 'at least' ? result[of] >= limit : result[of] <= limit;
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
