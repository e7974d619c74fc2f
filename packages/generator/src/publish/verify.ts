import { digestIn, textIn, type Folder } from './folder.js';
import { isManifest, readManifest, type Manifest } from './manifest.js';
import { MANIFEST, versionFile, versionOf } from './names.js';

/** A folder whose published versions are as they were published. */
export interface Verified {
  /** None before the first version. */
  readonly manifest: Manifest | undefined;
}

/**
 * Compares every published version with its digest. Returns the manifest, or what is wrong, one sentence each. Pure.
 *
 * `unlisted` is a version whose file may lie there although the manifest does not name it yet.
 */
export function verify(folder: Folder, unlisted?: number): Verified | readonly string[] {
  const text = textIn(folder, MANIFEST);
  const files = [...folder.keys()].filter((name) => versionOf(name) !== undefined && versionOf(name) !== unlisted);
  if (text === undefined) {
    if (folder.has(MANIFEST)) return [`${MANIFEST} is no regular file.`];
    return files.length === 0 ? { manifest: undefined } : [`${MANIFEST} is missing, although there is ${files.join(', ')}.`];
  }
  const manifest = readManifest(text);
  if (!isManifest(manifest)) return manifest;
  const problems = manifest.versions.flatMap(({ version, sha256 }) => versionProblems(folder, version, sha256, version === manifest.version ? manifest.bytes : undefined));
  const listed = new Set(manifest.versions.map(({ version }) => versionFile(version)));
  problems.push(...files.filter((name) => !listed.has(name)).map((name) => `${name} is named by no manifest.`));
  return problems.length === 0 ? { manifest } : problems;
}

export function isVerified(verified: Verified | readonly string[]): verified is Verified {
  return !Array.isArray(verified);
}

function versionProblems(folder: Folder, version: number, sha256: string, bytes: number | undefined): string[] {
  const name = versionFile(version);
  if (!folder.has(name)) return [`${name} is missing.`];
  const content = folder.get(name);
  if (content === undefined) return [`${name} is no regular file.`];
  const actual = digestIn(folder, name) ?? '';
  if (actual === sha256) return bytes === undefined || bytes === content.length ? [] : [`${MANIFEST} says that ${name} has ${bytes} bytes; it has ${content.length}.`];
  const cut = bytes !== undefined && content.length < bytes ? `is cut short: it has ${content.length} of ${bytes} bytes` : 'was changed';
  return [`${name} ${cut}. Its sha256 is ${actual}, that of what was published is ${sha256}.`];
}
