import { flow } from '@relayflows/surface';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createRuntime } from '../../src/run/create-runtime.js';
import type { RunEvent } from '../../src/run/events.js';
import { bench, type Bench } from './harness.js';

let on: Bench;
afterEach(() => on.dispose());

const SECRET = 'hunter2-hunter2-hunter2';

/** Everything that a run left on disk. */
function remains(dir: string): string {
  return readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')).join('\n');
}

describe('a secret of the environment', () => {
  it('reaches commands and nothing that is kept', async () => {
    const seen: unknown[] = [];
    const subject = flow<{ text: string }>('subject', async (f, input) => {
      seen.push(input.text);
      seen.push(await f.run('echo "$DEPLOY_TOKEN"; echo "length ${#DEPLOY_TOKEN}"'));
      seen.push((await f.run(`echo ${SECRET} >&2; exit 3`, { onNonZero: 'record' })).stderr);
      await f.run('cat > /dev/null; printf "%s" "$DEPLOY_TOKEN" | base64; exit 4').gate(() => true);
      f.done('success');
    });
    on = bench({ subject });
    const events: RunEvent[] = [];
    const runtime = createRuntime({
      dataDir: join(on.dir, 'data'), env: { PATH: process.env['PATH'], DEPLOY_TOKEN: SECRET }, flows: { subject: { version: '1', flow: subject } }, onEvent: (event) => events.push(event),
    });
    const report = await runtime.run(subject, { cwd: on.dir, input: { text: `use ${SECRET}` } }).result;
    await runtime.close();
    expect(seen).toEqual(['use [redacted:DEPLOY_TOKEN]', '[redacted:DEPLOY_TOKEN]\nlength 23\n', '[redacted:DEPLOY_TOKEN]\n']);
    expect(report.diagnostics[0]).toMatchObject({ code: 'step_failed', exitCode: 4 });
    for (const text of [JSON.stringify(report), JSON.stringify(events), remains(join(on.dir, 'data'))]) {
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(Buffer.from(SECRET).toString('base64').slice(0, 16));
    }
  });

  it("reaches a step with secrets: 'scrub' that keeps it", async () => {
    let seen: string | undefined;
    const subject = flow('subject', async (f) => {
      seen = await f.run('echo "[$DEPLOY_TOKEN][${#NPM_TOKEN}]"', { secrets: 'scrub', keep: ['NPM_TOKEN', 'NOT_SET'] });
      f.done('success');
    });
    on = bench({ subject });
    const runtime = on.runtime({ env: { PATH: process.env['PATH'], DEPLOY_TOKEN: SECRET, NPM_TOKEN: 'another-secret' } });
    await runtime.run(subject, { cwd: on.dir }).result;
    expect(seen).toBe('[][14]\n');
  });

  it.each([
    [{ keep: ['NPM_TOKEN'] }, /needs secrets: 'scrub'/],
    [{ secrets: 'scrub', keep: 'NPM_TOKEN' }, /no list of names/],
    [{ secrets: 'scrub', keep: ['NPM TOKEN'] }, /no list of names/],
  ])('is kept by a list of names only: %j', async (options, message) => {
    const subject = flow('subject', async (f) => {
      await f.run('true', options as object);
      f.done('success');
    });
    on = bench({ subject });
    const { diagnostics } = await on.runtime().run(subject, { cwd: on.dir }).result;
    expect(diagnostics[0]?.message).toMatch(message);
  });

  it("does not reach a step with secrets: 'scrub'", async () => {
    let seen: string | undefined;
    const subject = flow('subject', async (f) => {
      seen = await f.run('echo "[$DEPLOY_TOKEN][$NPM_TOKEN][$GIT_CONFIG_COUNT][$HOME]"', { secrets: 'scrub', env: { NPM_TOKEN: 'kept-on-purpose' } });
      f.done('success');
    });
    on = bench({ subject });
    const runtime = on.runtime({ env: { PATH: process.env['PATH'], HOME: on.dir, DEPLOY_TOKEN: SECRET, NPM_TOKEN: 'another-secret', GIT_CONFIG_COUNT: '0' } });
    await runtime.run(subject, { cwd: on.dir }).result;
    expect(seen).toBe(`[][kept-on-purpose][][${on.dir}]\n`);
  });
});

it('a gate that says a secret is recorded without it', async () => {
  const subject = flow('subject', async (f) => {
    await f.uuid().gate(() => {
      throw new Error(`the token is ${SECRET}`);
    });
    f.done('success');
  });
  on = bench({ subject });
  const runtime = on.runtime({ env: { DEPLOY_TOKEN: SECRET } });
  const report = await runtime.run(subject, { cwd: on.dir }).result;
  expect(report.diagnostics[0]).toMatchObject({ code: 'gate_failed' });
  expect(JSON.stringify(report)).toContain('[redacted:DEPLOY_TOKEN]');
  expect(JSON.stringify(report)).not.toContain(SECRET);
});

it('a secret that the body itself knows is in nothing that is kept or told', async () => {
  const asked = `Is ${SECRET} still good?`;
  const subject = flow('subject', { hooks: ['look'] }, async (f) => {
    f.phase(`with ${SECRET}`);
    // The end of a title falls into the secret, and both attempts fail.
    await f.run(`: ${'x'.repeat(105)} ${SECRET}; exit 3`, { retry: { attempts: 2, backoff: 1 } }).then(undefined, () => undefined);
    await f.run('true').gate({ type: 'artifact_exists', path: `node_modules/${SECRET}` }).then(undefined, () => undefined);
    await f.hook('look', SECRET);
    await f.human(asked, { to: 'maria' });
    f.done('success');
  });
  on = bench({ subject });
  const events: RunEvent[] = [];
  const runtime = createRuntime({
    dataDir: join(on.dir, 'data'), env: { PATH: process.env['PATH'], DEPLOY_TOKEN: SECRET }, flows: { subject: { version: '1', flow: subject } }, onEvent: (event) => events.push(event),
  });
  const report = await runtime.run(subject, { cwd: on.dir }).result;
  await runtime.close();
  expect(report.humanWait?.question).toBe('Is [redacted:DEPLOY_TOKEN] still good?');
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['run.started', 'phase', 'step.started', 'step.retrying', 'step.completed', 'warning', 'wait.opened', 'run.parked']));
  for (const text of [JSON.stringify(report), JSON.stringify(events), remains(join(on.dir, 'data'))]) expect(text).not.toContain(SECRET.slice(0, 9));
});

it('a replay mismatch shows the step without a secret', async () => {
  let command = 'true';
  let before = false;
  const subject = flow('subject', async (f) => {
    if (before) await f.uuid();
    await f.run(command);
    await f.human('Go on?', { to: 'maria' });
    f.done('success');
  });
  on = bench({ subject });
  const env = { PATH: process.env['PATH'], DEPLOY_TOKEN: SECRET };
  const { id, result } = on.runtime({ env }).run(subject, { cwd: on.dir });
  await result;
  command = `echo ${SECRET}`;
  for (before of [false, true]) {
    const error = await on.runtime({ env }).resume(id).result.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'replay_mismatch' });
    expect(JSON.stringify(error)).not.toContain(SECRET);
  }
});
