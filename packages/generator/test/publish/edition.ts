import { sha256Of } from '../../src/publish/digest.js';
import type { Folder } from '../../src/publish/folder.js';
import { manifestText, type Manifest } from '../../src/publish/manifest.js';
import { MANIFEST, versionFile } from '../../src/publish/names.js';
import type { Edition } from '../../src/publish/plan.js';

export function edition(source: string): Edition {
  return { name: 'garden', catalogId: 'garden', folder: 'published/flows/garden', target: 'cloud', draft: { version: 1, workflow: 'traditional' }, source };
}

export function manifestOf(...sources: readonly string[]): Manifest {
  const source = sources.at(-1) ?? '';
  const { name, catalogId, target, draft } = edition(source);
  const versions = sources.map((text, at) => ({ version: at + 1, sha256: sha256Of(text) }));
  return {
    name, catalogId, version: sources.length, sha256: sha256Of(source), bytes: Buffer.byteLength(source),
    path: `published/flows/garden/${versionFile(sources.length)}`, target, draft, versions,
  };
}

/** A folder in which these were published, in order, and what else lies there. `undefined`: no regular file. */
export function folderOf(sources: readonly string[], others: Readonly<Record<string, string | undefined>> = {}): Folder {
  const files = new Map(sources.map((source, at): [string, Uint8Array | undefined] => [versionFile(at + 1), Buffer.from(source)]));
  if (sources.length > 0) files.set(MANIFEST, Buffer.from(manifestText(manifestOf(...sources))));
  for (const [name, text] of Object.entries(others)) files.set(name, text === undefined ? undefined : Buffer.from(text));
  return files;
}

export function without(folder: Folder, name: string): Folder {
  return new Map([...folder].filter(([other]) => other !== name));
}
