import { parseDraft } from './draft/parse.js';
import type { DraftInput } from './draft/schema.js';
import { emit } from './emit/emit.js';

/** The source of the flow that a draft describes: one `*.flow.ts` that imports nothing but the surface. The same draft gives the same bytes. Throws a `DraftError`. */
export function generate(draft: DraftInput): string {
  return emit(parseDraft(draft));
}
