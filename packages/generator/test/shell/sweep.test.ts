import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRuntime, sealFlow } from '@relayflows/sdk';
import { expect, test } from 'vitest';
import { shellPart } from '../../src/shell/parts.js';
import { Scratch } from './scratch.js';

function lives(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

test('a check step that is stopped from outside leaves nothing running, in whichever session it is', async () => {
  const scratch = new Scratch({ name: 'sh', command: ['sh'], path: [] });
  scratch.write('.relayflow/check.sh', "echo $$ >pids; sh -c 'trap \"\" TERM; echo $$ >>pids; while :; do sleep 1; done' & setsid sh -c 'echo $$ >>pids; exec sleep 1000' & exec sleep 1000\n");
  const flow = join(scratch.top, 'check.flow.ts');
  writeFileSync(flow, `import { flow } from '@relayflows/surface';
export default flow('check', { version: '1.0.0', budget: { wallclock: '1h' } }, async (f) => {
  await f.run(${JSON.stringify(shellPart('check-run'))}, { timeout: '5s', env: { RELAYFLOW_CHECK_LIMIT: '900' }, onNonZero: 'record', onTimeout: 'record' });
  f.done('succeeded');
});
`);
  const runtime = createRuntime({ dataDir: join(scratch.top, 'data'), env: { PATH: process.env['PATH'] ?? '', HOME: scratch.top } });
  try {
    await runtime.run(await sealFlow(flow), { input: {}, cwd: scratch.repo }).result;
  } finally {
    await runtime.close();
  }
  expect(existsSync(join(scratch.repo, 'pids'))).toBe(true);
  const pids = scratch.read('pids').trim().split('\n').map(Number);
  expect(pids).toHaveLength(3);
  expect(pids.filter(lives)).toEqual([]);
});
