import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { problemsOf, type Gate } from './gate.mjs';
import { packPackages, type PackedPackage } from '../pack.mjs';

async function problemsOfPackage(root: string, packed: PackedPackage): Promise<readonly string[]> {
  const found = [...(await problemsOf(root, 'publint', [packed.tarball, '--strict']))];
  if (packed.manifest.exports?.['.'] !== undefined) {
    found.push(...(await problemsOf(root, 'attw', [packed.tarball, '--profile', 'esm-only', '--no-emoji', '--no-color'])));
  }
  if (!packed.files.includes('LICENSE')) found.push(`${packed.manifest.name}: LICENSE is missing from the tarball`);
  if (!packed.files.includes('README.md')) found.push(`${packed.manifest.name}: README.md is missing from the tarball`);
  if (packed.manifest.engines?.node !== '>=20.19') found.push(`${packed.manifest.name}: engines.node must be >=20.19`);
  for (const file of Object.values(packed.manifest.bin ?? {})) {
    if (!packed.files.includes(file.replace(/^\.\//, ''))) found.push(`${packed.manifest.name}: bin ${file} is missing from the tarball`);
  }
  const license = join(root, packed.folder, 'LICENSE');
  if (packed.files.includes('LICENSE') && (await readFile(license, 'utf8')) !== (await readFile(join(root, 'LICENSE'), 'utf8'))) {
    found.push(`${packed.folder}/LICENSE differs from LICENSE`);
  }
  return found;
}

export const packages: Gate = {
  name: 'packages',
  proves: 'what npm would publish resolves, is typed for ESM and carries its licence',
  afterBuild: true,
  problems: async (root) => {
    const folder = await mkdtemp(join(tmpdir(), 'relayflows-pack-'));
    try {
      const packed = await packPackages(root, folder);
      return (await Promise.all(packed.map((one) => problemsOfPackage(root, one)))).flat();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
