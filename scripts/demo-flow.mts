/**
 * Puts the flow that `flows demo` runs into the package of the command, with its digest: the newest published Software Garden, or, before there is one,
 * what the generator makes of its draft.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sha256Of } from '../packages/generator/src/publish/digest.js';
import { readFolder, textIn } from '../packages/generator/src/publish/folder.js';
import { versionFile } from '../packages/generator/src/publish/names.js';
import { unfinished } from '../packages/generator/src/publish/unfinished.js';
import { isVerified, verify } from '../packages/generator/src/publish/verify.js';
import { GARDEN, softwareGarden } from './published/software-garden.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const destination = join(root, 'packages/cli/dist/published');

async function newest(): Promise<{ readonly version: number | null; readonly source: string }> {
  const folder = await readFolder(join(root, GARDEN));
  const verified = verify(folder, unfinished(folder).version);
  if (!isVerified(verified)) throw new Error(`What was published is not as it was:\n${verified.join('\n')}`);
  const { manifest } = verified;
  if (manifest === undefined) return { version: null, source: (await softwareGarden(root)).source };
  return { version: manifest.version, source: textIn(folder, versionFile(manifest.version)) ?? '' };
}

const { version, source } = await newest();
const staged = `${destination}.${process.pid}`;
mkdirSync(staged, { recursive: true });
writeFileSync(join(staged, 'software-garden.flow.ts'), source);
writeFileSync(join(staged, 'software-garden.json'), `${JSON.stringify({ version, sha256: sha256Of(source) })}\n`);
// A command that runs meanwhile finds the old flow or the new one, and their digests beside them.
rmSync(destination, { recursive: true, force: true });
renameSync(staged, destination);
