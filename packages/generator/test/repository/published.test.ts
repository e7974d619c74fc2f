import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { isCatalog, readCatalog } from '../../src/catalog/catalog.js';
import { createGit, fileAt, isShallow } from '../../src/catalog/git.js';
import { catalogHistoryProblems, publishedFiles, refProblems, rewriteProblems } from '../../src/catalog/history.js';
import { CATALOG_FILE } from '../../src/catalog/published-at.js';
import { sha256Of } from '../../src/publish/digest.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const git = createGit(ROOT);
const whole = await isShallow(git).then((shallow) => (shallow ? 'a shallow clone does not have the commits' : undefined), () => 'this is no git checkout');

/** A test of what the repository's own history says of what was published. */
function ofHistory(name: string, body: () => Promise<void>): void {
  it.skipIf(whole !== undefined)(whole === undefined ? name : `${name} (skipped: ${whole})`, body);
}

ofHistory('every file that was ever published lies in the checkout with the bytes that it was added with', async () => {
  const added = Object.fromEntries(await publishedFiles(git, 'HEAD'));
  const present = Object.fromEntries(await Promise.all(Object.keys(added).map(async (path) => [path, await readFile(join(ROOT, path)).then(sha256Of, () => 'missing')])));
  expect(present).toEqual(added);
});

ofHistory('no commit changed or removed what was published', async () => {
  expect(await rewriteProblems(git, 'HEAD')).toEqual([]);
});

ofHistory('the catalog was only ever appended to', async () => {
  expect(await catalogHistoryProblems(git, 'HEAD')).toEqual([]);
});

ofHistory('the ref of every pin is a commit that has the file with its digest', async () => {
  const text = await fileAt(git, 'HEAD', CATALOG_FILE);
  const catalog = text === undefined ? undefined : readCatalog(text.toString('utf8'));
  expect(catalog === undefined || isCatalog(catalog) ? [] : catalog).toEqual([]);
  expect(catalog !== undefined && isCatalog(catalog) ? await refProblems(git, 'HEAD', catalog) : []).toEqual([]);
});
