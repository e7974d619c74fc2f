import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseDraft } from '../draft/parse.js';
import type { DraftInput } from '../draft/schema.js';
import { generate } from '../generate.js';
import { placeholderInput } from './placeholder-input.js';
import { startHere } from './start-here.js';

export interface KitFile {
  readonly name: string;
  readonly text: string;
}

/** The names of a kit's files, which every flow keeps out of commits. The one that moves the others comes last. */
export const KIT_FILES = { flow: 'software-factory.flow.mts', input: 'flow-input.json', start: 'START-HERE.txt', preflight: 'relay-preflight.mjs' } as const;

/** Beside the sources, since it is no part of the package's code: it is handed out as it is. */
const PREFLIGHT = fileURLToPath(new URL('../../src/kit/relay-preflight.mjs', import.meta.url));

/**
 * The local kit of a draft: the flow, an input to fill in, a preflight without dependencies, and a text that says how to begin. The flow is one that
 * filters tickets itself, whatever target the draft names. Throws a `DraftError`.
 */
export function generateKit(draft: DraftInput): readonly KitFile[] {
  const local = { ...draft, target: 'local' } as const;
  const parsed = parseDraft(local);
  return [
    { name: KIT_FILES.flow, text: generate(local) },
    { name: KIT_FILES.input, text: `${JSON.stringify(placeholderInput(parsed), null, 2)}\n` },
    { name: KIT_FILES.start, text: startHere(parsed) },
    { name: KIT_FILES.preflight, text: readFileSync(PREFLIGHT, 'utf8') },
  ];
}
