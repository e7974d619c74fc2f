/**
 * Three branches at once, each a short sequence of its own. Plain promises are all it takes.
 *
 *   flows run examples/03-parallel-branches.flow.ts --input '{}'
 */
import { type Ctx, flow } from '@relayflows/surface';

export default flow('parallel-branches', async (f) => {
  const [files, authors, age] = await Promise.all([countFiles(f), countAuthors(f), ageInDays(f)]);

  f.done('success', { detail: `${files} files by ${authors} author(s), ${age} day(s) old` });
});

async function countFiles(f: Ctx): Promise<number> {
  const listing = await f.run('git ls-files');
  return listing.split('\n').filter((line) => line !== '').length;
}

async function countAuthors(f: Ctx): Promise<number> {
  const names = await f.run('git log --format=%ae');
  return new Set(names.trim().split('\n')).size;
}

async function ageInDays(f: Ctx): Promise<number> {
  const firstCommit = await f.run('git log --reverse --format=%ct | head -n 1');
  // The time comes from a step too: a resumed run then sees what the first one saw.
  const now = await f.now();
  return Math.floor((now / 1_000 - Number(firstCommit)) / 86_400);
}
