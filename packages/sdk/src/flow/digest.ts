import { createHash } from 'node:crypto';
import { FlowsError } from '../errors/flows-error.js';
import type { SealedFlow } from './sealed.js';

/** Changes with the form that is hashed. */
const FORM = 'relayflows-sealed@1';

/** The digest of a flow's source: the same for the same source on every machine, in every folder, with any installed version of its packages. */
export function digestSealed({ root, children }: Pick<SealedFlow, 'root' | 'children'>): string {
  const modules = [root, ...children].map(({ path, code, use }) => [path, code, use.map((entry) => [entry.specifier, entry.path])]);
  return sha256(JSON.stringify([FORM, modules]));
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Throws `source_mismatch` when the source is not what its digest says. */
export function verifySealed(sealed: SealedFlow): void {
  const actual = digestSealed(sealed);
  if (actual !== sealed.digest) throw sourceMismatch(sealed.path, sealed.digest, actual);
}

export function sourceMismatch(path: string | undefined, expected: string, actual: string): FlowsError {
  return new FlowsError('source_mismatch', `The stored source${path === undefined ? '' : ` of ${path}`} does not have its digest: it was altered or damaged.`, {
    hint: 'Start a new run from the file, or resume with --current-source to run the file as it is now.',
    evidence: { ...(path === undefined ? {} : { path }), expected, actual },
  });
}
