import { sha256Of } from './digest.js';
import { digestIn, type Folder } from './folder.js';
import { NEXT, versionFile } from './names.js';
import { unfinished } from './unfinished.js';
import { isVerified, verify } from './verify.js';

/** How a developer puts things right. */
export interface Remedies {
  /** Finishes a publish that was interrupted, or takes it back. */
  readonly publish: string;
  /** Writes `next.flow.ts` anew. */
  readonly next: string;
}

/**
 * What is wrong with a folder of published versions beside what the generator makes now: with `next.flow.ts` when there is one, else with the newest
 * version. Nothing has to be published. Pure.
 */
export function freshnessProblems(folder: Folder, source: string, { publish, next }: Remedies): readonly string[] {
  const left = unfinished(folder);
  const verified = verify(folder, left.version);
  if (!isVerified(verified)) return verified.map((problem) => `${problem} What was published never changes: restore it with git.`);
  if (left.steps.length > 0) return [`A publish was interrupted. Run ${publish}`];
  const { manifest } = verified;
  const sha256 = sha256Of(source);
  if (folder.has(NEXT)) return digestIn(folder, NEXT) === sha256 ? [] : [`${NEXT} is not what the generator makes of the draft. Run ${next}`];
  return manifest === undefined || manifest.sha256 === sha256 ? [] : [`${versionFile(manifest.version)} is not what the generator makes of the draft any more. Begin the next version: run ${next}`];
}
