import type { Ctx } from '@relayflows/surface';

/** A small deterministic generator (mulberry32), so that a failing seed can be run again. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A program of nested promise code. `effect` and `value` are steps, `hops` awaits microtasks, `timer` waits on the body's own timer. */
export type Program =
  | { readonly type: 'effect'; readonly id: number; readonly delay: number }
  | { readonly type: 'value' }
  | { readonly type: 'hops'; readonly count: number }
  | { readonly type: 'timer'; readonly ms: number }
  | { readonly type: 'sequence' | 'all' | 'race' | 'any' | 'settled' | 'loose'; readonly parts: readonly Program[] };

export function randomProgram(seed: number, options: { readonly timers: boolean }): Program {
  const next = random(seed);
  let effects = 0;
  // One timer: two that race each other are chance that no journal can repeat.
  let timers = options.timers ? 1 : 0;
  const make = (depth: number): Program => {
    const roll = next();
    if (depth === 0 || roll < 0.35) {
      const leaf = next();
      if (leaf < 0.55) return { type: 'effect', id: (effects += 1), delay: Math.floor(next() * 4) };
      if (leaf < 0.75) return { type: 'value' };
      if (leaf < 0.9 || timers === 0) return { type: 'hops', count: 1 + Math.floor(next() * 5) };
      timers -= 1;
      // Long beside a replay, as a timer of a real flow is: one that fires within its first milliseconds may fire early on a busy machine.
      return { type: 'timer', ms: 20 + Math.floor(next() * 20) };
    }
    const types = ['sequence', 'sequence', 'all', 'all', 'race', 'any', 'settled'] as const;
    const type = types[Math.floor(next() * types.length)] ?? 'sequence';
    return { type, parts: Array.from({ length: 2 + Math.floor(next() * 3) }, () => make(depth - 1)) };
  };
  return { type: 'sequence', parts: Array.from({ length: 3 }, () => make(3)) };
}

/** Executes a program. What the body observes goes to `trace`, in the order in which it observes it. Its own timers take `slowness` times as long. */
export async function execute(program: Program, f: Ctx, trace: string[], slowness: number): Promise<string> {
  switch (program.type) {
    case 'effect': {
      const passed = await f.hook('effect', { id: program.id, delay: program.delay });
      trace.push(`effect ${program.id} ${String(passed)}`);
      return `e${program.id}`;
    }
    case 'value': {
      const value = await f.uuid();
      trace.push(`value ${value}`);
      return value;
    }
    case 'hops':
      for (let i = 0; i < program.count; i += 1) await Promise.resolve();
      return 'h';
    case 'timer':
      await new Promise((resolve) => setTimeout(resolve, program.ms * slowness));
      return 't';
    case 'sequence': {
      let last = '';
      for (const part of program.parts) last = await execute(part, f, trace, slowness);
      return last;
    }
    case 'all':
      return (await Promise.all(program.parts.map((part) => execute(part, f, trace, slowness)))).join();
    case 'race': {
      // A combinator adopts its members: the losers go on and are waited for at the end, as a careful author does.
      const members = program.parts.map((part) => execute(part, f, trace, slowness));
      const winner = await Promise.race(members);
      trace.push(`winner ${winner}`);
      await Promise.all(members);
      return winner;
    }
    case 'any': {
      const members = program.parts.map((part) => execute(part, f, trace, slowness));
      const first = await Promise.any(members);
      trace.push(`first ${first}`);
      await Promise.all(members);
      return first;
    }
    default:
      return (await Promise.allSettled(program.parts.map((part) => execute(part, f, trace, slowness)))).map(({ status }) => status).join();
  }
}
