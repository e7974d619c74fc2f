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
