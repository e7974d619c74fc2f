import { z } from 'zod';
import { versionFile } from './names.js';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'is no sha256');
const version = z.int().min(1);

const manifestSchema = z.strictObject({
  name: z.string().min(1),
  catalogId: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'is written in kebab case'),
  version,
  sha256,
  bytes: z.int().min(1),
  path: z.string().min(1),
  target: z.enum(['cloud', 'local']),
  draft: z.record(z.string(), z.unknown()),
  versions: z.array(z.strictObject({ version, sha256 })).min(1),
}).superRefine((manifest, context) => {
  const newest = manifest.versions.at(-1);
  const wrong = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
  if (manifest.versions.some((row, at) => row.version !== at + 1)) wrong('versions', 'does not count 1, 2, 3 without a gap');
  if (newest?.version !== manifest.version) wrong('version', 'is not the last of the versions');
  if (newest?.sha256 !== manifest.sha256) wrong('sha256', 'is not that of the last of the versions');
  if (!manifest.path.endsWith(`/${versionFile(manifest.version)}`)) wrong('path', `does not end with /${versionFile(manifest.version)}`);
});

/**
 * What a folder of published versions says about itself. `version`, `sha256`, `bytes`, `path` (from the root of the repository), `target` and `draft`
 * are of the newest version; `versions` has one row for each, in order.
 */
export type Manifest = z.output<typeof manifestSchema>;

/** A manifest read from its text, or what is wrong with it, one sentence each. */
export function readManifest(text: string): Manifest | readonly string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return [`manifest.json is no JSON: ${error instanceof Error ? error.message : String(error)}.`];
  }
  const parsed = manifestSchema.safeParse(value);
  return parsed.success ? parsed.data : parsed.error.issues.map(({ path, message }) => `manifest.json: ${path.join('.') || 'the whole'} ${message}.`);
}

export function isManifest(read: Manifest | readonly string[]): read is Manifest {
  return !Array.isArray(read);
}

/** The text of a manifest: the same members always in the same order. */
export function manifestText(manifest: Manifest): string {
  const { name, catalogId, version: newest, sha256: digest, bytes, path, target, draft, versions } = manifest;
  return `${JSON.stringify({ name, catalogId, version: newest, sha256: digest, bytes, path, target, draft, versions }, null, 2)}\n`;
}
