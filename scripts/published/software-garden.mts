/** The Software Garden as it is published from this checkout. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDraft } from '../../packages/generator/src/draft/parse.js';
import type { DraftInput } from '../../packages/generator/src/draft/schema.js';
import { generate } from '../../packages/generator/src/generate.js';
import type { Edition } from '../../packages/generator/src/publish/plan.js';

export const DRAFT = 'packages/generator/drafts/software-garden.json';
export const GARDEN = 'published/flows/software-garden';
/** What the published flow is made from. */
export const INGREDIENTS = ['packages/generator/drafts', 'packages/generator/shell', 'packages/generator/src', 'packages/generator/template'];

/** What the generator in the checkout at `root` makes of the draft. Throws a `DraftError`. */
export async function softwareGarden(root: string): Promise<Edition> {
  const written = JSON.parse(await readFile(join(root, DRAFT), 'utf8')) as DraftInput;
  const draft = parseDraft(written);
  return { name: 'software-garden', catalogId: 'software-garden', folder: GARDEN, target: draft.target, draft, source: generate(written) };
}
