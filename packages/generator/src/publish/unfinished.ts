import { digestIn, textIn, type Folder } from './folder.js';
import { isManifest, readManifest, type Manifest } from './manifest.js';
import { MANIFEST, NEXT, STAGED, versionFile } from './names.js';
import type { Step } from './step.js';

/** What a publish that was killed left behind. */
export interface Unfinished {
  /** The version whose file had reached its place: nothing is left but to finish. `undefined`: nothing had become visible, and it is taken back. */
  readonly version: number | undefined;
  readonly steps: readonly Step[];
}

/**
 * What has to be done about a publish that was killed. A publish stages the version, then the manifest, puts the version in its place, then the
 * manifest, then removes `next.flow.ts`: so the staged manifest is the record of what was meant, and the version in its place is the point of no return. Pure.
 */
export function unfinished(folder: Folder): Unfinished {
  const manifest = manifestIn(folder, MANIFEST);
  const meant = manifestIn(folder, `${MANIFEST}${STAGED}`);
  const finishes = meant !== undefined && follows(meant, manifest) && digestIn(folder, versionFile(meant.version)) === meant.sha256;
  const newest = finishes ? meant : manifest;
  const steps: Step[] = finishes ? [{ do: 'rename', from: `${MANIFEST}${STAGED}`, to: MANIFEST }] : [];
  // What is built next is never what the newest version is already.
  const published = newest !== undefined && digestIn(folder, NEXT) === newest.sha256;
  if (published) steps.push({ do: 'remove', name: NEXT });
  const staged = [...folder.keys()].filter((name) => name.endsWith(STAGED) && !(finishes && name === `${MANIFEST}${STAGED}`));
  steps.push(...staged.map((name): Step => ({ do: 'remove', name })));
  return { version: finishes || published ? newest?.version : undefined, steps };
}

function manifestIn(folder: Folder, name: string): Manifest | undefined {
  const text = textIn(folder, name);
  const read = text === undefined ? [] : readManifest(text);
  return isManifest(read) ? read : undefined;
}

/** Whether a manifest is an earlier one and one version more. */
function follows(later: Manifest, earlier: Manifest | undefined): boolean {
  const before = earlier?.versions ?? [];
  return later.versions.length === before.length + 1 && before.every((row, at) => row.sha256 === later.versions[at]?.sha256);
}
