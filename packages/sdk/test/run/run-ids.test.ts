import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { flow } from '@relayflows/surface';
import { afterEach, describe, expect, it } from 'vitest';
import { attemptFile, runFolder } from '../../src/journal/step-files.js';
import { bench, type Bench } from './harness.js';

let on: Bench;
afterEach(() => on?.dispose());

const ODD = ['repo/work flow/T-1', 'repo/workflow/T-1~attempt~2', '../../up', '..', '.', 'a%2Fb', 'A', 'a;b/c', `${'é'.repeat(512)}`, 'con.', "it's $(odd) `really`", 'refs/x.lock', '-rf'];

const subject = flow('subject', async (f) => {
  const scope = await f.run('printf %s "$RELAYFLOW_RUN_ID"');
  f.done('success', { detail: scope });
});

describe('the id of a run', () => {
  it.each(ODD)('%j can be chosen by the host, and everything of the run stays in the data directory', async (id) => {
    on = bench({ subject });
    const runtime = on.runtime();
    const handle = runtime.run(subject, { id, cwd: on.dir });
    expect(handle.id).toBe(id);
    expect(await handle.result).toMatchObject({ ok: true, runId: id, completionDetail: id });
    expect((await runtime.status(id)).run.id).toBe(id);
    expect(await runtime.findRun(id)).toBe(id);
    const dataDir = join(on.dir, 'data');
    const log = attemptFile({ dataDir, runId: id, stepId: 'run-1', attempt: 1, suffix: 'stdout.log' });
    expect(existsSync(log)).toBe(true);
    expect(dirname(dirname(dirname(dirname(log))))).toBe(resolve(dataDir, 'runs'));
    expect(readdirSync(on.dir)).toEqual(['data']);
  });

  it('that we make is the name of its folder; no two ids share one', () => {
    expect(runFolder('1m8qb6qazbm2m94')).toBe('1m8qb6qazbm2m94');
    const names = [...ODD, 'a', 'a/b', 'a-b', 'a_b', 'a b', 'A/b', 'a/B'].map(runFolder);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-][A-Za-z0-9_@-]{0,127}$/);
  });

  it('of a run that exists is refused, whether it is at rest or goes on', async () => {
    const waits = flow('waits', { hooks: ['look'] }, async (f) => {
      await f.hook('look', null);
      f.done('success');
    });
    on = bench({ waits });
    let end!: () => void;
    const looked = new Promise<boolean>((resolve) => {
      end = () => resolve(true);
    });
    const runtime = on.runtime({ hooks: { look: async () => await looked } });
    const first = runtime.run(waits, { id: 'a/b', cwd: on.dir });
    const twin = runtime.run(waits, { id: 'a/b', cwd: on.dir });
    await expect(twin.result).rejects.toMatchObject({ code: 'run_exists' });
    await expect(twin.created).rejects.toMatchObject({ code: 'run_exists' });
    expect(runtime.resume('a/b')).toBe(first);
    end();
    expect(await first.result).toMatchObject({ ok: true });
    await expect(runtime.run(waits, { id: 'a/b', cwd: on.dir }).result).rejects.toMatchObject({ code: 'run_exists' });
  });

  it('names its run also where many others begin with it', async () => {
    const brief = flow('brief', async (f) => f.done('success'));
    on = bench({ brief });
    const runtime = on.runtime();
    for (const suffix of ['', ...Array.from({ length: 7 }, (_, n) => `~attempt~${n + 2}`)]) await runtime.run(brief, { id: `a/b${suffix}`, cwd: on.dir }).result;
    expect(await runtime.findRun('a/b')).toBe('a/b');
    await expect(runtime.findRun('a/')).rejects.toMatchObject({ code: 'run_ambiguous' });
  });

  it.each(['', 'a\nb', 'a\0b', '\u009b31m', '\ud800', 'x'.repeat(513), 7 as unknown as string])('%j is refused', async (id) => {
    on = bench({ subject });
    const runtime = on.runtime();
    await expect(runtime.run(subject, { id, cwd: on.dir }).result).rejects.toMatchObject({ code: 'invalid_invocation' });
    expect(await runtime.list()).toEqual([]);
  });
});
