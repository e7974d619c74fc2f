import { sha256Of } from './digest.js';
import { digestIn, type Folder } from './folder.js';
import { NEXT, STAGED } from './names.js';
import type { Edition, PublishPlan } from './plan.js';
import type { Step } from './step.js';
import { unfinished } from './unfinished.js';
import { isVerified, verify } from './verify.js';

/** What becomes of `next.flow.ts`. */
export type NextPlan =
  /** It is written as the generator makes the flow now. */
  | { readonly kind: 'next'; readonly steps: readonly Step[] }
  /** It is that already. */
  | { readonly kind: 'fresh'; readonly steps: readonly Step[] }
  | Extract<PublishPlan, { readonly kind: 'unchanged' | 'refused' }>;

/** Plans to keep what the generator makes now as the version that is being built. Where the newest version is that already, there is no next. Pure. */
export function planNext(folder: Folder, { source }: Edition): NextPlan {
  const left = unfinished(folder);
  const verified = verify(folder, left.version);
  if (!isVerified(verified)) return { kind: 'refused', reasons: verified, steps: [] };
  if (left.version !== undefined) return { kind: 'refused', reasons: [`The publish of version ${left.version} was interrupted.`], steps: [] };
  const sha256 = sha256Of(source);
  if (verified.manifest?.sha256 === sha256) {
    const obsolete: Step[] = folder.has(NEXT) ? [{ do: 'remove', name: NEXT }] : [];
    return { kind: 'unchanged', version: verified.manifest.version, steps: [...left.steps, ...obsolete] };
  }
  if (digestIn(folder, NEXT) === sha256) return { kind: 'fresh', steps: left.steps };
  return { kind: 'next', steps: [...left.steps, { do: 'write', name: `${NEXT}${STAGED}`, text: source }, { do: 'rename', from: `${NEXT}${STAGED}`, to: NEXT }] };
}
