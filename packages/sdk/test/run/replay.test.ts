import { flow } from '@relayflows/surface';
import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryJournal } from '../../src/journal/memory.js';
import { adoptable, bench, dyingJournal, type Bench } from './harness.js';
import { execute, randomProgram } from './random-program.js';

let on: Bench | undefined;
afterEach(() => on?.dispose());

const SEEDS = Array.from({ length: 40 }, (_, i) => i + 1);

describe('a random program, killed at a write of its journal and resumed', () => {
  it.each(SEEDS)('repeats what it saw and does nothing twice (seed %i)', async (seed) => {
    const program = randomProgram(seed);
    const traces: string[][] = [];
    const finished = new Map<number, number>();
    const subject = flow('subject', { hooks: ['effect'] }, async (f) => {
      const trace: string[] = [];
      traces.push(trace);
      await execute(program, f, trace);
      f.done('success');
    });
    const hooks = {
      effect: async (input: unknown) => {
        const { id, delay } = input as { id: number; delay: number };
        await new Promise((resolve) => setTimeout(resolve, delay));
        finished.set(id, (finished.get(id) ?? 0) + 1);
        return id % 3 !== 0;
      },
    };
    on = bench({ subject });
    let runId: string | undefined;
    let report;
    for (let write = 2 + (seed % 5); report === undefined; write += 3) {
      const { journal, died } = dyingJournal(adoptable(createMemoryJournal({ store: on.store })), { write, after: seed % 2 === 0 });
      const runtime = on.runtime({ journal, hooks });
      const handle = runId === undefined ? runtime.run(subject, { cwd: on.dir }) : runtime.resume(runId);
      runId = handle.id;
      report = await Promise.race([handle.result, died.then(() => undefined)]);
      // What a dead process was doing ends with it; here it must not be counted.
      if (report === undefined) await new Promise((resolve) => setTimeout(resolve, 8));
    }
    expect(report.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(report.completionReason).toBe('success');
    const last = traces.at(-1) ?? [];
    for (const trace of traces) expect(last.slice(0, trace.length)).toEqual(trace);
  }, 60_000);
});
