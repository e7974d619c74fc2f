import { flow, type FlowBody, type FlowHandle, type FlowHeader } from '@relayflows/surface';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryJournal, createMemoryStore, type MemoryStore } from '../../src/journal/memory.js';
import type { Journal } from '../../src/journal/port.js';
import { createRuntime } from '../../src/run/create-runtime.js';
import type { RunReport } from '../../src/run/report.js';
import type { Runtime, RuntimeOptions } from '../../src/run/runtime.js';

/** Ends a test whose body hangs in its replay, and none that is only slow. */
export const REPLAY_STALL_MS = 61_000;

export interface Bench {
  readonly store: MemoryStore;
  readonly dir: string;
  readonly runtime: (options?: Partial<RuntimeOptions>) => Runtime;
  readonly dispose: () => void;
}

/** A folder and a memory store that survive the runtimes made on them. */
export function bench(flows: Readonly<Record<string, FlowHandle>>): Bench {
  const dir = mkdtempSync(join(tmpdir(), 'relayflows-run-'));
  const store = createMemoryStore();
  const registered = Object.fromEntries(Object.entries(flows).map(([name, handle]) => [name, { version: '1.0.0', flow: handle }]));
  return {
    store,
    dir,
    runtime: (options = {}) => createRuntime({ journal: adoptable(createMemoryJournal({ store })), dataDir: join(dir, 'data'), flows: registered, replayStallMs: REPLAY_STALL_MS, ...options }),
    dispose: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** A journal for whose claims every earlier owner is dead: what a new process finds after a crash. */
export function adoptable(journal: Journal): Journal {
  return new Proxy(journal, {
    get(target, key) {
      if (key === 'claim') {
        return async (args: Parameters<Journal['claim']>[0]) => {
          const run = await target.run({ runId: args.runId });
          return target.claim({ ...args, ...(run === undefined ? {} : { takeOver: run.epoch }) });
        };
      }
      if (key === 'run') {
        return async (args: Parameters<Journal['run']>[0]) => {
          const run = await target.run(args);
          return run === undefined ? undefined : { ...run, leaseUntil: 0 };
        };
      }
      const member = Reflect.get(target, key) as unknown;
      return typeof member === 'function' ? (member as (...args: unknown[]) => unknown).bind(target) : member;
    },
  });
}

/** A journal that stops answering at its n-th write, before or after having written: what a dying process leaves. */
export function dyingJournal(journal: Journal, death: { readonly write: number; readonly after: boolean }): { readonly journal: Journal; readonly died: Promise<void> } {
  const writes = new Set<PropertyKey>(['createRun', 'started', 'progressed', 'completed', 'takeSignal', 'park', 'continueAs', 'finish']);
  let count = 0;
  let die!: () => void;
  const died = new Promise<void>((resolve) => {
    die = resolve;
  });
  const never = new Promise<never>(() => undefined);
  let dead = false;
  const proxy = new Proxy(journal, {
    get(target, key) {
      const member = Reflect.get(target, key) as unknown;
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        if (dead) return never;
        if (!writes.has(key)) return (member as (...a: unknown[]) => unknown).apply(target, args);
        count += 1;
        if (count !== death.write) return (member as (...a: unknown[]) => unknown).apply(target, args);
        dead = true;
        if (death.after) void (member as (...a: unknown[]) => Promise<unknown>).apply(target, args);
        die();
        return never;
      };
    },
  });
  return { journal: proxy, died };
}

/** Runs one body to its rest. */
export async function runBody(body: FlowBody, options: { readonly header?: FlowHeader; readonly input?: unknown; readonly runtime?: Partial<RuntimeOptions> } = {}): Promise<RunReport> {
  const handle = flow('subject', options.header ?? {}, body);
  const on = bench({ subject: handle });
  const runtime = on.runtime(options.runtime);
  try {
    return await runtime.run(handle, { input: options.input ?? {}, cwd: on.dir }).result;
  } finally {
    await runtime.close();
    on.dispose();
  }
}
