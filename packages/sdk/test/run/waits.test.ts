import { flow } from '@relayflows/surface';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryJournal } from '../../src/journal/memory.js';
import { systemClock, type Clock } from '../../src/ports/clock.js';
import type { RunEvent } from '../../src/run/events.js';
import { bench, type Bench } from './harness.js';

let on: Bench;
afterEach(() => on.dispose());

describe('a question', () => {
  const subject = flow('subject', async (f) => {
    const before = await f.uuid();
    const yes = await f.human('Merge?', { to: 'github:@maria' });
    f.done(yes ? 'success' : 'declined', { detail: before });
  });

  it('parks the run, and the answer resumes it with what happened before', async () => {
    on = bench({ subject });
    const events: RunEvent[] = [];
    const first = on.runtime({ onEvent: (event) => events.push(event) });
    const handle = first.run(subject, { cwd: on.dir });
    const parked = await handle.result;
    expect(parked).toMatchObject({
      ok: false, status: 'parked', completionReason: 'needs_human', parkCause: 'needs_human', parkedStep: 'human-2',
      humanWait: { waitId: 'human-2', question: 'Merge?', to: 'github:@maria' },
    });
    expect(events).toContainEqual(expect.objectContaining({ type: 'wait.opened', wait: 'human', question: 'Merge?', to: 'github:@maria' }));
    const second = on.runtime();
    await second.answer({ runId: handle.id, waitId: 'human-2', answer: true, answeredBy: 'maria', note: 'fine' });
    const resumed = second.resume(handle.id);
    const report = await resumed.result;
    const types: string[] = [];
    for await (const { type } of resumed.events) types.push(type);
    expect(types).not.toContain('wait.opened');
    const [uuid] = (await second.status(handle.id)).steps;
    const before = uuid?.outcome?.ok === true ? uuid.outcome.value : undefined;
    expect(report).toMatchObject({ ok: true, status: 'completed', completionReason: 'success', completionDetail: before });
    expect(await second.resume(handle.id).result).toMatchObject({ status: 'completed', completionReason: 'success' });
  });

  it('takes no as a value, and only the first answer', async () => {
    on = bench({ subject });
    const runtime = on.runtime();
    const { id, result } = runtime.run(subject, { cwd: on.dir });
    await result;
    const answer = (yes: boolean, waitId = 'human-2'): Promise<void> => runtime.answer({ runId: id, waitId, answer: yes, answeredBy: 'maria' });
    await expect(answer(true, 'human-9')).rejects.toMatchObject({ code: 'human_wait_unknown' });
    await expect(answer(true, 'uuid-1')).rejects.toMatchObject({ code: 'human_wait_unknown' });
    const both = await Promise.allSettled([answer(false), answer(true)]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(await runtime.resume(id).result).toMatchObject({ completionReason: 'declined' });
    await expect(answer(true)).rejects.toMatchObject({ code: 'human_wait_unknown' });
    await expect(runtime.answer({ runId: 'nothing', waitId: 'human-2', answer: true, answeredBy: 'maria' })).rejects.toMatchObject({ code: 'run_not_found' });
  });

  it('lets running steps finish first, and is answered while they run', async () => {
    const both = flow('both', async (f) => {
      const [yes, out] = await Promise.all([f.human('Go on?', { to: 'maria' }), f.run('until [ -e go ]; do sleep 0.02; done; echo done')]);
      f.done(yes && out === 'done\n' ? 'success' : 'step_failed');
    });
    on = bench({ both });
    const runtime = on.runtime();
    const handle = runtime.run(both, { cwd: on.dir });
    for await (const event of handle.events) if (event.type === 'wait.opened') break;
    await runtime.answer({ runId: handle.id, waitId: 'human-1', answer: true, answeredBy: 'maria' });
    writeFileSync(join(on.dir, 'go'), '');
    expect(await handle.result).toMatchObject({ completionReason: 'success' });
  });

  it.each(['before', 'after'] as const)('that is answered %s the run is parked, while it comes to rest, is taken up by who executes it', async (when) => {
    on = bench({ subject });
    const journal = createMemoryJournal({ store: on.store });
    let answer: (() => Promise<void>) | undefined;
    const slow = new Proxy(journal, {
      get(target, key) {
        const member = Reflect.get(target, key) as (...args: unknown[]) => Promise<unknown>;
        if (key !== 'park') return typeof member === 'function' ? member.bind(target) : member;
        return async (...args: unknown[]) => {
          if (when === 'before') await answer?.();
          await member.apply(target, args);
          if (when === 'after') await answer?.();
          answer = undefined;
        };
      },
    });
    const runtime = on.runtime({ journal: slow });
    const handle = runtime.run(subject, { cwd: on.dir });
    answer = () => runtime.answer({ runId: handle.id, waitId: 'human-2', answer: true, answeredBy: 'maria' });
    expect(await handle.result).toMatchObject({ completionReason: 'success' });
  });

  it('that is answered in the moment in which the run decides to park is taken up', async () => {
    on = bench({ subject });
    const journal = createMemoryJournal({ store: on.store });
    // The one short timer of a run that only waits is the one by which it parks.
    let decide: (() => void) | undefined;
    let decided = 0;
    const clock: Clock = {
      ...systemClock,
      setTimer(ms, callback) {
        if (ms >= 1_000) return systemClock.setTimer(ms, callback);
        decide = callback;
        return { cancel: () => void (decide = undefined) };
      },
    };
    const slow = new Proxy(journal, {
      get(target, key) {
        const member = Reflect.get(target, key) as (...args: unknown[]) => Promise<unknown>;
        if (key !== 'takeSignal') return typeof member === 'function' ? member.bind(target) : member;
        return async (...args: unknown[]) => {
          const taken = await member.apply(target, args);
          if (taken !== undefined && decide !== undefined) {
            decided += 1;
            decide();
          }
          return taken;
        };
      },
    });
    const runtime = on.runtime({ journal: slow, clock });
    const handle = runtime.run(subject, { cwd: on.dir });
    for await (const event of handle.events) if (event.type === 'wait.opened') break;
    await expect.poll(() => decide).toBeDefined();
    await runtime.answer({ runId: handle.id, waitId: 'human-2', answer: true, answeredBy: 'maria' });
    expect(await handle.result).toMatchObject({ completionReason: 'success' });
    expect(decided).toBe(1);
  });

  it('checks whom it asks at the call', async () => {
    const codes: unknown[] = [];
    const checks = flow('checks', async (f) => {
      for (const [question, to] of [['', 'maria'], ['Really?', ''], ['Really?', 'slack:maria'], ['Really?', 'bad name']] as const) {
        try {
          f.human(question, { to });
        } catch (error) {
          codes.push((error as { code?: string }).code);
        }
      }
      await f.uuid();
      f.done('success');
    });
    on = bench({ checks });
    const report = await on.runtime().run(checks, { cwd: on.dir }).result;
    expect(codes).toEqual(['human_answer_invalid', 'human_answer_invalid', 'human_to_invalid', 'human_to_invalid']);
    expect(report.steps.map(({ stepId }) => stepId)).toEqual(['uuid-1']);
  });
});

describe('a sleep', () => {
  const subject = flow('subject', async (f) => {
    const began = await f.now();
    await f.sleep(300);
    f.done((await f.now()) - began >= 300 ? 'success' : 'step_failed');
  });

  it.each([{ where: 'in memory', parkAfterMs: 10_000, parks: false }, { where: 'parked', parkAfterMs: 0, parks: true }])('ends by itself, $where', async ({ parkAfterMs, parks }) => {
    on = bench({ subject });
    const types: string[] = [];
    const report = await on.runtime({ parkAfterMs, onEvent: ({ type }) => types.push(type) }).run(subject, { cwd: on.dir }).result;
    expect(report.completionReason).toBe('success');
    expect(types.includes('run.parked')).toBe(parks);
  });

  it('is not slept again after it was over', async () => {
    on = bench({ subject });
    const first = on.runtime({ parkAfterMs: 0 });
    const handle = first.run(subject, { cwd: on.dir });
    for await (const event of handle.events) if (event.type === 'run.parked') break;
    await first.close();
    expect((await handle.result).wakeAt).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 350));
    const types: string[] = [];
    const report = await on.runtime({ parkAfterMs: 0, onEvent: ({ type }) => types.push(type) }).resume(handle.id).result;
    expect(report.completionReason).toBe('success');
    expect(types).not.toContain('run.parked');
  });
});
