import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isCatalog, readCatalog } from '../../packages/generator/src/catalog/catalog.js';
import { createGit, fileAt } from '../../packages/generator/src/catalog/git.js';
import { CATALOG_FILE, FLOWS_FOLDER } from '../../packages/generator/src/catalog/published-at.js';
import { servedProblems, successionProblems } from '../../packages/generator/src/catalog/verify.js';
import { sha256Of } from '../../packages/generator/src/publish/digest.js';
import { readFolder } from '../../packages/generator/src/publish/folder.js';
import { freshnessProblems } from '../../packages/generator/src/publish/freshness.js';
import { isMissing } from '../../packages/generator/src/publish/missing.js';
import { isVerified, verify } from '../../packages/generator/src/publish/verify.js';
import { GARDEN, softwareGarden } from '../published/software-garden.mjs';
import type { Gate } from './gate.mjs';

const PUBLISH = 'npx tsx scripts/publish-software-garden.mts';

async function gardenProblems(root: string): Promise<readonly string[]> {
  const [folder, { source }] = await Promise.all([readFolder(join(root, GARDEN)), softwareGarden(root)]);
  return freshnessProblems(folder, source, { publish: PUBLISH, next: `${PUBLISH} --next` }).map((problem) => `${GARDEN}: ${problem}`);
}

/** Folders of versions besides the garden, which is looked at more closely. */
async function otherProblems(root: string): Promise<readonly string[]> {
  const names = await orNone(readdir(join(root, FLOWS_FOLDER))) ?? [];
  const folders = names.map((name) => `${FLOWS_FOLDER}/${name}`).filter((folder) => folder !== GARDEN);
  const verified = await Promise.all(folders.map(async (folder) => ({ folder, found: verify(await readFolder(join(root, folder))) })));
  return verified.flatMap(({ folder, found }) => (isVerified(found) ? [] : found.map((problem) => `${folder}: ${problem}`)));
}

export async function catalogProblems(root: string): Promise<readonly string[]> {
  const text = await orNone(readFile(join(root, CATALOG_FILE), 'utf8'));
  const committed = (await fileAt(createGit(root), 'HEAD', CATALOG_FILE))?.toString('utf8');
  if (text === undefined) return committed === undefined ? [] : [`${CATALOG_FILE} is missing. Restore it with git.`];
  const catalog = readCatalog(text);
  if (!isCatalog(catalog)) return catalog;
  const before = committed === undefined ? [] : readCatalog(committed);
  const paths = [...new Set(catalog.history.flatMap(({ flows }) => flows.map(({ source }) => source.path)))];
  const digests = new Map(await Promise.all(paths.map(async (path) => {
    const content = await orNone(readFile(join(root, path)));
    return [path, content === undefined ? undefined : sha256Of(content)] as const;
  })));
  return [...servedProblems(catalog, (path) => digests.get(path)), ...(isCatalog(before) ? successionProblems(before, catalog) : [])];
}

async function orNone<Found>(reading: Promise<Found>): Promise<Found | undefined> {
  return reading.catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
}

export const published: Gate = {
  name: 'published',
  proves: 'published flows are what was published, the generator makes the newest or next one, and the catalog pins their digests',
  problems: async (root) => (await Promise.all([gardenProblems(root), otherProblems(root), catalogProblems(root)])).flat(),
};
