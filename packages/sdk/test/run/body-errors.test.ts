import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { sealFlow } from '../../src/flow/seal.js';
import { createMemoryJournal } from '../../src/journal/memory.js';
import { createRuntime } from '../../src/run/create-runtime.js';

const dir = mkdtempSync(join(tmpdir(), 'relayflows-body-'));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it("a throw in a body is reported at the author's file and line", async () => {
  const path = join(dir, 'throws.flow.ts');
  writeFileSync(path, ["import { flow } from '@relayflows/surface';", '', 'interface Input { name: string }', '', "export default flow<Input>('throws', async (f) => {", '  await f.uuid();', "  throw new Error('here');", '});', ''].join('\n'));
  const runtime = createRuntime({ dataDir: join(dir, 'data'), journal: createMemoryJournal() });
  const handle = runtime.run(await sealFlow(path), { cwd: dir });
  const report = await handle.result;
  const { run } = await runtime.status(handle.id);
  await runtime.close();
  expect(report.diagnostics[0]).toMatchObject({ code: 'body_failed', message: 'Error: here' });
  expect(run.completion?.error?.evidence).toMatchObject({ path, line: 7 });
  expect(JSON.stringify(run.completion?.error?.evidence)).not.toContain('modules/');
});
