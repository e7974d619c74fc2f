import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FlowsError } from '@relayflows/sdk';

/** The flow that the demo runs. */
export interface Garden {
  /** The number under which it was published; null for a build from before the first publication. */
  readonly version: number | null;
  /** Of its bytes, in hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
  /** Its TypeScript. */
  readonly source: string;
}

/** Built, this file lies in `dist/demo/` or, bundled, in `dist/bundle/`. `import.meta.url` would name the runtime there. */
const FOLDER = join(import.meta.dirname, '../published');

/** Reads the newest published Software Garden, which the build has put into this package. Throws `source_mismatch` when it is missing or is not what was published. */
export function readGarden(folder: string = FOLDER): Garden {
  const path = join(folder, 'software-garden.flow.ts');
  const hint = 'Install @relayflows/cli again. In a checkout, run `npm run build`.';
  let known: Omit<Garden, 'source'>;
  let source: Buffer;
  try {
    known = JSON.parse(readFileSync(join(folder, 'software-garden.json'), 'utf8')) as Omit<Garden, 'source'>;
    source = readFileSync(path);
  } catch (cause) {
    throw new FlowsError('source_mismatch', `The flow that this command runs is missing or cannot be read: ${(cause as Error).message}.`, { hint, evidence: { path }, cause });
  }
  const sha256 = createHash('sha256').update(source).digest('hex');
  if (sha256 !== known.sha256) {
    throw new FlowsError('source_mismatch', `${path} is not the flow that was published.`, { hint, evidence: { path, expected: known.sha256, found: sha256 } });
  }
  return { version: known.version, sha256, bytes: source.length, source: source.toString('utf8') };
}
