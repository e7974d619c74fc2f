import { FlowsError, isFlowsError } from '../errors/flows-error.js';
import type { StoredSource } from '../journal/port.js';
import { sha256, sourceMismatch, verifySealed } from './digest.js';
import type { SealedFlow } from './sealed.js';

/**
 * A sealed flow as the journal keeps it.
 *
 * The digest here covers the whole text, so also where packages were found: two checkouts of one source, or one source before and after `npm install`, are
 * two stored sources. The portable `SealedFlow.digest` is inside.
 */
export function serializeSealed(sealed: SealedFlow): StoredSource {
  const content = JSON.stringify(sealed);
  return { digest: sha256(content), content };
}

/** Reads a stored flow back. Throws `source_mismatch` when the text does not have its digest or is not a sealed flow. */
export function parseSealed(stored: StoredSource): SealedFlow {
  const actual = sha256(stored.content);
  if (actual !== stored.digest) throw sourceMismatch(undefined, stored.digest, actual);
  try {
    const sealed = JSON.parse(stored.content) as SealedFlow;
    if (sealed.kind !== 'sealed') throw new TypeError('not a sealed flow');
    verifySealed(sealed);
    return sealed;
  } catch (cause) {
    if (isFlowsError(cause)) throw cause;
    throw new FlowsError('source_mismatch', 'The stored source of the run is not a sealed flow.', {
      hint: 'Start a new run from the file.',
      evidence: { digest: stored.digest },
      cause,
    });
  }
}
