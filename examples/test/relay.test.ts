import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { example } from './practice.js';

it('relay/play.mjs walks both tickets to their ends, through a review that sends them back and a person', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [example('relay/play.mjs'), '--yes'], { maxBuffer: 16 * 1024 * 1024 });
  for (const key of ['APP-1', 'APP-2']) expect(stdout).toMatch(new RegExp(`^${key} .*completed`, 'm'));
  expect(stdout).toContain('status: Done');
  expect(stdout).toContain('build (visit 2)');
  expect(stdout.match(/Greet people without a name as friends$/gm)?.length).toBeGreaterThanOrEqual(2);
}, 180_000);
