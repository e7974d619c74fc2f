import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Killable } from './killable.js';
import { change, clean, PROJECT } from './project.js';

const PRELOADED = { NODE_OPTIONS: `--import=${new URL('dies-opening.mjs', import.meta.url).href}` };
/** In this order: each is come to only when the process got past the one before it. */
const KILLS = ['before', 'after', 'written', 'printed'];

test('a run that is killed at every point of opening a change opens one', async () => {
  const undisturbed = new Killable(PROJECT, []);
  const killed = new Killable(PROJECT, KILLS);
  const script = { ...clean, implementer: change('new.txt', 'new') };
  for (const { place } of [undisturbed, killed]) place.host = PRELOADED;
  const expected = await undisturbed.run('simple', script);
  const got = await killed.run('simple', script);
  expect(got.ends).toEqual([...KILLS.map(() => 'SIGKILL'), ...expected.ends]);
  expect(KILLS.filter((word) => killed.killedAt(word) === undefined)).toEqual([]);
  expect(got.report.completionReason).toBe('needs_human');
  // The folder gives no number twice: the one of the call that was killed before it had opened anything is lost.
  const { change: { number, ...opened }, ...left } = killed.left;
  const { change: { number: first, ...wanted }, ...rest } = undisturbed.left;
  expect([first, number]).toEqual([1, 2]);
  expect({ opened, left }).toEqual({ opened: wanted, left: rest });
  expect(opened).toMatchObject({ reviewers: ['alex'], draft: false });
  expect(readdirSync(join(killed.forge, 'open'))).toHaveLength(1);
});
