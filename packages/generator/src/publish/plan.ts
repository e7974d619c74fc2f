import { sha256Of } from './digest.js';
import { digestIn, type Folder } from './folder.js';
import { manifestText, type Manifest } from './manifest.js';
import { MANIFEST, NEXT, STAGED, versionFile } from './names.js';
import type { Step } from './step.js';
import { unfinished } from './unfinished.js';
import { isVerified, verify } from './verify.js';

/** What is published: a flow, and what is said of it. */
export interface Edition {
  readonly name: string;
  readonly catalogId: string;
  /** The folder of its versions, from the root of the repository, with slashes. */
  readonly folder: string;
  readonly target: Manifest['target'];
  readonly draft: Manifest['draft'];
  /** The flow that the generator makes of the draft. */
  readonly source: string;
}

/** What will be done, as plain data. Nothing is written for a refusal. */
export type PublishPlan =
  | { readonly kind: 'publish'; readonly version: number; readonly sha256: string; readonly steps: readonly Step[] }
  /** An earlier publish of this version was killed after its file was in place. It is finished, and nothing else is published in the same run. */
  | { readonly kind: 'finish'; readonly version: number; readonly steps: readonly Step[] }
  /** The newest version is what the generator makes. */
  | { readonly kind: 'unchanged'; readonly version: number; readonly steps: readonly Step[] }
  | { readonly kind: 'refused'; readonly reasons: readonly string[]; readonly steps: readonly [] };

/** Plans the next version. Looks at every earlier one first: what was published is never written again. Pure. */
export function planPublish(folder: Folder, edition: Edition): PublishPlan {
  const left = unfinished(folder);
  const verified = verify(folder, left.version);
  const reasons = isVerified(verified) ? sourceProblems(edition.source) : verified;
  if (!isVerified(verified) || reasons.length > 0) return { kind: 'refused', reasons, steps: [] };
  if (left.version !== undefined) return { kind: 'finish', version: left.version, steps: left.steps };

  const { manifest } = verified;
  const sha256 = sha256Of(edition.source);
  const next = digestIn(folder, NEXT);
  if (folder.has(NEXT) && next !== sha256) return { kind: 'refused', reasons: [`${NEXT} is not what the generator makes of the draft.`], steps: [] };
  if (manifest?.sha256 === sha256) return { kind: 'unchanged', version: manifest.version, steps: left.steps };

  const version = (manifest?.version ?? 0) + 1;
  const file = versionFile(version);
  const { name, catalogId, target, draft, source } = edition;
  const following: Manifest = {
    name, catalogId, version, sha256, bytes: Buffer.byteLength(source), path: `${edition.folder}/${file}`, target, draft,
    versions: [...(manifest?.versions ?? []), { version, sha256 }],
  };
  return {
    kind: 'publish', version, sha256,
    steps: [
      ...left.steps,
      { do: 'write', name: `${file}${STAGED}`, text: source },
      { do: 'write', name: `${MANIFEST}${STAGED}`, text: manifestText(following) },
      { do: 'rename', from: `${file}${STAGED}`, to: file },
      { do: 'rename', from: `${MANIFEST}${STAGED}`, to: MANIFEST },
      ...(folder.has(NEXT) ? [{ do: 'remove', name: NEXT } as const] : []),
    ],
  };
}

/** Bytes that a checkout or an editor would change make a digest that does not last. */
function sourceProblems(source: string): string[] {
  const problems: string[] = [];
  if (source.includes('\r')) problems.push('The flow has a carriage return.');
  if (!source.endsWith('\n')) problems.push('The flow does not end with a line feed.');
  if (!source.isWellFormed()) problems.push('The flow has half a character.');
  return problems;
}
