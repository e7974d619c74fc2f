import { isMet, type Result, type Workload } from './workload.js';

export interface Row {
  readonly workload: Workload;
  readonly result: Result;
}

/** The results for people: one line per workload with its floor, its ratio, its target and whether it is met. */
export function tableOf(rows: readonly Row[]): string {
  const head = ['key', 'workload', 'value', 'floor', 'ratio', 'target', ''];
  const lines = rows.map(({ workload, result }) => {
    const { of, direction, limit } = workload.target;
    return [
      workload.key,
      workload.title,
      `${rounded(result.value)} ${workload.unit}`,
      `${rounded(result.floor)} (${workload.floorTitle})`,
      rounded(result.ratio),
      `${of} ${direction} ${limit.toLocaleString('en')}`,
      isMet(workload.target, result) ? 'met' : 'missed',
    ];
  });
  const all = [head, ...lines];
  const widths = head.map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0)));
  return all.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd()).join('\n');
}

function rounded(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : value < 1_000 ? 1 : 0 });
}
