import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { applySteps } from '../publish/apply.js';
import { isMissing } from '../publish/missing.js';
import { STAGED } from '../publish/names.js';
import { CATALOG_FILE } from './published-at.js';

const NAME = posix.basename(CATALOG_FILE);

/**
 * Puts a catalog in its place in `folder`, whole or not at all. Returns why not: what lies there is neither `present`, which the move was planned from,
 * nor the catalog itself.
 */
export async function writeCatalog(folder: string, present: string | undefined, text: string): Promise<string | undefined> {
  const found = await readFile(join(folder, NAME), 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (found === text) return undefined;
  if (found !== present) return `${CATALOG_FILE} has changes that are not committed. Commit them or take them back first.`;
  await applySteps(folder, [{ do: 'write', name: `${NAME}${STAGED}`, text }, { do: 'rename', from: `${NAME}${STAGED}`, to: NAME }]);
  return undefined;
}
